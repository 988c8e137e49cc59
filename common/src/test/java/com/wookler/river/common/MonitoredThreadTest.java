package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MonitoredThreadTest {
  @Test
  void shouldBeKnownWhileItRuns() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    MonitoredThread thread =
        new MonitoredThread(
            "mine",
            () -> {
              try {
                gate.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(thread.isDaemon()).isTrue();
    assertThat(MonitoredThread.running()).doesNotContain(thread);

    thread.start();
    assertThat(MonitoredThread.running()).contains(thread);
    assertThatThrownBy(thread::start).isInstanceOf(IllegalThreadStateException.class);
    assertThat(MonitoredThread.running()).contains(thread);
    gate.countDown();
    thread.join();

    assertThat(MonitoredThread.running()).doesNotContain(thread);
    assertThatThrownBy(thread::start).isInstanceOf(IllegalThreadStateException.class);
    assertThat(MonitoredThread.running()).doesNotContain(thread);
  }

  @Test
  void shouldLogWhatItsBodyThrowsAndEndAsUsual() throws InterruptedException {
    AtomicBoolean uncaught = new AtomicBoolean();
    MonitoredThread thread =
        new MonitoredThread(
            "mine",
            () -> {
              throw new StackOverflowError("on purpose");
            });
    thread.setUncaughtExceptionHandler((which, e) -> uncaught.set(true));

    thread.start();
    thread.join();

    assertThat(uncaught).isFalse();
    assertThat(MonitoredThread.running()).doesNotContain(thread);
  }
}
