package com.wookler.river.benchmarks.self;

import com.wookler.river.benchmarks.harness.Suite;
import com.wookler.river.benchmarks.harness.Suite.Benchmark;
import java.util.List;

/** What must not grow: each part in a JVM of its own, with monitor and archive on. */
public final class Scale {
  private static final String TABLE = "scale";

  /** All parts. */
  public static final Suite SUITE =
      new Suite(
          TABLE,
          "What must not grow: with blocks, subscribers, backlog, queues.",
          List.of(),
          new Suite.Jvm(true, "2g", 3),
          List.of(
              part("blocks", "publish and consume with many blocks in the log", Growth::blocks),
              part("subscribers", "publish and consume beside idle ones", Growth::subscribers),
              part("backlog", "publish and consume while many messages wait", Growth::backlog),
              part("acks", "take and ack with many acks above the low watermark", Growth::acks),
              part("restart", "open a queue with a backlog and many acks", Totals::restart),
              part("reopen", "open a queue again, with 1,000 subscribers", Totals::reopen),
              part("redelivery", "1 million in flight, delivered again", Totals::redelivery),
              part("delayed", "1 million delayed messages due at once", Costs::delayed),
              part("behind", "a plain message after 1 million delayed ones", Costs::behind),
              part("duplicates", "ids that are known, and ids that are new", Costs::duplicates),
              part("keys", "order by key with 64 k in flight, and with nacks", Costs::keys),
              part(
                  "completions",
                  "nacks, expiry and dead letters, many at once",
                  Costs::completions),
              part("queues", "1,000 quiet queues in one JVM", Totals::queues),
              part("archive", "archive alone, and beside a publisher", Totals::archive)));

  private Scale() {}

  private static Benchmark part(String name, String text, Suite.Measurement measurement) {
    return new Benchmark(name, TABLE, text, measurement);
  }
}
