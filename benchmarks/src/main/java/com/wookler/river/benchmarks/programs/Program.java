package com.wookler.river.benchmarks.programs;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.rest.client.ClientClosedException;
import com.wookler.river.rest.client.RiverClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A load program: its flags, its queues, its clients and what it prints. */
abstract class Program implements Callable<Integer> {
  /** How long a get that waits waits. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final int DEFAULT_PORT = 8080;
  private static final int MEMCACHE_PORT = 22133;

  @Option(names = "-q", paramLabel = "NAME", description = "Queue, or prefix of several.")
  private String name = "spam";

  @Option(
      names = "-F",
      description = "Keep what an earlier run left in --directory; else the queues are emptied.")
  private boolean keep;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where the queues are. Default: a temporary directory, removed at the end.")
  private @Nullable Path directory;

  @Option(
      names = "-h",
      paramLabel = "HOST",
      description =
          "A REST server instead of queues in this JVM; RIVER_KEY is sent as its API key.")
  private @Nullable String host;

  @Option(
      names = "-p",
      paramLabel = "PORT",
      description = "Of that server, 127.0.0.1 without -h. Default: 8080, with --memcache 22133.")
  private @Nullable Integer port;

  @Option(
      names = "--memcache",
      description =
          "A server that speaks memcache's text protocol as Kestrel does; at 127.0.0.1 without -h.")
  private boolean memcache;

  @Option(
      names = "--thrift",
      description = "River speaks no Thrift: it says so, and uses HTTP, at 127.0.0.1 without -h.")
  private boolean thrift;

  @SuppressWarnings("unused") // picocli looks at the annotation only
  @Option(names = "--help", usageHelp = true, description = "Show this help and exit.")
  private boolean help;

  @Spec private CommandSpec spec;

  private final List<SpamQueue> queues = new ArrayList<>(); // filled before clients start
  private String place = ""; // a directory, or a server's address

  @GuardedBy("this")
  private @Nullable Path temporary;

  @GuardedBy("this")
  private boolean closed;

  /** Creates it; the command line sets the options. */
  @SuppressWarnings("NullAway.Init")
  Program() {}

  /** {@code -M}: prints a line a second on what the first queue holds. */
  static final class MonitorFlag {
    @Option(names = "-M", description = "Print a line a second on what the queue holds.")
    private boolean on;

    /** Runs the body, and prints meanwhile if the flag was given. */
    void during(Program program, WorkerGroup.Body body) throws Exception {
      CountDownLatch stop = new CountDownLatch(1);
      if (on) {
        new MonitoredThread("MONITOR-QUEUE", () -> print(program, stop)).start();
      }
      try {
        body.run();
      } finally {
        stop.countDown();
      }
    }

