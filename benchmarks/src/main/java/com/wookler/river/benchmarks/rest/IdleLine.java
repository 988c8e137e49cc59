package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.Spread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RiverClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

/**
 * Very many connections that ask nothing: what clients that publish notice of them, what they cost,
 * and when the server closes them.
 */
final class IdleLine implements RestLine {
  private static final String QUEUE = "beside";
  private static final String HEAP = "192m";
  private static final double MB = 1e6;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TimeSource time = TimeSource.system();

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public String text() {
    return "10,000 idle connections";
  }

  @Override
  public boolean needsWrk() {
    return false;
  }

  @Override
  public List<Row> measure(RestLab lab) throws Exception {
    Map<String, List<Double>> figures = new LinkedHashMap<>();
    int rounds = lab.quick() ? 1 : Math.min(lab.rounds(), 3);
    for (int round = 0; round < rounds; round++) {
      round(lab, figures);
    }
    List<Row> rows = new ArrayList<>();
    figures.forEach((line, values) -> rows.add(row(line, values)));
    return rows;
  }

  private void round(RestLab lab, Map<String, List<Double>> figures) throws Exception {
    Duration limit = Duration.ofSeconds(lab.quick() ? 1 : 60);
    int count = lab.quick() ? 100 : 10_000;
    try (ServerProcess server = lab.server(HEAP, Long.toString(limit.toMillis()));
        RiverClient client = server.client();
        HealthyClients healthy = new HealthyClients(server.port(), QUEUE);
        IdleCrowd crowd = new IdleCrowd(server.port())) {
      client.queue(QUEUE).create(QueueSettings.builder().build());
      HealthyClients.gathered(healthy.start(lab.round())); // until it is compiled
      HealthyClients.Latencies alone = HealthyClients.gathered(healthy.start(lab.round()));
      long opened = time.nanoTime();
      for (int i = 0; i < count; i++) {
        crowd.add();
      }
      Duration before = server.processorTime();
      long started = time.nanoTime();
      HealthyClients.Latencies beside = beside(healthy.start(lab.round()), crowd);
      double used = server.processorTime().minus(before).toNanos() / 1e6;
      if (crowd.open() != count && time.nanoTime() - opened < limit.toNanos()) {
        throw new IllegalStateException(count - crowd.open() + " are closed before their time");
      }
      compare(figures, alone, beside);
      add(figures, ", processor with others ms/s", used * 1e9 / (time.nanoTime() - started));
      add(figures, ", resident memory MB", server.residentBytes() / MB);
      awaitClosed(crowd, opened, limit);
      add(figures, ", opened until all are closed s", (time.nanoTime() - opened) / 1e9);
    }
  }

  private static HealthyClients.Latencies beside(
      List<Future<HealthyClients.Latencies>> clients, IdleCrowd crowd) throws Exception {
    while (!clients.stream().allMatch(Future::isDone)) {
      crowd.step();
    }
    return HealthyClients.gathered(clients);
  }

  private void awaitClosed(IdleCrowd crowd, long opened, Duration limit) throws Exception {
    while (crowd.open() > 0) {
      crowd.step();
      if (time.nanoTime() - opened > limit.plus(PATIENCE).toNanos()) {
        throw new IllegalStateException(crowd.open() + " are not closed after " + limit);
      }
    }
  }

  private static void compare(
      Map<String, List<Double>> figures,
      HealthyClients.Latencies alone,
      HealthyClients.Latencies beside) {
    for (double part : new double[] {0.5, 0.99}) {
      String name = "p" + Math.round(part * 100) + " of others";
      double before = HealthyClients.Latencies.quantile(alone.known(), part);
      double after = HealthyClients.Latencies.quantile(beside.known(), part);
      add(figures, ", " + name + " µs", after);
      add(figures, ", " + name + " without them µs", before);
      add(figures, ", " + name + " against without ×", after / before);
      add(
          figures,
          ", " + name + " that connect anew µs",
          HealthyClients.Latencies.quantile(beside.anew(), part));
    }
  }

  /** Text and unit, with a space between. */
  private static void add(Map<String, List<Double>> figures, String line, double value) {
    figures.computeIfAbsent(line, first -> new ArrayList<>()).add(value);
  }

  private Row row(String line, List<Double> values) {
    int unit = line.lastIndexOf(' ');
    Spread spread = Spread.of(values);
    return new Row(
        RestLab.TABLE,
        text() + line.substring(0, unit),
        RestLab.RIVER,
        line.substring(unit + 1),
        spread.median(),
        spread.min(),
        spread.max(),
        null,
        Map.of(),
        "half of them silent, half with a byte of a header each 10 s; others: 8 clients that publish"
            + " 1 KiB a hundred times a second each; idle limit of 60 s; a server each round, heap of "
            + HEAP);
  }
}
