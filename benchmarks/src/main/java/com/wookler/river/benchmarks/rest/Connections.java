package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.rest.client.NewMessage;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.MeasuredServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What very many connections cost that wait, and that ask nothing. A server each round. */
final class Connections {
  static final String POLLS = "10,000 long polls";
  static final String IDLE = "10,000 idle connections";

  private static final String HEAP = "192m";
  private static final String QUEUE = "queue";
  private static final Duration PATIENCE = Duration.ofSeconds(50); // a poll waits for 60 s
  private static final int CLIENTS = 8;
  private static final int SLOW_EACH = 100; // turns of the slow connections
  private static final String SLOW = "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";

  private Connections() {}

  private static MeasuredServer server(Context context, Duration idle) throws IOException {
    return new MeasuredServer(context.data(), List.of("-Xmx" + HEAP), idle);
  }

  /** Records what the server has used since a moment, in the processor's milliseconds. */
  private static void used(
      Rounds rounds, String line, MeasuredServer server, double before, long started) {
    double millis = server.processorMillis() - before;
    rounds.add(line, "ms/s", millis * 1e9 / (System.nanoTime() - started));
  }

  /**
   * Long polls that wait, what they cost meanwhile, and how soon all of them are answered when
   * messages come: as many as each subscriber has polls, so that each has one.
   */
  static void polls(Context context, Rounds rounds) throws Exception {
    int subscribers = context.count(100, 5);
    int each = context.count(100, 20);
    rounds.ofSystems("");
    rounds.note(
        "each on a connection of its own, by 100 subscribers of one queue; each gets one of 100"
            + " messages of one batch; a server each round, heap of "
            + HEAP);
    for (int round = 0; round < context.rounds(3); round++) {
      try (MeasuredServer server = server(context, Duration.ZERO);
          RiverClient client = server.client()) {
        client.queue(QUEUE).create(QueueSettings.builder().build());
        List<CompletableFuture<HttpResponse<String>>> polls =
            poll(server, subscribers, subscribers * each);
        double before = server.processorMillis();
        long started = System.nanoTime();
        ThisJvm.pause(context.time(Duration.ofSeconds(5), Rest.QUICK));
        used(rounds, POLLS + ", processor while idle", server, before, started);
        MeasuredServer.State state = server.state();
        ThisJvm.check(state.waiting() == polls.size(), state.waiting() + " wait, not all");
        rounds.add(POLLS + ", resident memory", "MB", server.residentMegabytes());
        rounds.add(POLLS + ", heap in use", "MB", state.heapBytes() / 1e6);
        rounds.add(POLLS + ", threads of the JVM", "threads", state.threads());
        long woken = System.nanoTime();
        client.queue(QUEUE).publishAll(Collections.nCopies(each, NewMessage.text("wake up")));
        for (CompletableFuture<HttpResponse<String>> poll : polls) {
          String answer = poll.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).body();
          ThisJvm.check(answer.split("\"receipt\"", -1).length == 2, answer);
        }
        double millis = (System.nanoTime() - woken) / 1e6;
        rounds.add(POLLS + ", from the publish until all are answered", "ms", millis);
      }
    }
  }

  /** Begins long polls, each on a connection of its own, and returns when the server has all. */
  private static List<CompletableFuture<HttpResponse<String>>> poll(
      MeasuredServer server, int subscribers, int count) throws IOException {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    List<CompletableFuture<HttpResponse<String>>> polls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      URI uri =
          URI.create(
              Context.text(
                  "%s/v1/queues/%s/subscribers/s%d/deliveries?create=true&max=1&wait=60s",
                  server.url(), QUEUE, i % subscribers));
      HttpRequest request =
          HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.noBody()).build();
      polls.add(http.sendAsync(request, BodyHandlers.ofString()));
    }
    long started = System.nanoTime();
    while (server.state().waiting() < count) {
      ThisJvm.check(System.nanoTime() - started < PATIENCE.toNanos(), "not all polls wait");
      ThisJvm.pause(Duration.ofMillis(100));
    }
    return polls;
  }

  /**
   * Connections that ask nothing, half of them silent: what clients that publish notice of them,
   * what they cost, and when the server closes them.
   */
  static void idle(Context context, Rounds rounds) throws Exception {
    Duration limit = Duration.ofSeconds(context.count(20, 1));
    Duration length = context.round(Rest.QUICK);
    rounds.ofSystems("");
    rounds.note(
        "half of them silent, half with a byte of a header each 10 s; others: 8 clients that publish"
            + " 1 KiB a hundred times a second each; idle limit of 20 s; a server each round, heap of "
            + HEAP);
    for (int round = 0; round < context.rounds(3); round++) {
      List<Socket> idle = new ArrayList<>();
      try (MeasuredServer server = server(context, limit);
          RiverClient client = server.client()) {
        RemoteQueue queue = client.queue(QUEUE);
        queue.create(QueueSettings.builder().build());
        others(queue, length, idle); // until it is compiled
        Latencies alone = others(queue, length, idle);
        long opened = System.nanoTime();
        for (int i = 0; i < context.count(10_000, 100); i++) {
          idle.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
          idle.get(i).setSoTimeout((int) limit.plus(PATIENCE).toMillis());
          send(idle.get(i), i % 2 == 0 ? "" : SLOW);
        }
        double before = server.processorMillis();
        long started = System.nanoTime();
        Latencies beside = others(queue, length, idle);
        used(rounds, IDLE + ", processor with others", server, before, started);
        for (int percentile : new int[] {50, 99}) {
          String name = IDLE + ", p" + percentile + " of others";
          rounds.add(name, "µs", beside.micros(percentile));
          rounds.add(name + " without them", "µs", alone.micros(percentile));
          double ratio = beside.micros(percentile) / alone.micros(percentile);
          rounds.add(name + " against without", "×", ratio);
        }
        rounds.add(IDLE + ", resident memory", "MB", server.residentMegabytes());
        for (Socket socket : idle) {
          ThisJvm.check(isClosed(socket), "a connection that asks nothing is answered");
        }
        double seconds = (System.nanoTime() - opened) / 1e9;
        rounds.add(IDLE + ", opened until all are closed", "s", seconds);
      } finally {
        for (Socket socket : idle) {
          socket.close();
        }
      }
    }
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) { // a byte was on its way when it was closed
      return true;
    }
  }

  private static void send(Socket socket, String text) throws IOException {
    try {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    } catch (SocketException e) {
      // the server has closed it, which reading will show
    }
  }

  /** Returns the latencies of clients at a steady rate, while each second socket sends bytes. */
  private static Latencies others(RemoteQueue queue, Duration length, List<Socket> idle)
      throws Exception {
    byte[] data = new byte[1_024];
    int each = Math.max(2, (int) length.toMillis() / 10);
    List<Latencies> all = Collections.synchronizedList(new ArrayList<>());
    WorkerGroup group = new WorkerGroup();
    for (int i = 0; i < CLIENTS; i++) {
      group.addBody(
          "CLIENT-" + i,
          () -> {
            Latencies mine = new Latencies();
            Latencies.Pace pace = new Latencies.Pace(System.nanoTime(), 100);
            for (int turn = 0; turn < each; turn++) {
              pace.await(turn);
              long start = System.nanoTime(); // the clients wait for each answer
              queue.publish(data);
              mine.record(System.nanoTime() - start);
            }
            all.add(mine);
          });
    }
    group.addBody(
        "SLOW",
        () -> {
          for (int turn = 0; turn < each / 10; turn++) {
            for (int i = 1 + 2 * turn; i < idle.size(); i += 2 * SLOW_EACH) {
              send(idle.get(i), "x");
            }
            ThisJvm.pause(Duration.ofMillis(100));
          }
        });
    group.work();
    Latencies sum = new Latencies();
    all.forEach(sum::add);
    return sum;
  }
}
