package com.wookler.river.rest.server;

import com.wookler.river.benchmarks.harness.ChildJvm;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.PublishTarget;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A server to be measured, in a JVM of its own; its data are deleted with it. What is published to
 * the queue {@link #NOWHERE} is read, checked and answered like all else, and thrown away instead
 * of being stored. It is in this package because no other server can have such a queue.
 */
@NullMarked
public final class MeasuredServer implements Closeable {
  /** The queue that keeps nothing. */
  public static final String NOWHERE = "nowhere";

  private static @Nullable RiverServer running; // in the other JVM, of the thread that does jobs

  private final Path directory;
  private final ChildJvm process;
  private final List<Integer> ports;

  /**
   * Starts it.
   *
   * @param base directory in which it makes one of its own
   * @param options of its JVM
   * @param idle its limit of idle connections; zero for the default
   */
  public MeasuredServer(String base, List<String> options, Duration idle) throws IOException {
    directory = Files.createTempDirectory(Path.of(base), "server-");
    List<String> all = new ArrayList<>(options);
    all.add(ChildJvm.WITHOUT_MONITOR);
    process = new ChildJvm(all);
    String data = directory.toString();
    try {
      ports = process.ask(() -> start(data, idle));
    } catch (IOException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  private static List<Integer> start(String directory, Duration idle) {
    RiverServer.Builder builder =
        RiverServer.builder()
            .port(0)
            .memcache(0)
            .maxConnectionsPerAddress(20_000) // all come from this machine
            .directory(Path.of(directory))
            .publishTarget(new Discarding());
    if (!idle.isZero()) {
      builder.idleTimeout(idle);
    }
    RiverServer started = builder.start();
    running = started;
    return List.of(started.port(), started.memcachePort());
  }

  /**
   * What the server says of itself.
   *
   * @param waiting long polls
   * @param threads as the JVM counts them
   * @param heapBytes in use after collections
   */
  public record State(int waiting, int threads, long heapBytes) implements Serializable {}

  /** Returns what the server says of itself. */
  public State state() throws IOException {
    return process.ask(
        () -> {
          int waiting = Objects.requireNonNull(running).waiting();
          return new State(waiting, ThisJvm.threads(), ThisJvm.heapBytes());
        });
  }

  /** Returns its port. */
  public int port() {
    return ports.get(0);
  }

  /** Returns the port at which it speaks memcache's protocol. */
  public int memcachePort() {
    return ports.get(1);
  }

  /** Returns its address. */
  public String url() {
    return "http://127.0.0.1:" + port();
  }

  /** Returns a client of it. */
  public RiverClient client() {
    return RiverClient.builder(url()).build();
  }

  /** Returns what the operating system has in memory for it, in megabytes: {@code VmRSS}. */
  public double residentMegabytes() throws IOException {
    Path status = Path.of("/proc", "" + process.process().pid(), "status");
    try (Stream<String> lines = Files.lines(status)) {
      String line = lines.filter(each -> each.startsWith("VmRSS:")).findFirst().orElse("0");
      return Long.parseLong(line.replaceAll("\\D", "")) * 1_024 / 1e6;
    }
  }

  /** Returns the processor time that it has used, in milliseconds. */
  public double processorMillis() {
    return process.process().info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e6;
  }

  /** Closes the server, and then its JVM. */
  @Override
  public void close() throws IOException {
    try {
      process.ask(
          () -> {
            Objects.requireNonNull(running).close();
            return true;
          });
    } finally {
      process.close();
      ThisJvm.delete(directory);
    }
  }

  /** Throws away what goes to {@link #NOWHERE}. */
  private static final class Discarding implements PublishTarget {
    private final AtomicLong sequence = new AtomicLong();

    @Override
    public <M> CompletableFuture<PublishResult> put(
        HostedQueue<M> queue, List<Message<M>> batch, Durability level) {
      return queue.queue().name().equals(NOWHERE)
          ? CompletableFuture.completedFuture(
              PublishResult.stored(sequence.getAndAdd(batch.size()), level))
          : PublishTarget.QUEUES.put(queue, batch, level);
    }
  }
}
