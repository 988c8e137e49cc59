package com.wookler.river.benchmarks.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.wookler.river.benchmarks.harness.ChildJvm;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Suite;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.rest.server.MeasuredServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Messages of 1 KiB pushed by clients with a blocking socket each and one request under way: to the
 * server, in turn with a bare server of Vert.x that reads the same bytes and gives an answer of the
 * same kind; and to a server that {@code ./river} has started that moment.
 */
final class Pushes {
  private static final String BARE = "vertx";
  private static final String QUEUE = "pushed";
  private static final int BYTES = 1_024;
  private static final int PUSHES = 10_000; // of the programs of other queue servers
  private static final Pattern PORT = Pattern.compile(".* port (\\d+)[.;].*");
  private static final Duration ARCHIVE = Duration.ofSeconds(30); // until there is one of classes

  /** What is spoken. */
  enum Wire {
    /** One request a message. */
    HTTP("HTTP"),
    /** Memcache's text protocol, as Kestrel's clients use it. */
    MEMCACHE("memcache's protocol");

    private final String text;

    Wire(String text) {
      this.text = text;
    }

    /** Returns its name in tables. */
    String text() {
      return text;
    }

    private byte[] push() {
      String data = "x".repeat(BYTES);
      return switch (this) {
        case HTTP ->
            ("POST /v1/queues/"
                    + QUEUE
                    + "/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n"
                    + "Content-Length: "
                    + (BYTES + "\r\n\r\n" + data))
                .getBytes(US_ASCII);
        case MEMCACHE ->
            ("set " + QUEUE + " 0 0 " + (BYTES + "\r\n" + data) + "\r\n").getBytes(US_ASCII);
      };
    }

    /** Starts a server that answers all pushes alike, and returns its port. */
    private int bare() {
      Vertx vertx = Vertx.vertx();
      Future<Integer> port =
          switch (this) {
            case HTTP ->
                vertx
                    .createHttpServer()
                    .requestHandler(
                        request ->
                            request
                                .body()
                                .onSuccess(
                                    body ->
                                        request
                                            .response()
                                            .setStatusCode(201)
                                            .putHeader("Content-Type", "application/json")
                                            .end("{\"sequence\":1000000}")))
                    .listen(0)
                    .map(server -> server.actualPort());
            case MEMCACHE ->
                vertx
                    .createNetServer()
                    .connectHandler(socket -> answer(socket, push().length))
                    .listen(0)
                    .map(server -> server.actualPort());
          };
      return port.toCompletionStage().toCompletableFuture().join();
    }

    private static void answer(NetSocket socket, int request) {
      Buffer stored = Buffer.buffer("STORED\r\n");
      int[] read = new int[1];
      socket.handler(
          bytes -> {
            for (read[0] += bytes.length(); read[0] >= request; read[0] -= request) {
              socket.write(stored);
            }
          });
    }
  }

  private Pushes() {}

  /** Measures pushes by as many clients as are asked for, to servers that are warm. */
  static void warm(String text, Wire wire, int clients, Context context, Rounds rounds)
      throws Exception {
    Duration length = context.round(Rest.QUICK);
    MeasuredServer server =
        rounds.closing(new MeasuredServer(context.data(), context.jvm(), Duration.ZERO));
    Context.Worker bare = rounds.closing(new ChildJvm(context.jvm()));
    int port = wire == Wire.HTTP ? server.port() : server.memcachePort();
    int barePort = bare.ask(wire::bare);
    rounds.ofSystems(BARE);
    rounds.note(
        system ->
            (system.equals(BARE)
                    ? "a bare server of Vert.x that reads the same bytes and gives one answer"
                    : "default settings")
                + "; a blocking socket a client, one request under way, on the same machine");
    rounds.add(Rounds.RIVER, into -> round(text, wire, port, clients, length, into));
    rounds.add(BARE, into -> round(text, wire, barePort, clients, length, into));
    rounds.run(context.count(8, 0), 3);
  }

  private static void round(
      String text, Wire wire, int port, int clients, Duration length, Rounds.Recorder into)
      throws Exception {
    WorkerGroup.Effort effort = push(wire, port, clients, length.toNanos(), Long.MAX_VALUE);
    double rate = effort.rate(effort.total());
    into.add(text, "msg/s", rate, Map.of("µs a push", 1e6 / rate, "s for 10,000", PUSHES / rate));
  }

  /** Measures the first 10,000 pushes to servers that the script starts. */
  static void first(String text, Wire wire, int clients, Context context, Rounds rounds)
      throws Exception {
    Path script = Path.of(System.getProperty("river.root", ""), "river").toAbsolutePath();
    if (context.quick()) {
      throw new Suite.SkippedException("it starts ./river, which builds what is not built");
    }
    rounds.ofSystems("");
    rounds.note("by ./river server, with its archive of classes; a server each round");
    started(script, context, ports -> ThisJvm.pause(ARCHIVE));
    for (int round = 0; round < context.rounds(3); round++) {
      started(
          script,
          context,
          ports -> {
            int each = PUSHES / clients;
            int port = Objects.requireNonNull(ports.get(wire));
            long nanos = push(wire, port, clients, Long.MAX_VALUE, each).nanos();
            rounds.add(text, "s", nanos / 1e9);
          });
    }
  }

  /** What is done with a server, whose ports are by wire. */
  @FunctionalInterface
  private interface Use {
    void of(Map<Wire, Integer> ports) throws Exception;
  }

  private static void started(Path script, Context context, Use use) throws Exception {
    Path data = context.fresh("started");
    List<String> command =
        List.of(script.toString(), "server", "--port=0", "--memcache=0", "--directory=" + data);
    Process server =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(server.getInputStream(), US_ASCII))) {
      Map<Wire, Integer> ports = new EnumMap<>(Wire.class);
      for (Wire wire : Wire.values()) { // it says them in this order
        ports.put(wire, nextPort(out));
      }
      use.of(ports);
    } finally {
      server.destroy();
      server.waitFor();
      ThisJvm.delete(data);
    }
  }

  private static int nextPort(BufferedReader out) throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher port = PORT.matcher(line);
      if (port.matches()) {
        return Integer.parseInt(port.group(1));
      }
    }
    throw new EOFException("the server has ended before it said its ports");
  }

  /** Pushes by clients that start together, each until it has done enough or the time is over. */
  private static WorkerGroup.Effort push(Wire wire, int port, int clients, long nanos, long each)
      throws Exception {
    byte[] push = wire.push();
    WorkerGroup group = new WorkerGroup();
    for (int i = 0; i < clients; i++) {
      group.add(
          "CLIENT-" + i,
          timer -> {
            long done = 0;
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
              socket.setTcpNoDelay(true);
              InputStream in = new BufferedInputStream(socket.getInputStream());
              long begun = timer.begin();
              while (done < each && (done == 0 || System.nanoTime() - begun < nanos)) {
                socket.getOutputStream().write(push);
                readAnswer(wire, in);
                done++;
              }
              timer.end();
            }
            return done;
          });
    }
    return group.work();
  }

  private static void readAnswer(Wire wire, InputStream in) throws IOException {
    String line = line(in);
    String first = wire == Wire.HTTP ? "HTTP/1.1 201" : "STORED";
    ThisJvm.check(line.startsWith(first), "A push is answered with " + line);
    if (wire == Wire.HTTP) {
      int length = 0;
      for (String header = line(in); !header.isEmpty(); header = line(in)) {
        if (header.regionMatches(true, 0, "content-length:", 0, 15)) {
          length = Integer.parseInt(header.substring(15).strip());
        }
      }
      in.skipNBytes(length);
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server has closed the connection");
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }
}
