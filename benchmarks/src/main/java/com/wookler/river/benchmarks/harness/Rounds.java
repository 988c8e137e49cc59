package com.wookler.river.benchmarks.harness;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of contenders in turn, A B A B and so on, so that a machine that drifts drifts under all
 * of them alike. Confined to one thread.
 */
public final class Rounds implements Closeable {
  private final Samples samples;
  private final Context context;
  private final Map<String, Contender> contenders = new LinkedHashMap<>();
  private final Deque<Closeable> open = new ArrayDeque<>();

  /** One of those that are compared. */
  @FunctionalInterface
  public interface Contender {
    /** Does the work once. */
    void round(Recorder into) throws Exception;

    /** Does a round that does not count; {@code number} from 0. */
    default void warmUp(int number) throws Exception {
      round((metric, unit, value, extra) -> {});
    }
  }

  /** Creates it without contenders. */
  public Rounds(Samples samples, Context context) {
    this.samples = samples;
    this.context = context;
  }

  /** Adds a contender. */
  public void add(String label, Contender contender) {
    contenders.put(label, contender);
  }

  /** Keeps something until this is closed, and returns it. */
  public <C extends Closeable> C closing(C closeable) {
    open.push(closeable);
    return closeable;
  }

  /** Does all rounds. */
  public void run(int warmUps, int rounds) throws Exception {
    for (int i = 0; i < warmUps; i++) {
      for (Contender contender : contenders.values()) {
        contender.warmUp(i);
      }
    }
    for (int i = 1; i <= rounds; i++) {
      int round = i;
      for (Map.Entry<String, Contender> each : contenders.entrySet()) {
        String label = each.getKey();
        each.getValue()
            .round(
                (metric, unit, value, extra) -> {
                  samples.add(metric, label, unit, value, extra);
                  context
                      .progress()
                      .accept(
                          Context.text(
                              "%s, round %d: %s %,.1f %s", metric, round, label, value, unit));
                });
      }
    }
  }

  /** Closes what was opened last first; the first failure is thrown when all are closed. */
  @Override
  public void close() throws IOException {
    @Nullable Exception failed = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (IOException | RuntimeException e) {
        if (failed != null) {
          e.addSuppressed(failed);
        }
        failed = e;
      }
    }
    if (failed instanceof IOException e) {
      throw e;
    }
    if (failed instanceof RuntimeException e) {
      throw e;
    }
  }
}
