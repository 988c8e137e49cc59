package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The last values of some figures that were sampled together: each sample of the last ten minutes,
 * and means over {@link #SAMPLES_A_MEAN} of them of the last hour. Thread-safe.
 */
final class FigureHistory {
  /** Samples that are kept. */
  static final int SAMPLES = 300;

  /** Means that are kept. */
  static final int MEANS = 240;

  /** Samples of which one mean is taken. */
  static final int SAMPLES_A_MEAN = 8;

  @GuardedBy("this")
  private final float[][] samples;

  @GuardedBy("this")
  private final float[][] means;

  @GuardedBy("this")
  private final double[] sums;

  @GuardedBy("this")
  private long count;

  FigureHistory(int figures) {
    samples = new float[figures][SAMPLES];
    means = new float[figures][MEANS];
    sums = new double[figures];
  }

  /** Adds a sample of each figure. */
  synchronized void add(double... values) {
    int at = (int) (count % SAMPLES);
    count++;
    boolean full = count % SAMPLES_A_MEAN == 0;
    for (int i = 0; i < values.length; i++) {
      samples[i][at] = (float) values[i];
      sums[i] += values[i];
      if (full) {
        int mean = (int) ((count / SAMPLES_A_MEAN - 1) % MEANS);
        means[i][mean] = (float) (sums[i] / SAMPLES_A_MEAN);
        sums[i] = 0;
      }
    }
  }

  /** Returns the values of a figure, the oldest first: the samples, or the means. */
  synchronized float[] values(int figure, boolean ofMeans) {
    float[] ring = ofMeans ? means[figure] : samples[figure];
    long all = ofMeans ? count / SAMPLES_A_MEAN : count;
    int size = (int) Math.min(all, ring.length);
    float[] values = new float[size];
    for (int i = 0; i < size; i++) {
      values[i] = ring[(int) ((all - size + i) % ring.length)];
    }
    return values;
  }
}
