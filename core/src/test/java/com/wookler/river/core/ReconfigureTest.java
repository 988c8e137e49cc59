package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Options that change while a queue runs. */
@Timeout(120)
class ReconfigureTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .timeSource(time);
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + queue.stats().nextSequence());
    }
  }

  @Test
  void shouldKeepToALimitThatIsSetWhileItRuns() {
    queue = builder().open();
    queue.subscriber(SubscriberConfig.builder("slow").ack(true).build());
    publish(5);

    queue.reconfigure(changes -> changes.set(QueueOptions.MAX_MESSAGES, 6L));
    publish(1);
    assertThatThrownBy(() -> publish(1)).isInstanceOf(QueueFullException.class);

    queue.reconfigure(changes -> changes.set(QueueOptions.MAX_MESSAGES, 8L));
    publish(2);
    assertThatThrownBy(() -> publish(1)).isInstanceOf(QueueFullException.class);

    queue.reconfigure(changes -> changes.set(QueueOptions.FULL_POLICY, FullPolicy.DISCARD_OLDEST));
    publish(3);
    assertThat(queue.subscriber("slow").next().sequence()).isEqualTo(3);

    queue.reconfigure(changes -> changes.set(QueueOptions.MAX_MESSAGES, null));
    publish(20);
    assertThat(queue.subscriber("slow").stats().lag()).isEqualTo(28);
  }

  @Test
  void shouldCountBytesFromWhenTheyAreLimited() {
    queue = builder().open();
    queue.subscriber(SubscriberConfig.builder("slow").ack(true).build());
    publish(100);

    queue.reconfigure(changes -> changes.set(QueueOptions.MAX_BYTES, 100L));
    assertThatThrownBy(() -> publish(1)).isInstanceOf(QueueFullException.class);

    queue.reconfigure(changes -> changes.set(QueueOptions.MAX_BYTES, 1L << 20));
    publish(100);
  }

  @Test
  void shouldRemoveByARetentionThatIsSetWhileItRuns() {
    queue = builder().recycle(SizeBasedRecycle.ofMessages(10)).open();
    publish(35);

    queue.reconfigure(changes -> changes.set(QueueOptions.RETENTION_MESSAGES, 10L));

    await().until(() -> queue.stats().firstSequence() == 20);
  }

  @Test
  void shouldDeliverAgainAfterTheNewTimeout() {
    queue = builder().open();
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    publish(2);
    queue.reconfigure(
        changes ->
            changes.subscriber("billing", SubscriberOptions.ACK_TIMEOUT, Duration.ofSeconds(5)));

    assertThat(billing.next().attempt()).isEqualTo(1);
    time.advance(Duration.ofSeconds(6));
    assertThat(billing.next().attempt()).isEqualTo(2);
    assertThat(billing.config().ackTimeout()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void shouldWaitByTheNewBackoff() {
    queue = builder().open();
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    publish(1);
    queue.reconfigure(
        changes ->
            changes.subscriber(
                "billing", SubscriberOptions.BACKOFF, Backoff.fixed(Duration.ofMinutes(1))));

    billing.next().nack();
    time.advance(Duration.ofSeconds(59));
    assertThat(billing.next()).isNull();
    time.advance(Duration.ofSeconds(2));
    assertThat(billing.next().attempt()).isEqualTo(2);
  }

  @Test
  void shouldWakeAConsumerThatWaitedForRoomInFlight() {
    queue = builder().open();
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).maxInFlight(1).build());
    publish(2);
    Delivery<String> first = billing.next();
    CompletableFuture<List<Delivery<String>>> second = billing.batchAsync(1, Duration.ofHours(1));
    assertThat(second).isNotDone();

    queue.reconfigure(
        changes -> changes.subscriber("billing", SubscriberOptions.MAX_IN_FLIGHT, 2L));

    assertThat(second.join()).hasSize(1);
    billing.ack(second.join());
    first.ack();
    assertThat(billing.stats().lag()).isZero();
  }

  @Test
  void shouldKeepWhatChangesOfASubscriberOpenOrClosed() {
    queue = builder().open();
    queue.subscriber(SubscriberConfig.builder("open").ack(true).build());
    queue.subscriber(SubscriberConfig.builder("closed").ack(true).build()).close();

    queue.reconfigure(
        changes ->
            changes
                .subscriber("open", SubscriberOptions.DEAD_LETTER_LIMIT, 7L)
                .subscriber("closed", SubscriberOptions.BATCH_SIZE, 9L));
    assertThat(queue.subscriber("closed").config().batchSize()).isEqualTo(9);
    queue.close();

    queue = builder().open();
    assertThat(queue.subscriber("open").config().deadLetterLimit()).isEqualTo(7);
    assertThat(queue.subscriber("closed").config().batchSize()).isEqualTo(9);
  }

  @Test
  void shouldChangeNothingIfOneChangeCannotBe() {
    queue = builder().open();
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());

    assertThatThrownBy(
            () ->
                queue.reconfigure(
                    changes ->
                        changes
                            .set(QueueOptions.MAX_MESSAGES, 1L)
                            .subscriber("billing", SubscriberOptions.WINDOW, 9L)
                            .subscriber("billing", SubscriberOptions.MAX_IN_FLIGHT, 0L)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("subscriber billing: subscriber.max.in.flight is 0; 1 to 1048576 are allowed");
    assertThatThrownBy(
            () ->
                queue.reconfigure(
                    changes ->
                        changes
                            .set(QueueOptions.MAX_MESSAGES, 1L)
                            .subscriber("none", SubscriberOptions.WINDOW, 9L)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("none");
    assertThatThrownBy(
            () ->
                queue.reconfigure(
                    changes -> changes.set(QueueOptions.SYNC_INTERVAL, Duration.ZERO)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.sync.interval");

    publish(3);
    assertThat(billing.config().window()).isEqualTo(262_144);
  }

  private static Stream<Option<?>> options() {
    return Stream.of(QueueOptions.TABLE, SubscriberOptions.TABLE)
        .flatMap(table -> table.rows().stream());
  }

  /** Each option may change that says so, and no other. */
  @ParameterizedTest
  @MethodSource("options")
  void shouldChangeTheOptionsThatSayThatTheyMay(Option<?> option) {
    queue = builder().backup(directory.resolve("backup"), Duration.ofDays(1)).open();
    queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    OptionTable table =
        option.name().startsWith("subscriber.") ? SubscriberOptions.TABLE : QueueOptions.TABLE;

    if (option.change() == Option.Change.RUNNING) {
      queue.reconfigure(changes -> set(changes, table, option));
    } else {
      assertThatThrownBy(() -> queue.reconfigure(changes -> set(changes, table, option)))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageStartingWith(option.name() + " cannot change while the queue runs");
    }
  }

  private static <T> void set(Changes changes, OptionTable table, Option<T> option) {
    if (table == QueueOptions.TABLE) {
      changes.set(option, option.dflt());
    } else {
      changes.subscriber("billing", option, option.dflt());
    }
  }

  @Test
  void shouldFindASubscriberAgainThatIsClosedMeanwhile() throws Exception {
    queue = builder().open();
    for (int i = 1; i <= 50; i++) {
      long batch = i;
      Subscriber<String> billing = queue.subscriber("billing");
      Thread closing = new Thread(billing::close);
      closing.start();
      queue.reconfigure(
          changes -> changes.subscriber("billing", SubscriberOptions.BATCH_SIZE, batch));
      closing.join();
      assertThat(queue.subscriber("billing").config().batchSize()).isEqualTo(i);
    }
  }

  @Test
  void shouldNotChangeTheTableItself() {
    assertThatThrownBy(() -> QueueOptions.MAX_MESSAGES.dflt("7"))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> SubscriberOptions.TABLE.flag("subscriber.mine", true))
        .isInstanceOf(IllegalStateException.class);
    assertThat(QueueOptions.MAX_MESSAGES.dflt()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldRefuseAnOptionOfTheOtherTableAndAQueueThatIsClosed() {
    queue = builder().open();

    assertThatThrownBy(
            () -> queue.reconfigure(changes -> changes.set(SubscriberOptions.WINDOW, 7L)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("subscriber.window is no option of a queue");
    assertThatThrownBy(() -> builder().set(SubscriberOptions.WINDOW, 7L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("subscriber.window is no option of a queue");
    queue.close();
    assertThatThrownBy(() -> queue.reconfigure(changes -> changes.set(QueueOptions.MAX_BYTES, 7L)))
        .isInstanceOf(QueueClosedException.class);
  }
}