    private static void print(Program program, CountDownLatch stop) {
      SpamQueue queue = program.queue(0);
      try {
        do {
          long waiting = queue.waiting().getAsLong();
          long bytes = queue.bytes().getAsLong();
          program.print("%s: items=%d journal_bytes=%d", program.name, waiting, bytes);
        } while (!stop.await(1, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (QueueClosedException | ClientClosedException e) {
        // a client has failed, and says why
      }
    }
  }

  /**
   * Checks the options.
   *
   * @throws UsageException they make no sense
   */
  abstract void check();

  static void require(boolean right, String message) {
    if (!right) {
      throw new UsageException(message);
    }
  }

  abstract void run() throws Exception;

  int queues() {
    return 1;
  }

  @Override
  public final Integer call() throws Exception {
    check();
    Thread atExit = new MonitoredThread("CLOSE-QUEUES", this::close);
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      open();
      run();
    } finally {
      close();
      try {
        Runtime.getRuntime().removeShutdownHook(atExit);
      } catch (IllegalStateException e) {
        // the process ends, and the hook closes
      }
    }
    return CommandLine.ExitCode.OK;
  }

  /** Opens the queues that the flags name, in this JVM or at a server. */
  private void open() throws IOException {
    require(port == null || (port >= 1 && port <= 65_535), "-p is 1 to 65535");
    require(!memcache || !thrift, "--memcache and --thrift exclude each other");
    boolean served = host != null || port != null || thrift || memcache;
    require(
        !served || directory == null,
        "--directory is for queues in this JVM, -h, -p, --memcache, --thrift for others");
    if (served) {
      String server = host();
      String bare =
          server.indexOf(':') >= 0 && !server.startsWith("[") ? "[" + server + "]" : server;
      place = (memcache ? "memcache://" : "http://") + bare + ":" + port();
    } else {
      place = String.valueOf(directory == null ? createTemporary() : directory);
    }
    if (thrift) {
      print("River speaks no Thrift: using HTTP at %s.", place);
    }
    for (int i = 0; i < queues(); i++) {
      String each = queues() == 1 ? name : name + i;
      queues.add(
          memcache
              ? SpamQueue.memcache(each, new InetSocketAddress(host(), port()))
              : served
                  ? SpamQueue.served(each, client())
                  : SpamQueue.embedded(each, Path.of(place)));
    }
  }

  private String host() {
    return host == null ? "127.0.0.1" : host;
  }

  private int port() {
    return port != null ? port : memcache ? MEMCACHE_PORT : DEFAULT_PORT;
  }

  private synchronized Path createTemporary() throws IOException {
    Path created = ThisJvm.createDirectory(null);
    temporary = created;
    return created;
  }

  private RiverClient client() {
    RiverClient.Builder client = RiverClient.builder(place);
    String key = System.getenv("RIVER_KEY");
    return (key == null ? client : client.apiKey(key)).build();
  }

  /** Idempotent; clients that are at work get an exception. Deletes a temporary directory. */
  private synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    queues.forEach(queue -> queue.close().run());
    if (temporary != null) {
      try {
        ThisJvm.delete(temporary);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot remove " + temporary, e);
      }
    }
  }

  final SpamQueue queue(int number) {
    return queues.get(number);
  }

  final String name() {
    return name;
  }

  /** Returns where the queues are: a directory, or a server's address. */
  final String place() {
    return place;
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  @FormatMethod
  final void print(@FormatString String format, Object... values) {
    out().println(Context.text(format, values));
  }

  /** Empties the queues, unless {@code -F} says otherwise. */
  final void flush() {
    if (!keep) {
      print("Flushing queues first.");
      queues.forEach(queue -> queue.purge().run());
    }
  }

  /** Returns clients, none yet; if one fails the others lose their queues, and end too. */
  final WorkerGroup clients() {
    return new WorkerGroup(this::close);
  }

  static long millis(WorkerGroup clients) throws Exception {
    return TimeUnit.NANOSECONDS.toMillis(clients.work().nanos());
  }

  static void verify(byte[] data, byte[] item, String where) {
    ThisJvm.check(Arrays.equals(data, item), "Unexpected response" + where + "!");
  }

  /**
   * How one client reads. Plain: a get takes and acknowledges. Transactional, the original's {@code
   * /close/open}: a get acknowledges what the last one took, then takes. Confined to one client.
   */
  static final class Getter implements AutoCloseable {
    private final SpamQueue queue;
    private final boolean transactional;
    private SpamQueue.Taken open = SpamQueue.Taken.NOTHING; // not acknowledged yet

    Getter(SpamQueue queue, boolean transactional) {
      this.queue = queue;
      this.transactional = transactional;
    }

    /** Gets one, waiting for a second or not at all; none is a miss. */
    List<byte[]> one(boolean waiting) throws InterruptedException {
      return get(1, waiting ? PATIENCE : Duration.ZERO);
    }

    /** Gets up to {@code max}, waiting for a second; none is a miss. */
    List<byte[]> get(int max) throws InterruptedException {
      return get(max, PATIENCE);
    }

    private List<byte[]> get(int max, Duration wait) throws InterruptedException {
      close();
      open = queue.taker().take(max, wait, transactional);
      List<byte[]> data = open.data();
      if (!transactional) {
        close();
      }
      return data;
    }

    /** Gets one whose client ends before it has the reply: it goes to another. */
    void lose() throws InterruptedException {
      close();
      SpamQueue.Taken taken = queue.taker().take(1, Duration.ZERO, true);
      if (!taken.data().isEmpty()) {
        taken.release().run();
      }
    }

    /** Acknowledges what the last get took. */
    @Override
    public void close() {
      if (!open.data().isEmpty()) {
        open.ack().run();
        open = SpamQueue.Taken.NOTHING;
      }
    }
  }
}
