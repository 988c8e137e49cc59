package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.Receiver;
import com.wookler.river.benchmarks.system.Sender;
import com.wookler.river.benchmarks.system.Work;
import com.wookler.river.common.TimeSource;

/**
 * All consumers at once, each getting every message of a queue that was filled before, one by one.
 * The figure counts what all of them got together.
 */
final class ConsumeTask implements Task {
  private static final TimeSource TIME = TimeSource.system();

  @Override
  public String unit() {
    return Rates.UNIT;
  }

  @Override
  public Outcome run(OpenQueue queue, Work work, Request request) throws Exception {
    long filled = fill(queue, work, request);
    Crew crew = new Crew();
    for (int i = 0; i < work.consumers(); i++) {
      int consumer = i;
      crew.add(
          "CONSUMER-" + consumer,
          shift -> consume(queue, work, consumer, filled, request.capNanos(), shift));
    }
    Effort effort = crew.work();
    return Rates.of(effort, effort.total());
  }

  private static long fill(OpenQueue queue, Work work, Request request) throws Exception {
    try (Sender sender = queue.sender()) {
      Payloads payloads = new Payloads(0, work.size(), work.underWay() + 1);
      return Publishing.run(
          sender, payloads, 1, request.count(), TIME.nanoTime() + request.capNanos());
    }
  }

  private static long consume(
      OpenQueue queue, Work work, int consumer, long count, long cap, Crew.Shift shift)
      throws Exception {
    Received received = new Received(1, work.size());
    try (Receiver receiver = queue.receiver(consumer)) {
      Consuming consuming = new Consuming(receiver, received, work.batch());
      consuming.run(count, shift.begin() + cap);
      shift.end();
    }
    return received.count();
  }
}
