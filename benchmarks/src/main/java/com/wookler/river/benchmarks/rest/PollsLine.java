package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.Spread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.client.NewMessage;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RiverClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Very many long polls that wait, what they cost meanwhile, and how soon all of them are answered
 * when messages come: as many as each subscriber has polls, so that each has one.
 */
final class PollsLine implements RestLine {
  private static final String QUEUE = "polled";
  private static final String HEAP = "192m";
  private static final double MB = 1e6;
  private static final Duration PATIENCE = Duration.ofSeconds(50); // a poll waits for 60 s

  private final TimeSource time = TimeSource.system();

  @Override
  public String name() {
    return "polls";
  }

  @Override
  public String text() {
    return "10,000 long polls";
  }

  @Override
  public boolean needsWrk() {
    return false;
  }

  @Override
  public List<Row> measure(RestLab lab) throws Exception {
    int subscribers = lab.quick() ? 5 : 100;
    int each = lab.quick() ? 20 : 100;
    Map<String, List<Double>> figures = new LinkedHashMap<>();
    int rounds = lab.quick() ? 1 : Math.min(lab.rounds(), 3);
    for (int round = 0; round < rounds; round++) {
      round(lab, subscribers, each, figures);
    }
    List<Row> rows = new ArrayList<>();
    figures.forEach((line, values) -> rows.add(row(line, values)));
    return rows;
  }

  private void round(RestLab lab, int subscribers, int each, Map<String, List<Double>> figures)
      throws Exception {
    int count = subscribers * each;
    try (ServerProcess server = lab.server(HEAP);
        RiverClient client = server.client();
        PollCrowd crowd = new PollCrowd(server.port())) {
      client.queue(QUEUE).create(QueueSettings.builder().build());
      for (int i = 0; i < count; i++) {
        crowd.poll(QUEUE, "s" + i % subscribers);
      }
      awaitWaiting(server, count);
      Duration before = server.processorTime();
      long started = time.nanoTime();
      long idle = (lab.quick() ? lab.round() : Duration.ofSeconds(5)).toNanos();
      while (time.nanoTime() - started < idle) {
        time.park(this, idle);
      }
      double used = server.processorTime().minus(before).toNanos() / 1e6;
      add(figures, ", processor while idle ms/s", used * 1e9 / (time.nanoTime() - started));
      ServerProcess.State state = server.state();
      if (state.waiting() != count) {
        throw new IllegalStateException(state.waiting() + " wait instead of " + count);
      }
      add(figures, ", resident memory MB", server.residentBytes() / MB);
      add(figures, ", heap in use MB", state.heapBytes() / MB);
      add(figures, ", threads of the JVM threads", state.threads());
      long woken = time.nanoTime();
      client.queue(QUEUE).publishAll(Collections.nCopies(each, NewMessage.text("wake up")));
      crowd.awaitAnswers(PATIENCE);
      add(figures, ", from the publish until all are answered ms", (time.nanoTime() - woken) / 1e6);
    }
  }

  private void awaitWaiting(ServerProcess server, int count) throws Exception {
    long started = time.nanoTime();
    while (server.state().waiting() < count) {
      if (time.nanoTime() - started > PATIENCE.toNanos()) {
        throw new IllegalStateException("only " + server.state().waiting() + " polls wait");
      }
      time.park(this, Duration.ofMillis(100).toNanos());
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
        "each on a connection of its own, by 100 subscribers of one queue; each gets one of 100"
            + " messages of one batch; a server each round, heap of "
            + HEAP);
  }
}
