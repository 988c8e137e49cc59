package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.rest.client.NewMessage;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RiverClient;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;

/** What very many connections cost that wait, and that ask nothing. A server each round. */
final class Connections {
  static final String POLLS = "10,000 long polls";
  static final String IDLE = "10,000 idle connections";
  private static final String HEAP = "192m";
  private static final String QUEUE = "queue";
  private static final int ROUNDS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(50); // a poll waits for 60 s

  private Connections() {}

  /**
   * Long polls that wait, what they cost meanwhile, and how soon all of them are answered when
   * messages come: as many as each subscriber has polls, so that each has one.
   */
  static List<Row> polls(Context context, Duration length) throws Exception {
    Samples samples = Samples.ofSystems(RestCommand.TABLE, "");
    int subscribers = context.count(100, 5);
    int each = context.count(100, 20);
    int count = subscribers * each;
    for (int round = 0; round < Math.min(context.rounds(ROUNDS), ROUNDS); round++) {
      try (Server server = new Server(context.directory(), HEAP, Duration.ZERO);
          RiverClient client = server.client();
          ManyConnections.Polls connections = new ManyConnections.Polls(server.port())) {
        client.queue(QUEUE).create(QueueSettings.builder().build());
        for (int i = 0; i < count; i++) {
          connections.poll(QUEUE, "s" + i % subscribers);
        }
        awaitWaiting(server, count);
        double before = server.processorMillis();
        long started = System.nanoTime();
        ThisJvm.pause(context.time(Duration.ofSeconds(5), length));
        samples.add(
            POLLS + ", processor while idle",
            "ms/s",
            (server.processorMillis() - before) * 1e9 / (System.nanoTime() - started));
        var state = server.state();
        ThisJvm.check(state.waiting() == count, state.waiting() + " wait instead of " + count);
        samples.add(POLLS + ", resident memory", "MB", server.residentMegabytes());
        samples.add(POLLS + ", heap in use", "MB", state.heapBytes() / 1e6);
        samples.add(POLLS + ", threads of the JVM", "threads", state.threads());
        long woken = System.nanoTime();
        client.queue(QUEUE).publishAll(Collections.nCopies(each, NewMessage.text("wake up")));
        connections.awaitAnswers(PATIENCE);
        samples.add(
            POLLS + ", from the publish until all are answered",
            "ms",
            (System.nanoTime() - woken) / 1e6);
      }
    }
    return samples.rows(
        "each on a connection of its own, by 100 subscribers of one queue; each gets one of 100"
            + " messages of one batch; a server each round, heap of "
            + HEAP);
  }

  private static void awaitWaiting(Server server, int count) throws Exception {
    long started = System.nanoTime();
    while (server.state().waiting() < count) {
      ThisJvm.check(
          System.nanoTime() - started < PATIENCE.toNanos(),
          "not all of " + count + " polls wait after " + PATIENCE);
      ThisJvm.pause(Duration.ofMillis(100));
    }
  }

  /**
   * Connections that ask nothing: what clients that publish notice of them, what they cost, and
   * when the server closes them.
   */
  static List<Row> idle(Context context, Duration length) throws Exception {
    Samples samples = Samples.ofSystems(RestCommand.TABLE, "");
    Duration limit = Duration.ofSeconds(context.count(60, 1));
    int count = context.count(10_000, 100);
    for (int round = 0; round < Math.min(context.rounds(ROUNDS), ROUNDS); round++) {
      try (Server server = new Server(context.directory(), HEAP, limit);
          RiverClient client = server.client();
          SteadyClients steady = new SteadyClients(server.port(), QUEUE);
          ManyConnections.Idle connections = new ManyConnections.Idle(server.port())) {
        client.queue(QUEUE).create(QueueSettings.builder().build());
        SteadyClients.gathered(steady.start(length)); // until it is compiled
        SteadyClients.Times alone = SteadyClients.gathered(steady.start(length));
        long opened = System.nanoTime();
        for (int i = 0; i < count; i++) {
          connections.add();
        }
        double before = server.processorMillis();
        long started = System.nanoTime();
        SteadyClients.Times beside = beside(steady.start(length), connections);
        double used = server.processorMillis() - before;
        ThisJvm.check(
            connections.open() == count || System.nanoTime() - opened >= limit.toNanos(),
            count - connections.open() + " are closed before their time");
        compare(samples, alone, beside);
        samples.add(
            IDLE + ", processor with others", "ms/s", used * 1e9 / (System.nanoTime() - started));
        samples.add(IDLE + ", resident memory", "MB", server.residentMegabytes());
        while (connections.open() > 0) {
          connections.step();
          ThisJvm.check(
              System.nanoTime() - opened < limit.plus(PATIENCE).toNanos(),
              connections.open() + " are not closed after " + limit);
        }
        samples.add(
            IDLE + ", opened until all are closed", "s", (System.nanoTime() - opened) / 1e9);
      }
    }
    return samples.rows(
        "half of them silent, half with a byte of a header each 10 s; others: 8 clients that publish"
            + " 1 KiB a hundred times a second each; idle limit of 60 s; a server each round, heap of "
            + HEAP);
  }

  private static SteadyClients.Times beside(
      List<Future<SteadyClients.Times>> clients, ManyConnections.Idle connections)
      throws Exception {
    while (!clients.stream().allMatch(Future::isDone)) {
      connections.step();
    }
    return SteadyClients.gathered(clients);
  }

  private static void compare(
      Samples samples, SteadyClients.Times alone, SteadyClients.Times beside) {
    for (int percentile : new int[] {50, 99}) {
      String name = IDLE + ", p" + percentile + " of others";
      double before = alone.known().micros(percentile);
      double after = beside.known().micros(percentile);
      samples.add(name, "µs", after);
      samples.add(name + " without them", "µs", before);
      samples.add(name + " against without", "×", after / before);
      Latencies anew = beside.anew();
      samples.add(name + " that connect anew", "µs", anew.micros(percentile));
    }
  }
}
