package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callers are told who ask for what cannot be. */
class ArgumentsTest {
  private static final Duration NOW = Duration.ZERO;

  @TempDir Path directory;
  private MessageQueue<String> queue;
  private Subscriber<String> billing;

  @BeforeEach
  void open() {
    queue = builder().open();
    billing = queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    queue.publisher().publishAll(List.of("a", "b"));
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  /** Nothing, where something has to be. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @Test
  void shouldSayWhichNumberIsOutOfItsRangeAndWhatIsAllowed() {
    for (int wrong : new int[] {0, -1, Integer.MIN_VALUE}) {
      List<ThrowingCallable> calls =
          List.of(
              () -> billing.batch(wrong, NOW),
              () -> billing.batchAsync(wrong, NOW),
              () -> billing.batchAsync(wrong, NOW, Runnable::run),
              () -> billing.peek(wrong),
              () -> billing.deadLetters().peek(wrong),
              () -> billing.deadLetters().redrive(wrong),
              () -> queue.read(0, wrong));
      assertThat(calls)
          .allSatisfy(
              call ->
                  assertThatThrownBy(call)
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessage("max is " + wrong + "; it must be 1 or more"));
    }
    assertThatThrownBy(() -> billing.deadLetters().redrive(1, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("perSecond is -1; it must be 0 or more");
    assertThat(queue.read(-1, 1)).isEmpty();
    assertThat(billing.stats().lag()).isEqualTo(2);
  }

  @Test
  void shouldNameWhatIsNull() {
    Delivery<String> held = billing.next();
    assertThat(held).isNotNull();
    Map<ThrowingCallable, String> calls = new LinkedHashMap<>();
    calls.put(() -> billing.next(nothing()), "timeout");
    calls.put(() -> billing.batch(1, nothing()), "timeout");
    calls.put(() -> billing.batchAsync(1, nothing()), "timeout");
    calls.put(() -> billing.batchAsync(1, NOW, nothing()), "completer");
    calls.put(() -> billing.settle(nothing(), Settlement.ack()), "receipts");
    calls.put(() -> billing.settle(List.of(held.receipt()), nothing()), "action");
    calls.put(() -> billing.ack(ArgumentsTest.<Delivery<String>>nothing()), "delivery");
    calls.put(
        () -> billing.ack(ArgumentsTest.<Collection<Delivery<String>>>nothing()), "deliveries");
    calls.put(
        () -> billing.settle(Collections.singletonList(nothing()), Settlement.ack()), "a receipt");
    calls.put(() -> billing.consumer(nothing()), "owner");
    calls.put(() -> queue.erase(nothing()), "sequences");
    calls.put(() -> queue.erase(Collections.singletonList(nothing())), "a sequence");
    calls.put(() -> queue.snapshot(nothing()), "directory");
    calls.put(() -> billing.ackUpTo(nothing()), "delivery");
    calls.put(() -> billing.seek(nothing()), "position");
    calls.put(() -> held.nack(nothing()), "delay");
    calls.put(() -> held.fail(nothing()), "cause");
    calls.put(() -> held.reject(nothing()), "reason");
    calls.put(() -> held.extend(nothing()), "time");
    calls.put(() -> Settlement.nack(nothing()), "delay");
    calls.put(() -> Settlement.reject(nothing()), "reason");
    calls.put(() -> Settlement.extend(nothing()), "time");
    calls.put(() -> Position.time(nothing()), "time");
    calls.put(() -> queue.subscriber(ArgumentsTest.<String>nothing()), "subscriber");
    calls.put(() -> queue.subscriber(ArgumentsTest.<SubscriberConfig>nothing()), "settings");
    calls.put(() -> queue.removeSubscriber(nothing()), "subscriber");
    calls.put(() -> queue.part(nothing()), "type");
    calls.put(() -> queue.sequenceAt(nothing()), "time");
    calls.put(() -> queue.latest(nothing()), "key");
    calls.put(() -> queue.addListener(nothing()), "listener");
    calls.put(() -> new MessageQueue<String>().configure(nothing()), "node");
    calls.put(() -> queue.publisher().publishAll(nothing()), "batch");
    calls.put(() -> queue.publisher().put(Message.of("c"), nothing()), "level");
    calls.put(() -> Message.of("c").withId(nothing()), "id");
    calls.put(() -> Message.of("c").withHeader("name", nothing()), "value");
    calls.put(() -> Message.of("c").expiresAfter(nothing()), "time");
    calls.put(() -> Message.of("c").deliverAfter(nothing()), "time");
    calls.forEach(
        (call, name) ->
            assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(name));
    held.ack(); // it is still held
    assertThat(billing.stats().lag()).isEqualTo(1);
    assertThat(queue.stats().nextSequence()).isEqualTo(2);
  }

  @Test
  void shouldRefuseToRemoveWhatNoSequenceCanBe() {
    assertThatThrownBy(() -> queue.delete(5, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no messages are from 5 up to 2");
    assertThatThrownBy(() -> queue.delete(-3, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no messages are from -3 up to 2");
    assertThatThrownBy(() -> queue.erase(List.of(1L, -1L)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sequence -1 is negative");
    assertThat(queue.delete(2, 2)).isZero();
    assertThat(queue.read(0, 10)).hasSize(2);
  }

  @Test
  void shouldRefuseAMessageThatExpiresBeforeItIsDue() {
    Message<String> delayed = Message.of("c").deliverAfter(Duration.ofSeconds(5));
    Message<String> expiring = Message.of("c").expiresAfter(Duration.ofSeconds(5));
    List<ThrowingCallable> calls =
        List.of(
            () -> delayed.expiresAfter(Duration.ofSeconds(5)),
            () -> expiring.deliverAfter(Duration.ofSeconds(5)),
            () -> queue.publisher().publish(expiring.deliverAt(Instant.now().plusSeconds(60))),
            () ->
                queue
                    .publisher()
                    .putAll(
                        List.of(expiring.deliverAt(Instant.now().plusSeconds(60))),
                        Durability.MEMORY));
    assertThat(calls)
        .allSatisfy(
            call ->
                assertThatThrownBy(call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("an expiry after PT5S with a delay of PT")
                    .hasMessageContaining("would never be delivered"));
    assertThat(queue.stats().nextSequence()).isEqualTo(2);
    assertThat(delayed.expiresAfter(Duration.ofSeconds(6)).delay()).isEqualTo(delayed.delay());
  }

  @Test
  void shouldNameTheMessageThatTheConverterCannotReadInWhatIsReadToo() {
    queue.close();
    MessageConverter<String> none =
        new MessageConverter<>() {
          @Override
          public byte[] toBytes(String data) {
            return data.getBytes(StandardCharsets.UTF_8);
          }

          @Override
          public String fromBytes(byte[] bytes) {
            throw new IllegalStateException("not in this version");
          }
        };
    queue = MessageQueue.builder("orders", none).directory(directory).open();
    billing = queue.subscriber("billing");
    for (Delivery<String> read : List.of(queue.read(1).orElseThrow(), billing.peek(2).get(1))) {
      assertThatThrownBy(read::data)
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("queue orders, sequence 1: the converter cannot read the message")
          .hasMessageContaining("not in this version");
    }
  }

  @Test
  void shouldKeepBothSettingsWhereOneOfTwoIsRefused() throws Exception {
    queue.close();
    Path backups = directory.resolve("backups");
    MessageQueue.Builder<String> builder = builder().maxMessages(2);
    assertThatThrownBy(() -> builder.whenFull(FullPolicy.DISCARD_OLDEST, nothing()))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("timeout");
    assertThatThrownBy(() -> builder.backup(backups, nothing()))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("retention");
    queue = builder.recycle(SizeBasedRecycle.ofMessages(1)).open();
    assertThatThrownBy(() -> queue.publisher().publish("c")).isInstanceOf(QueueFullException.class);
    assertThat(backups).doesNotExist();
  }
}
