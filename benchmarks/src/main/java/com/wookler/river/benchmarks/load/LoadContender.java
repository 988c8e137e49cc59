package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Recorder;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.system.QueueSystem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One system at one line, with the JVM that does its rounds. Confined to one thread. */
final class LoadContender implements Rounds.Contender {
  /** As many rounds as fill the time do not count, but no more than these. */
  static final int MOST_WARM_UPS = 20;

  private static final Duration WARM_UP = Duration.ofSeconds(2);
  private static final double WARM_UP_SHARE = 0.25;
  private static final Duration QUICK_CAP = Duration.ofSeconds(1);
  private static final double LEAST = 256; // so that batches and all threads have something to do

  private final Line line;
  private final QueueSystem system;
  private final Size size;
  private final Context context;
  private final Context.Worker worker;
  private long warmUpNanos;

  /**
   * How large a round is.
   *
   * @param scale by which the lines' counts are multiplied
   * @param cap after which a round is cut off
   * @param recordings directory for flight recordings of the rounds that count; null for none
   */
  record Size(double scale, Duration cap, @Nullable String recordings) {}

  LoadContender(Line line, QueueSystem system, Size size, Context context, Context.Worker worker) {
    this.line = line;
    this.system = system;
    this.size = size;
    this.context = context;
    this.worker = worker;
  }

  /** Does a smaller round until the time is filled; the first one also reads back everything. */
  @Override
  public void warmUp(int number) throws Exception {
    if (number == 0 || warmUpNanos < WARM_UP.toNanos()) {
      warmUpNanos += round(WARM_UP_SHARE, number == 0, null).nanos();
    }
  }

  @Override
  public void round(Recorder into) throws Exception {
    LoadRound.Outcome outcome = round(1, context.quick(), size.recordings);
    into.add(line.text(), line.load().figure().unit(), outcome.figure(), outcome.extra());
  }

  private LoadRound.Outcome round(double share, boolean verify, @Nullable String recordings)
      throws Exception {
    double scale = context.quick() ? 0 : size.scale * share;
    LoadRound round =
        new LoadRound(
            line.name(),
            system.name(),
            context.directory().toString(),
            Math.round(Math.max(LEAST, line.count() * scale)),
            context.time(size.cap, QUICK_CAP).toMillis(),
            verify,
            recordings);
    return worker.ask(round, LoadRound.Outcome.class);
  }
}
