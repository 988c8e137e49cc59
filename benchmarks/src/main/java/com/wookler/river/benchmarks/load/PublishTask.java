package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.Receiver;
import com.wookler.river.benchmarks.system.Sender;
import com.wookler.river.benchmarks.system.Work;
import java.util.List;

/** All publishers at once, as fast as they go; nobody consumes. */
final class PublishTask implements Task {
  @Override
  public String unit() {
    return Rates.UNIT;
  }

  @Override
  public Outcome run(OpenQueue queue, Work work, Request request) throws Exception {
    Crew crew = new Crew();
    long share = Math.max(1, request.count() / work.publishers());
    for (int i = 0; i < work.publishers(); i++) {
      int publisher = i;
      crew.add(
          "PUBLISHER-" + publisher,
          shift -> publish(queue, work, publisher, share, request.capNanos(), shift));
    }
    Effort effort = crew.work();
    if (request.verify()) {
      verify(queue, work, effort.counts());
    }
    return Rates.of(effort, effort.total());
  }

  private static long publish(
      OpenQueue queue, Work work, int publisher, long share, long cap, Crew.Shift shift)
      throws Exception {
    Payloads payloads = Publishing.payloads(publisher, work);
    try (Sender sender = queue.sender()) {
      long deadline = shift.begin() + cap;
      long sent = Publishing.run(sender, payloads, work.batch(), share, deadline);
      shift.end();
      return sent;
    }
  }

  /** Reads everything back; takes as long as it takes. */
  private static void verify(OpenQueue queue, Work work, List<Long> counts) throws Exception {
    long total = counts.stream().mapToLong(Long::longValue).sum();
    Received received = new Received(work.publishers(), work.size());
    try (Receiver receiver = queue.receiver(0)) {
      new Consuming(receiver, received, work.batch()).follow(() -> total);
    }
    received.check(counts);
  }
}
