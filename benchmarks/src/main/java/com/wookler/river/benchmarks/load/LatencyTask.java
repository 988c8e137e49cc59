package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.Receiver;
import com.wookler.river.benchmarks.system.Sender;
import com.wookler.river.benchmarks.system.Work;
import com.wookler.river.common.TimeSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One publisher at a steady rate, and a consumer that waits for messages if the work has one. Times
 * count from the moment at which a publish was to start, so coordinated omission is none.
 */
final class LatencyTask implements Task {
  /** What is timed. */
  enum Until {
    /** The publish has returned. */
    PUBLISHED,
    /** The consumer has the message. */
    RECEIVED
  }

  private static final TimeSource TIME = TimeSource.system();
  private static final int CLOCK_MASK = 63;

  private final int rate;
  private final Until until;

  LatencyTask(int rate, Until until) {
    this.rate = rate;
    this.until = until;
  }

  @Override
  public String unit() {
    return Latencies.UNIT;
  }

  @Override
  public Outcome run(OpenQueue queue, Work work, Request request) throws Exception {
    AtomicLong count = new AtomicLong(request.count());
    Latencies published = new Latencies();
    Latencies received = new Latencies();
    Crew crew = new Crew();
    crew.add(
        "PUBLISHER", shift -> publish(queue, work, count, request.capNanos(), published, shift));
    if (work.consumers() > 0) {
      crew.add("CONSUMER", shift -> consume(queue, work, count, received, shift));
    }
    Effort effort = crew.work();
    Latencies asked = until == Until.PUBLISHED ? published : received;
    return asked.outcome(effort, effort.counts().get(0));
  }

  private long publish(
      OpenQueue queue, Work work, AtomicLong count, long cap, Latencies latencies, Crew.Shift shift)
      throws Exception {
    Payloads payloads = Publishing.payloads(0, work);
    try (Sender sender = queue.sender()) {
      long start = shift.begin();
      Pace pace = new Pace(start, rate);
      long messages = count.get();
      long sent = 0;
      while (sent < messages) {
        if ((sent & CLOCK_MASK) == 0 && TIME.nanoTime() - start >= cap) {
          break;
        }
        pace.await(sent);
        sender.send(payloads.one());
        latencies.record(TIME.nanoTime() - pace.due(sent));
        sent++;
      }
      sender.finish();
      count.set(sent);
      shift.end();
      return sent;
    }
  }

  private long consume(
      OpenQueue queue, Work work, AtomicLong count, Latencies latencies, Crew.Shift shift)
      throws Exception {
    Received received = new Received(1, work.size());
    try (Receiver receiver = queue.receiver(0)) {
      Pace pace = new Pace(shift.begin(), rate);
      Receiver.Sink sink =
          data -> {
            latencies.record(TIME.nanoTime() - pace.due(received.count()));
            received.accept(data);
          };
      new Consuming(receiver, received, sink, work.batch()).follow(count::get);
      shift.end();
    }
    received.check(List.of(count.get()));
    return received.count();
  }
}
