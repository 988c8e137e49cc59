package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Suite;
import com.wookler.river.benchmarks.harness.Suite.Benchmark;
import com.wookler.river.benchmarks.rest.Publishing.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The REST server, for each benchmark one in a JVM of its own. */
public final class Rest {
  /** Of a round that shows only that everything runs. */
  static final Duration QUICK = Duration.ofMillis(150);

  private static final String TABLE = "rest";

  /** All of it. */
  public static final Suite SUITE =
      new Suite(
          TABLE,
          "The REST server: publishing, many publishers, the Java client beside the JDK's, many"
              + " long polls, many idle connections, pushes by plain sockets.",
          List.of(),
          new Suite.Jvm(false, "512m", 2),
          benchmarks());

  private Rest() {}

  private static List<Benchmark> benchmarks() {
    Requests single = new Requests(64, 1, 1_024, false, false);
    Requests ids = new Requests(64, 1, 1_024, true, false);
    Requests forced = new Requests(64, 1, 1_024, false, true);
    Requests small = new Requests(16, 100, 100, false, false);
    Requests large = new Requests(16, 100, 1_024, false, false);
    Requests many = new Requests(500, 1, 1_024, false, false);
    Requests manyForced = new Requests(500, 1, 1_024, false, true);
    String device = "publish 1 KiB to the device over HTTP";
    List<Benchmark> all = new ArrayList<>();
    all.addAll(
        List.of(
            publish("publish-1k", "publish 1 KiB over HTTP", single, true),
            publish("publish-1k-ids", "publish 1 KiB over HTTP, each with an id", ids, true),
            publish("batch-100", "publish 100 B over HTTP, batches of 100", small, true),
            publish("batch-1k", "publish 1 KiB over HTTP, batches of 100", large, true),
            publish("forced-1k", device, forced, false),
            publish("publishers", "publish 1 KiB over HTTP, 500 publishers", many, false),
            publish("publishers-forced", device + ", 500 publishers", manyForced, false),
            client(1),
            client(10),
            client(100),
            new Benchmark("polls", TABLE, Connections.POLLS, Connections::polls),
            new Benchmark("idle", TABLE, Connections.IDLE, Connections::idle)));
    for (Pushes.Wire wire : Pushes.Wire.values()) {
      List.of(1, 10, 100).forEach(clients -> all.add(pushes(wire, clients)));
      List.of(1, 10, 100).forEach(clients -> all.add(firstPushes(wire, clients)));
    }
    return all;
  }

  private static Benchmark publish(String name, String text, Requests requests, boolean compared) {
    return new Benchmark(
        name,
        TABLE,
        text,
        (context, rounds) -> Publishing.measure(text, requests, compared, context, rounds));
  }

  private static Benchmark client(int threads) {
    String text =
        "publish 1 KiB by the Java client, " + threads + (threads == 1 ? " thread" : " threads");
    return new Benchmark(
        "client-" + threads,
        TABLE,
        text,
        (context, rounds) -> ClientCost.measure(text, threads, context, rounds));
  }

  private static Benchmark pushes(Pushes.Wire wire, int clients) {
    String text = "push 1 KiB by " + by(wire, clients);
    return new Benchmark(
        "push-" + name(wire, clients),
        TABLE,
        text,
        (context, rounds) -> Pushes.warm(text, wire, clients, context, rounds));
  }

  private static Benchmark firstPushes(Pushes.Wire wire, int clients) {
    String text = "first 10,000 pushes to a new server by " + by(wire, clients);
    return new Benchmark(
        "first-" + name(wire, clients),
        TABLE,
        text,
        (context, rounds) -> Pushes.first(text, wire, clients, context, rounds));
  }

  private static String by(Pushes.Wire wire, int clients) {
    return wire.text() + ", " + clients + (clients == 1 ? " client" : " clients");
  }

  private static String name(Pushes.Wire wire, int clients) {
    return wire.name().toLowerCase(Locale.ROOT) + "-" + clients;
  }
}
