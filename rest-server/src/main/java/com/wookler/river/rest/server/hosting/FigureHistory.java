package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The last values of some figures that were sampled together: for each {@link PastSpan} a ring of
 * means over its samples. Thread-safe.
 */
final class FigureHistory {
  @GuardedBy("this")
  private final Map<PastSpan, Ring> rings = new EnumMap<>(PastSpan.class);

  @GuardedBy("this")
  private long count;

  FigureHistory(int figures) {
    for (PastSpan span : PastSpan.values()) {
      rings.put(span, new Ring(new float[figures][span.size()], new double[figures]));
    }
  }

  /**
   * The values of a span.
   *
   * @param values by figure
   * @param sums of the samples since the last mean, by figure
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Ring(float[][] values, double[] sums) {
    void add(double[] samples, long count, PastSpan span) {
      boolean full = count % span.samples() == 0;
      int at = (int) ((count / span.samples() - 1) % span.size());
      for (int i = 0; i < samples.length; i++) {
        sums[i] += samples[i];
        if (full) {
          values[i][at] = (float) (sums[i] / span.samples());
          sums[i] = 0;
        }
      }
    }
  }

  /** Adds a sample of each figure. */
  synchronized void add(double... values) {
    count++;
    for (Map.Entry<PastSpan, Ring> each : rings.entrySet()) {
      each.getValue().add(values, count, each.getKey());
    }
  }

  /** Returns the values of a figure, the oldest first. */
  synchronized float[] values(int figure, PastSpan span) {
    float[] ring = Objects.requireNonNull(rings.get(span), "ring").values()[figure];
    long all = count / span.samples();
    int size = (int) Math.min(all, ring.length);
    float[] values = new float[size];
    for (int i = 0; i < size; i++) {
      values[i] = ring[(int) ((all - size + i) % ring.length)];
    }
    return values;
  }
}
