package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages that nobody is given any more. */
@Timeout(120)
class ExpiryTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final List<MessageQueue<String>> open = new ArrayList<>();
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    open.forEach(MessageQueue::close);
  }

  private MessageQueue.Builder<String> builder(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .recycle(SizeBasedRecycle.ofMessages(10))
        .timeSource(time);
  }

  private MessageQueue<String> started(MessageQueue.Builder<String> builder) {
    MessageQueue<String> made = builder.open();
    open.add(made);
    return made;
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + queue.stats().nextSequence());
    }
  }

  private Subscriber<String> acking(String name) {
    return queue.subscriber(
        SubscriberConfig.builder(name).ack(true).ackTimeout(Duration.ofSeconds(30)).build());
  }

  private static List<String> all(Subscriber<String> subscriber) throws InterruptedException {
    return subscriber.batch(1_000, Duration.ZERO).stream().map(Delivery::data).toList();
  }

  @Test
  void shouldPassOverAMessageThatHasExpired() throws InterruptedException {
    queue = started(builder("orders"));
    Subscriber<String> plain = queue.subscriber("plain");
    Subscriber<String> acking = acking("acking");
    queue.publisher().publish(Message.of("short").expiresAfter(MINUTE));
    queue.publisher().publish(Message.of("long").expiresAfter(MINUTE.multipliedBy(2)));
    queue.publisher().publish("for ever");
    time.advance(MINUTE.minusMillis(1));
    assertThat(queue.subscriber("early").next().data()).isEqualTo("short");
    assertThat(acking.peek(5)).hasSize(3);
    time.advance(Duration.ofMillis(1));
    assertThat(acking.peek(5)).extracting(Delivery::data).containsExactly("long", "for ever");
    assertThat(all(plain)).containsExactly("long", "for ever");
    assertThat(plain.stats().expired()).isEqualTo(1);
    assertThat(all(acking)).containsExactly("long", "for ever");
    assertThat(acking.stats().expired()).isEqualTo(1);
    assertThat(acking.stats().ackFloor()).isEqualTo(1);
    assertThat(acking.stats().lag()).isEqualTo(2);
  }

  @Test
  void shouldKeepItsExpiryAcrossARestart() throws InterruptedException {
    queue = started(builder("orders"));
    acking("acking");
    queue.publisher().publish(Message.of("short").expiresAfter(MINUTE));
    publish(1);
    queue.close();
    time.advance(MINUTE);
    queue = started(builder("orders"));
    assertThat(all(acking("acking"))).containsExactly("m1");
  }

  @Test
  void shouldNotDeliverAgainWhatHasExpiredMeanwhile() {
    queue = started(builder("orders"));
    Subscriber<String> acking = acking("acking");
    queue.publisher().publish(Message.of("short").expiresAfter(MINUTE));
    queue.publisher().publish(Message.of("other").expiresAfter(MINUTE));
    Delivery<String> kept = acking.next();
    Delivery<String> lost = acking.next();
    kept.extend(Duration.ofMinutes(5));
    time.advance(MINUTE);
    assertThat(acking.next()).isNull(); // the other has timed out, and has expired
    assertThat(acking.stats().expired()).isEqualTo(1);
    kept.ack(); // what is out may still be finished
    assertThat(acking.stats().acked()).isEqualTo(1);
    assertThat(acking.stats().lag()).isZero();
    assertThat(lost.attempt()).isEqualTo(1);
  }

  @Test
  void shouldLetEveryMessageExpireByItsAge() throws InterruptedException {
    queue = started(builder("orders").maxAge(MINUTE, null));
    Subscriber<String> acking = acking("acking");
    publish(5);
    queue.publisher().publish(Message.of("longer").expiresAfter(MINUTE.multipliedBy(3)));
    queue.publisher().publish(Message.of("shorter").expiresAfter(Duration.ofSeconds(50)));
    time.advance(Duration.ofSeconds(30));
    publish(1);
    time.advance(Duration.ofSeconds(29));
    time.advance(Duration.ofSeconds(1));
    assertThat(all(acking)).containsExactly("m7");
    assertThat(acking.stats().expired()).isEqualTo(7);
  }

  @Test
  void shouldFinishWhatExpiresThoughNobodyPolls() {
    queue = started(builder("orders").maxAge(MINUTE, null));
    Subscriber<String> plain = queue.subscriber("plain");
    Subscriber<String> acking = acking("acking");
    publish(2_051);
    assertThat(acking.next().sequence()).isZero(); // times out first
    time.advance(MINUTE);
    await().until(() -> queue.stats().firstSequence() == 2_050);
    await().until(() -> plain.stats().expired() == 2_051);
    await().until(() -> acking.stats().expired() == 2_051);
    assertThat(plain.stats().lag()).isZero();
  }
}
