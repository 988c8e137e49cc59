package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How much is measured, and where.
 *
 * @param directory of its own, removed by whoever made it
 * @param extent how much
 * @param asked rounds that were asked for; 0 for each part's own number
 */
record Lab(Path directory, Extent extent, int asked) {
  /** Table that all rows belong to. */
  static final String TABLE = "scale";

  /** System that all rows are of. */
  static final String SYSTEM = "river";

  private static final int QUICK_ROUNDS = 2;

  /** How much. */
  enum Extent {
    /** Just enough to see that it runs and counts right. */
    QUICK,
    /** What the table in the documentation shows. */
    NORMAL,
    /** With what needs tens of gigabytes of disk. */
    FULL
  }

  boolean isQuick() {
    return extent == Extent.QUICK;
  }

  /** A number of messages, blocks or whatever is counted. */
  int count(int normal, int quick) {
    return isQuick() ? quick : normal;
  }

  /** Steps of what may grow, from small to large. */
  List<Integer> steps(List<Integer> normal, List<Integer> quick, List<Integer> fullOnly) {
    List<Integer> steps = new ArrayList<>(isQuick() ? quick : normal);
    if (extent == Extent.FULL) {
      steps.addAll(fullOnly);
    }
    return steps;
  }

  Duration time(Duration normal, Duration quick) {
    return isQuick() ? quick : normal;
  }

  int rounds(int normal) {
    return asked > 0 ? asked : isQuick() ? QUICK_ROUNDS : normal;
  }

  /** Rounds before those that count. */
  int warmUps() {
    return count(2, 0);
  }

  Path fresh(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name));
  }

  /** A queue as in production: drained blocks are archived, and archives expire. */
  static MessageQueue.Builder<byte[]> queue(Path directory) {
    return queue(directory, Duration.ofSeconds(1));
  }

  /** A queue that keeps its archive so long; zero for ever. */
  static MessageQueue.Builder<byte[]> queue(Path directory, Duration retention) {
    return MessageQueue.builder(SYSTEM, MessageConverter.bytes())
        .directory(directory.resolve("data"))
        .backup(directory.resolve("backup"), retention);
  }

  /** A row without a ratio. */
  static Row row(String line, String unit, Spread spread, String note) {
    return new Row(
        TABLE,
        line,
        SYSTEM,
        unit,
        spread.median(),
        spread.min(),
        spread.max(),
        null,
        Map.of(),
        note + "; " + spread.rounds() + (spread.rounds() == 1 ? " round" : " rounds"));
  }
}
