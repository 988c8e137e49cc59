package com.wookler.river.examples.utils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WorkersTest {
  private final Workers workers = new Workers();

  @Test
  void shouldWaitForAll() throws Exception {
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      workers.start("worker-" + i, done::incrementAndGet);
    }

    workers.join();

    assertThat(done).hasValue(3);
    assertThat(workers.running()).isFalse();
  }

  @Test
  void shouldInterruptTheOthersAndThrowWhatTheFirstThrew() {
    CountDownLatch never = new CountDownLatch(1);
    workers.start("waits", never::await);
    workers.start(
        "fails",
        () -> {
          throw new IOException("broken");
        });

    assertThatThrownBy(workers::join).isInstanceOf(IOException.class).hasMessage("broken");
  }

  @Test
  void shouldForgetWhatIsThrownAfterTheStop() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    workers.start("waits", never::await);

    workers.stop();

    workers.join();
    assertThat(workers.running()).isFalse();
  }

  @Test
  void shouldInterruptWhatStartsAfterTheStop() throws Exception {
    workers.stop();
    workers.start("late", new CountDownLatch(1)::await);

    workers.join();
    assertThat(workers.running()).isFalse();
  }
}
