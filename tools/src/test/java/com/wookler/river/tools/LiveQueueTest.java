package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The commands beside a process that uses the queue. */
class LiveQueueTest extends ToolsFixture {
  private static final int ROUNDS = 12;

  @Test
  void shouldFindNoDamageInAQueueThatIsInUse() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService users = Executors.newFixedThreadPool(2);
    try (MessageQueue<byte[]> queue =
        builder(data())
            .blockBytes(4 << 20)
            .recycle(SizeBasedRecycle.ofMessages(2_000))
            .backup(directory.resolve("backup"), Duration.ZERO)
            .open()) {
      Subscriber<byte[]> billing =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      Future<?> publisher =
          users.submit(
              () -> {
                for (int i = 0; !stop.get(); i++) {
                  queue.publisher().publish(Message.of(new byte[1 + i % 900]));
                  LockSupport.parkNanos(1); // some 20,000 a second
                }
              });
      Future<?> consumer =
          users.submit(
              () -> {
                for (int i = 0; !stop.get(); i++) {
                  Delivery<byte[]> delivery = billing.next();
                  if (delivery != null && i % 3 != 0) {
                    delivery.ack();
                  } else if (delivery != null) {
                    delivery.nack(Duration.ofMillis(5));
                  }
                }
              });
      for (int i = 0; i < ROUNDS; i++) {
        assertThat(run("verify", own())).as(out()).isZero();
        assertThat(run("inspect", own())).isZero();
        assertThat(out()).contains("billing").doesNotContain("damaged");
        if (queue.stats().backups() > 0) { // else the directory holds nothing of River's
          assertThat(run("verify", backups())).as(out()).isZero();
        }
      }
      stop.set(true);
      publisher.get();
      consumer.get();
      queue.force();
      assertThat(run("dump", "--from", queue.stats().nextSequence() - 2, own())).isZero();
      assertThat(out().lines()).hasSize(2);
    } finally {
      stop.set(true);
      users.shutdown();
    }
  }
}
