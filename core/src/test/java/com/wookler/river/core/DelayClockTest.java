package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Delayed messages and clocks that do what clocks should not. */
@Timeout(120)
class DelayClockTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Instant BEGIN = Instant.parse("2026-11-20T10:00:00Z");

  @TempDir Path directory;

  private MessageQueue<String> open(TimeSource time) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .timeSource(time)
        .open();
  }

  private static String next(Subscriber<String> subscriber) throws InterruptedException {
    Delivery<String> next = subscriber.next(Duration.ofHours(1));
    assertThat(next).isNotNull();
    return next.data();
  }

  @Test
  void shouldDelayNoLongerWhereTheClockWasSetBackBetweenRuns() throws InterruptedException {
    try (MessageQueue<String> queue = open(new ManualTimeSource(BEGIN))) {
      queue.publisher().publish("before");
    }
    ManualTimeSource back = new ManualTimeSource(BEGIN.minus(Duration.ofDays(1)));
    try (MessageQueue<String> queue = open(back)) {
      Subscriber<String> audit = queue.subscriber("audit");
      queue.publisher().publish(Message.of("in a minute").deliverAfter(MINUTE));
      await().until(() -> queue.stats().delayed() == 1);
      assertThat(next(audit)).isEqualTo("before");
      back.advance(MINUTE.minus(MILLI));
      await().pollDelay(Duration.ofMillis(60)).until(() -> audit.next() == null);
      back.advance(MILLI);
      await().until(() -> queue.stats().delayed() == 0);
      assertThat(next(audit)).isEqualTo("in a minute");
    }
  }

  /**
   * As where the process stands still for a while; there is no force that would wake its thread.
   */
  @Test
  void shouldNotWaitOnceMoreWhereTheClockGoesOnWhileItIsAsked() throws InterruptedException {
    LeapingClock time = new LeapingClock(MINUTE);
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .syncInterval(Duration.ofDays(1))
            .timeSource(time)
            .open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      queue.publisher().publish(Message.of("in a minute").deliverAfter(MINUTE));
      await().until(() -> queue.stats().delayed() == 1);
      time.callsToLeap.set(2); // the last of a step that collects one
      queue.publisher().publish(Message.of("much later").deliverAfter(MINUTE.multipliedBy(9)));
      await().until(() -> time.callsToLeap.get() <= 0);
      await().until(() -> queue.stats().delayed() == 1);
      assertThat(next(audit)).isEqualTo("in a minute");
    }
  }

  @Test
  void shouldGoOnAfterAnErrorOnItsThread() throws InterruptedException {
    FailingClock time = new FailingClock();
    try (MessageQueue<String> queue = open(time)) {
      queue.publisher().publish(Message.of("later").deliverAfter(MINUTE));
      await().until(() -> queue.stats().delayed() == 1);
      time.fails.set(true);
      time.advance(MINUTE);
      await().until(() -> !time.fails.get());
      time.advance(Duration.ofSeconds(1));
      await().until(() -> queue.stats().delayed() == 0);
      assertThat(next(queue.subscriber("audit"))).isEqualTo("later");
    }
  }

  @Test
  void shouldShareTwoThreadsAmongAllQueues() throws InterruptedException {
    ManualTimeSource time = new ManualTimeSource(BEGIN);
    List<MessageQueue<String>> queues = new ArrayList<>();
    try {
      for (int i = 0; i < 12; i++) {
        queues.add(
            MessageQueue.builder("orders-" + i, MessageConverter.utf8())
                .directory(directory)
                .timeSource(time)
                .open());
      }
      List<Subscriber<String>> all = new ArrayList<>();
      for (MessageQueue<String> queue : queues) {
        all.add(queue.subscriber("audit"));
        queue.publisher().publish(Message.of("later").deliverAfter(MINUTE));
        await().until(() -> queue.stats().delayed() == 1);
      }
      assertThat(timerThreads()).isEqualTo(2);
      time.advance(MINUTE);
      for (Subscriber<String> audit : all) {
        assertThat(next(audit)).isEqualTo("later");
      }
    } finally {
      queues.forEach(MessageQueue::close);
    }
    assertThat(timerThreads()).isZero();
  }

  private static long timerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("RIVER-timer"))
        .count();
  }

  /** Moved by hand, and knows when the thread of delayed messages reads it. */
  private abstract static class WatchedClock extends ManualTimeSource {
    WatchedClock() {
      super(BEGIN);
    }

    final boolean isReadByTimer() {
      return Thread.currentThread().getName().startsWith("RIVER-timer");
    }
  }

  /** Fails once when it is told to, and the thread of delayed messages asks. */
  private static final class FailingClock extends WatchedClock {
    private final AtomicBoolean fails = new AtomicBoolean();

    @Override
    public long epochMicros() {
      if (isReadByTimer() && fails.compareAndSet(true, false)) {
        throw new OutOfMemoryError("for a test");
      }
      return super.epochMicros();
    }
  }

  /** Goes on by a step right after the thread for delays has read it so many times. */
  private static final class LeapingClock extends WatchedClock {
    private final Duration step;
    private final AtomicInteger callsToLeap = new AtomicInteger();

    LeapingClock(Duration step) {
      this.step = step;
    }

    @Override
    public long epochMicros() {
      long micros = super.epochMicros();
      if (isReadByTimer() && callsToLeap.getAndDecrement() == 1) {
        advance(step);
      }
      return micros;
    }
  }
}
