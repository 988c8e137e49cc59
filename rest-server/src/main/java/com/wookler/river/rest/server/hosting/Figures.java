package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.QueueState;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of all queues at one moment.
 *
 * @param at when they were taken
 * @param queues by name
 * @param subscribers of each queue, by name
 */
public record Figures(
    Instant at, Map<String, OfQueue> queues, Map<String, List<OfSubscriber>> subscribers) {
  private static final double HUNDREDTHS = 100;
  private static final int DISK_BITS = 7;

  static final Figures NONE = new Figures(Instant.EPOCH, Map.of(), Map.of());

  /** Rounds to a hundredth or so: what others write on the volume would change every row. */
  static long roundedDown(long bytes) {
    return bytes & -Math.max(1, Long.highestOneBit(bytes) >> DISK_BITS);
  }

  static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }

  /**
   * What an overview shows of a queue; rates are a second's.
   *
   * @param status null while the queue does not run
   * @param lag the largest of its subscribers
   * @param inFlight of all its subscribers
   * @param oldestAgeMillis the largest of its subscribers
   * @param dead dead letters that wait now, of all its subscribers
   * @param consumers polls and streams of the server that are open
   */
  public record OfQueue(
      String name,
      QueueState state,
      @Nullable QueueStatus status,
      long messages,
      long bytes,
      long diskFree,
      long delayed,
      long lost,
      long backupFailures,
      double published,
      double acked,
      long lag,
      long inFlight,
      long oldestAgeMillis,
      long dead,
      int subscribers,
      int paused,
      int consumers) {
    static OfQueue notRunning(String name, QueueState state) {
      return new OfQueue(name, state, null, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    static OfQueue of(
        String name,
        QueueState state,
        QueueStats stats,
        double published,
        List<OfSubscriber> subscribers) {
      return new OfQueue(
          name,
          state,
          stats.status(),
          stats.messages(),
          stats.bytes(),
          roundedDown(stats.diskFree()),
          stats.delayed(),
          stats.lost(),
          stats.backupFailures(),
          published,
          rounded(subscribers.stream().mapToDouble(OfSubscriber::acked).sum()),
          subscribers.stream().mapToLong(OfSubscriber::lag).max().orElse(0),
          subscribers.stream().mapToLong(OfSubscriber::inFlight).sum(),
          subscribers.stream().mapToLong(OfSubscriber::oldestAgeMillis).max().orElse(0),
          subscribers.stream().mapToLong(OfSubscriber::dead).sum(),
          subscribers.size(),
          (int) subscribers.stream().filter(OfSubscriber::paused).count(),
          subscribers.stream().mapToInt(OfSubscriber::consumers).sum());
    }
  }

  /**
   * What is shown of a subscriber; rates are a second's.
   *
   * @param dead dead letters that wait now
   * @param consumers polls and streams of the server that are open
   */
  public record OfSubscriber(
      String name,
      long lag,
      int inFlight,
      long oldestAgeMillis,
      double delivered,
      double acked,
      double redelivered,
      long dead,
      boolean paused,
      int consumers) {
    static OfSubscriber of(
        String name, SubscriberStats stats, double[] rates, long dead, int consumers) {
      return new OfSubscriber(
          name,
          stats.lag(),
          stats.inFlight(),
          stats.oldestUnfinishedAge().toMillis(),
          rates[0],
          rates[1],
          rates[2],
          dead,
          stats.paused(),
          consumers);
    }
  }
}
