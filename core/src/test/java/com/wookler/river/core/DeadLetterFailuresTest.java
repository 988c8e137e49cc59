package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetter;
import com.wookler.river.core.subscriber.DeadLetter.Failure;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A dead letter says why each delivery failed. */
@Timeout(120)
class DeadLetterFailuresTest {
  private static final Instant BEGIN = Instant.parse("2026-11-20T10:00:00Z");

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(BEGIN);
  private MessageQueue<String> queue;

  @BeforeEach
  void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .timeSource(time)
            .open();
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private Subscriber<String> subscriber(int deliveries) {
    return queue.subscriber(
        SubscriberConfig.builder("billing")
            .ack(true)
            .ackTimeout(Duration.ofSeconds(10))
            .maxDeliveries(deliveries)
            .build());
  }

  private static List<Failure> failures(Subscriber<String> subscriber) {
    await().until(() -> subscriber.deadLetters().size() > 0);
    return DeadLetter.failures(subscriber.deadLetters().peek(1).get(0).headers());
  }

  private static Delivery<String> next(Subscriber<String> subscriber) {
    Delivery<String> next = subscriber.next();
    assertThat(next).isNotNull();
    return next;
  }

  @Test
  void shouldSayWhyEachDeliveryFailed() {
    Subscriber<String> billing = subscriber(5);
    queue.publisher().publish("a");
    Delivery<String> first = next(billing);
    first.release(); // counts as none
    next(billing).fail(new IllegalStateException("no stock"));
    time.advance(Duration.ofSeconds(1));
    next(billing).nack(Duration.ZERO);
    next(billing); // is silent
    time.advance(Duration.ofSeconds(11));
    billing.settle(List.of(next(billing).receipt()), Settlement.nack(null, "still none"));
    Delivery<String> last = next(billing);
    assertThat(last.attempt()).isEqualTo(5);
    last.fail(new IllegalArgumentException("gone"));
    assertThat(failures(billing))
        .containsExactly(
            new Failure(
                1,
                BEGIN,
                "java.lang.IllegalStateException: no stock",
                IllegalStateException.class.getName()),
            new Failure(2, BEGIN.plusSeconds(1), "", null),
            new Failure(4, BEGIN.plusSeconds(12), "still none", null));
    Map<String, byte[]> headers = billing.deadLetters().peek(1).get(0).headers();
    assertThat(headers.get(DeadLetters.REASON)).asString().contains("gone");
    assertThat(headers.get(DeadLetters.EXCEPTION))
        .asString()
        .isEqualTo(IllegalArgumentException.class.getName());
  }

  @Test
  void shouldKeepTheLastSixteenOfLimitedLength() {
    Subscriber<String> billing = subscriber(30);
    queue.publisher().publish("a");
    for (int i = 1; i <= 30; i++) {
      next(billing).nack(Duration.ZERO, i + " \" ü ".repeat(1_000));
    }
    List<Failure> all = failures(billing);
    assertThat(all)
        .extracting(Failure::attempt)
        .containsExactlyElementsOf(IntStream.range(14, 30).boxed().toList());
    assertThat(all.get(0).reason()).startsWith("14 \" ü ").hasSize(1_024);
  }

  @Test
  void shouldBeginAnewWithAMessageThatIsRejectedAtOnceOrMovedBackTo() {
    Subscriber<String> billing = subscriber(3);
    queue.publisher().publish("a");
    next(billing).nack(Duration.ZERO, "before");
    next(billing).nack(Duration.ZERO, "before");
    billing.seek(Position.earliest());
    next(billing).nack(Duration.ZERO, "after");
    next(billing).reject("never");
    assertThat(failures(billing)).extracting(Failure::reason).containsExactly("after");
    queue.publisher().publish("b");
    next(billing).reject("at once");
    await().until(() -> billing.deadLetters().size() == 2);
    assertThat(billing.deadLetters().peek(2).get(1).headers())
        .doesNotContainKey(DeadLetters.FAILURES);
  }

  @Test
  void shouldKnowNothingOfAnEarlierRunAndNotWhatAPublisherClaims() {
    Subscriber<String> billing = subscriber(2);
    queue.publisher().publish("a");
    next(billing).nack(Duration.ZERO, "forgotten");
    close();
    open();
    Subscriber<String> again = subscriber(2);
    next(again).nack(Duration.ZERO, "last");
    assertThat(failures(again)).isEmpty();
    byte[] claimed = "[{\"attempt\":1}]".getBytes(StandardCharsets.UTF_8);
    assertThat(DeadLetter.failures(Map.of(DeadLetters.FAILURES, claimed))).isEmpty();
    assertThat(DeadLetter.failures(Map.of(DeadLetters.FAILURES, new byte[] {'{'}))).isEmpty();
  }

  @Test
  void shouldTakeThemOutWhenItIsRedriven() {
    Subscriber<String> billing = subscriber(2);
    queue.publisher().publish("a");
    next(billing).nack(Duration.ZERO, "first");
    next(billing).nack(Duration.ZERO, "second");
    assertThat(failures(billing)).hasSize(1);
    assertThat(billing.deadLetters().redrive(1)).isEqualTo(1);
    assertThat(next(billing).headers()).doesNotContainKey(DeadLetters.FAILURES);
  }
}
