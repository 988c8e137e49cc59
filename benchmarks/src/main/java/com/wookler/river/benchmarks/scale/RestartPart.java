package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A queue with a large backlog and many acknowledgements above the floor is opened by a new JVM,
 * after a close and after the end of the process without one.
 */
final class RestartPart implements Part {
  @Override
  public String name() {
    return "restart";
  }

  @Override
  public String about() {
    return "open a queue with 10 million waiting and 1 million acknowledged above the floor";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    int waiting = lab.count(10_000_000, 30_000);
    int acks = lab.count(1_000_000, 1_000);
    int rounds = lab.rounds(5);
    Path directory = lab.fresh("restart");
    Path answer = lab.directory().resolve("restart.txt");
    RestartProbe.make(directory, waiting, acks);
    List<List<Double>> closed = new ArrayList<>();
    List<List<Double>> killed = new ArrayList<>();
    int acked = acks;
    for (int i = 0; i < rounds; i++) {
      closed.add(open(directory, answer, acked, RestartProbe.HALT));
      acked += RestartProbe.MORE;
      killed.add(open(directory, answer, acked, RestartProbe.CLOSE));
    }
    String what =
        String.format(Locale.ROOT, "open, %,d waiting, %,d acks above the floor", waiting, acks);
    return List.of(
        row(what + ", after a close", closed, 1),
        row(what + ", after a kill", killed, 1),
        row(what + ", after a close, open() alone", closed, 0),
        row(what + ", after a kill, open() alone", killed, 0));
  }

  private static List<Double> open(Path directory, Path answer, int acks, String end)
      throws Exception {
    Child.run(
        RestartProbe.class,
        List.of("-Xmx1g"),
        List.of(directory.toString(), answer.toString(), Integer.toString(acks), end));
    return Child.numbers(answer);
  }

  private static Row row(String line, List<List<Double>> rounds, int figure) {
    return Lab.row(
        line,
        "ms",
        Spread.of(rounds.stream().map(round -> round.get(figure)).toList()),
        "from open() to the first delivery, in a JVM that has just started; 100 B");
  }
}
