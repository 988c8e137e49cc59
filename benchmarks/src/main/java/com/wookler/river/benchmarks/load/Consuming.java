package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.Receiver;
import com.wookler.river.common.TimeSource;
import java.time.Duration;
import java.util.function.LongSupplier;

/** One consumer's part of a round. Confined to the consumer's thread. */
final class Consuming {
  private static final TimeSource TIME = TimeSource.system();
  private static final int CLOCK_MASK = 63; // the clock is read once in so many calls
  private static final Duration WAIT = Duration.ofMillis(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Receiver receiver;
  private final Received received;
  private final Receiver.Sink sink;
  private final int batch;
  private boolean waiting;
  private long waitingSince;

  /** Takes messages as {@code received} wants them, up to {@code batch} by one call. */
  Consuming(Receiver receiver, Received received, int batch) {
    this(receiver, received, received, batch);
  }

  /** Likewise, through a sink that tells {@code received}. */
  Consuming(Receiver receiver, Received received, Receiver.Sink sink, int batch) {
    this.receiver = receiver;
    this.received = received;
    this.sink = sink;
    this.batch = batch;
  }

  /** Consumes as fast as it goes until the count is reached or the time is up. */
  void run(long count, long deadline) throws Exception {
    for (long calls = 0; received.count() < count; calls++) {
      if ((calls & CLOCK_MASK) == 0 && TIME.nanoTime() - deadline >= 0) {
        break;
      }
      take(count);
    }
  }

  /** Consumes until as many have come as others decide, who may lower the number on the way. */
  void follow(LongSupplier count) throws Exception {
    long limit = count.getAsLong();
    while (received.count() < limit) {
      take(limit);
      limit = count.getAsLong();
    }
  }

  private void take(long limit) throws Exception {
    int max = (int) Math.min(batch, limit - received.count());
    if (receiver.receive(max, WAIT, sink) > 0) {
      waiting = false;
    } else if (!waiting) {
      waiting = true;
      waitingSince = TIME.nanoTime();
    } else if (TIME.nanoTime() - waitingSince > PATIENCE.toNanos()) {
      throw new WrongCountException(
          "nothing came for " + PATIENCE.toSeconds() + " s after message " + received.count());
    }
  }
}
