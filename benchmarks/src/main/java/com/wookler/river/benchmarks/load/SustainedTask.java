package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.Receiver;
import com.wookler.river.benchmarks.system.Sender;
import com.wookler.river.benchmarks.system.Work;
import com.wookler.river.common.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One publisher as fast as it goes, so long that the page cache cannot hold it, and a subscriber
 * that drains. The figure is the publisher's rate; the slowest of its seconds is told too.
 */
final class SustainedTask implements Task {
  private static final TimeSource TIME = TimeSource.system();
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  @Override
  public String unit() {
    return Rates.UNIT;
  }

  @Override
  public Outcome run(OpenQueue queue, Work work, Request request) throws Exception {
    AtomicLong count = new AtomicLong(request.count());
    List<Double> seconds = new ArrayList<>(); // the publisher's, read after it has ended
    Received received = new Received(1, work.size());
    Crew crew = new Crew();
    crew.add("PUBLISHER", shift -> publish(queue, work, count, request.capNanos(), seconds, shift));
    crew.add("CONSUMER", shift -> consume(queue, work, received, count, shift));
    Effort effort = crew.work();
    received.check(List.of(effort.counts().get(0)));
    return Rates.of(
        effort,
        received.count(),
        Map.of(
            Figures.SLOWEST_SECOND,
            seconds.isEmpty() ? effort.rate(received.count()) : Collections.min(seconds)));
  }

  private static long publish(
      OpenQueue queue,
      Work work,
      AtomicLong count,
      long cap,
      List<Double> seconds,
      Crew.Shift shift)
      throws Exception {
    Payloads payloads = Publishing.payloads(0, work);
    try (Sender sender = queue.sender()) {
      long begin = shift.begin();
      long second = begin;
      long sent = 0;
      while (sent < count.get() && second - begin < cap) {
        long done =
            Publishing.run(sender, payloads, work.batch(), count.get() - sent, second + SECOND);
        sent += done;
        long now = TIME.nanoTime();
        if (now - second >= SECOND) { // the last one is not whole
          seconds.add(done * (double) SECOND / (now - second));
        }
        second = now;
      }
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
    }
    return received.count();
  }
}
