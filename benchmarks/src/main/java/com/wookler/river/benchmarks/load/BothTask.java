package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.Receiver;
import com.wookler.river.benchmarks.system.Sender;
import com.wookler.river.benchmarks.system.Work;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One publisher as fast as it goes, and one consumer at the same time, until the consumer has had
 * all.
 */
final class BothTask implements Task {
  @Override
  public String unit() {
    return Rates.UNIT;
  }

  @Override
  public Outcome run(OpenQueue queue, Work work, Request request) throws Exception {
    AtomicLong count = new AtomicLong(request.count());
    Received received = new Received(1, work.size());
    Crew crew = new Crew();
    crew.add("PUBLISHER", shift -> publish(queue, work, count, request.capNanos(), shift));
    crew.add("CONSUMER", shift -> consume(queue, work, received, count, shift));
    Effort effort = crew.work();
    received.check(List.of(effort.counts().get(0)));
    return Rates.of(effort, received.count());
  }

  private static long publish(
      OpenQueue queue, Work work, AtomicLong count, long cap, Crew.Shift shift) throws Exception {
    Payloads payloads = Publishing.payloads(0, work);
    try (Sender sender = queue.sender()) {
      long deadline = shift.begin() + cap;
      long sent = Publishing.run(sender, payloads, work.batch(), count.get(), deadline);
      count.set(sent);
      shift.end();
      return sent;
    }
  }

  private static long consume(
      OpenQueue queue, Work work, Received received, AtomicLong count, Crew.Shift shift)
      throws Exception {
    try (Receiver receiver = queue.receiver(0)) {
      Consuming consuming = new Consuming(receiver, received, work.batch());
      shift.begin();
      consuming.follow(count::get);
      shift.end();
    }
    return received.count();
  }
}
