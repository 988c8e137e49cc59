package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was cancelled or removed comes no more, whoever reads, and also after a reopening. */
@Timeout(120)
class RemovalTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue<String> open(UnaryOperator<MessageQueue.Builder<String>> more) {
    if (queue != null) {
      queue.close();
    }
    queue =
        more.apply(
                MessageQueue.builder("orders", MessageConverter.utf8())
                    .directory(directory.resolve("data"))
                    .timeSource(time))
            .open();
    return queue;
  }

  private MessageQueue<String> open() {
    return open(builder -> builder);
  }

  private Subscriber<String> subscriber(String name) {
    return queue.subscriber(SubscriberConfig.builder(name).ack(true).build());
  }

  private void publish(int from, int end) {
    for (int i = from; i < end; i++) {
      queue.publisher().publish(Message.of("m" + i).withKey("k" + i % 3));
    }
  }

  private static List<String> takeAll(Subscriber<String> subscriber) {
    List<String> taken = new ArrayList<>();
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      taken.add(next.data());
      next.ack();
    }
    return taken;
  }

  @Test
  void shouldNotDeliverACancelledMessageToAnySubscriber() {
    open();
    Subscriber<String> acknowledging = subscriber("a");
    Subscriber<String> plain = queue.subscriber("b");
    Subscriber<String> byKey =
        queue.subscriber(SubscriberConfig.builder("c").ack(true).order(Order.KEY).build());
    publish(0, 6);
    assertThat(queue.tryCancel(0)).isEqualTo(CancelResult.CANCELLED);
    assertThat(queue.tryCancel(3)).isEqualTo(CancelResult.CANCELLED);
    assertThat(queue.tryCancel(3)).isEqualTo(CancelResult.NOT_WAITING);
    assertThat(queue.tryCancel(6)).isEqualTo(CancelResult.NOT_WAITING);
    assertThat(acknowledging.stats().lag()).isEqualTo(4);
    assertThat(byKey.peek(10)).extracting(Delivery::data).containsExactly("m1", "m2");
    for (Subscriber<String> each : List.of(acknowledging, plain)) {
      assertThat(each.peek(10)).extracting(Delivery::data).containsExactly("m1", "m2", "m4", "m5");
    }
    assertThat(takeAll(acknowledging)).containsExactly("m1", "m2", "m4", "m5");
    assertThat(plain.next().data()).isEqualTo("m1");
    assertThat(takeAll(byKey)).containsExactly("m1", "m2", "m4", "m5");
    assertThat(acknowledging.stats().removed()).isEqualTo(2);
    assertThat(acknowledging.stats().ackFloor()).isEqualTo(6);
    assertThat(queue.stats().removed()).isEqualTo(2);
  }

  @Test
  void shouldShowNoRemovedMessageInViews() throws InterruptedException {
    open();
    Subscriber<String> views = subscriber("a");
    publish(0, 200);
    for (int i = 0; i < 200; i += 2) {
      queue.tryCancel(i);
    }
    List<String> seen = new ArrayList<>();
    while (seen.size() < 100) {
      views.consume(
          1000,
          Duration.ofSeconds(5),
          view -> {
            seen.add(view.data(MessageConverter.utf8()));
            return Action.ACK;
          });
    }
    assertThat(seen).hasSize(100).startsWith("m1", "m3").endsWith("m199");
    assertThat(views.stats().lag()).isZero();
  }

  @Test
  void shouldAnswerThatAMessageIsInFlightWhichComesNoMore() {
    open();
    Subscriber<String> subscriber = subscriber("a");
    publish(0, 4);
    Delivery<String> first = subscriber.next();
    Delivery<String> second = subscriber.next();
    assertThat(queue.tryCancel(0)).isEqualTo(CancelResult.IN_FLIGHT);
    assertThat(queue.tryCancel(1)).isEqualTo(CancelResult.IN_FLIGHT);
    first.nack();
    second.ack();
    Delivery<String> third = subscriber.next();
    assertThat(third.data()).isEqualTo("m2");
    assertThat(queue.tryCancel(2)).isEqualTo(CancelResult.IN_FLIGHT);
    time.advance(subscriber.config().ackTimeout().plusSeconds(1));
    assertThat(takeAll(subscriber)).containsExactly("m3");
    assertThat(subscriber.stats().ackFloor()).isEqualTo(4);
    assertThat(queue.tryCancel(3)).isEqualTo(CancelResult.NOT_WAITING);
    assertThat(queue.read(3)).isPresent();
  }

  @Test
  void shouldCompleteWhatWaitsForAFurtherDelivery() {
    open();
    Subscriber<String> subscriber = subscriber("a");
    publish(0, 2);
    subscriber.next().nack(Duration.ofHours(1));
    subscriber.next().release();
    assertThat(queue.tryCancel(0)).isEqualTo(CancelResult.CANCELLED);
    assertThat(queue.tryCancel(1)).isEqualTo(CancelResult.CANCELLED);
    assertThat(subscriber.stats().ackFloor()).isEqualTo(2);
    assertThat(subscriber.next()).isNull();
  }

  @Test
  void shouldMakeNoDeadLetterOfWhatWasCancelled() {
    open();
    Subscriber<String> subscriber =
        queue.subscriber(SubscriberConfig.builder("a").ack(true).maxDeliveries(1).build());
    publish(0, 2);
    subscriber.next();
    assertThat(queue.tryCancel(0)).isEqualTo(CancelResult.IN_FLIGHT);
    time.advance(subscriber.config().ackTimeout().plusSeconds(1));
    subscriber.next().ack();
    await().until(() -> subscriber.stats().ackFloor() == 2);
    assertThat(subscriber.stats().dead()).isZero();
    assertThat(subscriber.deadLetters().peek(1)).isEmpty();
  }

  @Test
  void shouldHideACancelledMessageFromReaders() {
    open(builder -> builder.keyIndex(true));
    subscriber("a");
    publish(0, 6);
    queue.tryCancel(2);
    queue.tryCancel(3);
    queue.tryCancel(5);
    assertThat(queue.read(2)).isEmpty();
    assertThat(queue.read(4)).isPresent();
    assertThat(queue.read(0, 10)).extracting(Delivery::data).containsExactly("m0", "m1", "m4");
    assertThat(queue.read(2, 1)).extracting(Delivery::data).containsExactly("m4");
    assertThat(queue.latest("k1")).get().extracting(Delivery::data).isEqualTo("m4");
    assertThat(queue.latest("k2")).isEmpty();
  }

  @Test
  void shouldKeepWhatWasCancelledAcrossAReopening() {
    open();
    Subscriber<String> subscriber = subscriber("a");
    publish(0, 5);
    Delivery<String> taken = subscriber.next();
    assertThat(taken.data()).isEqualTo("m0");
    assertThat(queue.tryCancel(0)).isEqualTo(CancelResult.IN_FLIGHT);
    assertThat(queue.tryCancel(1)).isEqualTo(CancelResult.CANCELLED);
    assertThat(queue.tryCancel(3)).isEqualTo(CancelResult.CANCELLED);
    open();
    assertThat(queue.stats().removed()).isEqualTo(3);
    assertThat(takeAll(subscriber("a"))).containsExactly("m2", "m4");
    assertThat(takeAll(subscriber("later"))).containsExactly("m2", "m4");
    publish(5, 7);
    assertThat(takeAll(subscriber("a"))).containsExactly("m5", "m6");
  }

  @Test
  void shouldNeverDeliverACancelledDelayedMessage() {
    open();
    Subscriber<String> subscriber = subscriber("a");
    queue.publisher().publish(Message.of("late").deliverAfter(Duration.ofMinutes(1)));
    queue.publisher().publish(Message.of("later").deliverAfter(Duration.ofMinutes(2)));
    queue.publisher().publish(Message.of("latest").deliverAfter(Duration.ofMinutes(3)));
    assertThat(queue.tryCancel(0)).isEqualTo(CancelResult.CANCELLED);
    time.advance(Duration.ofSeconds(150));
    await().until(() -> queue.stats().nextSequence() == 4);
    assertThat(queue.tryCancel(1)).isEqualTo(CancelResult.CANCELLED); // its copy
    assertThat(subscriber.next()).isNull();
    open();
    time.advance(Duration.ofSeconds(60));
    Subscriber<String> again = subscriber("a");
    await().until(() -> queue.stats().nextSequence() == 5);
    Delivery<String> last = again.next();
    assertThat(last.data()).isEqualTo("latest");
    assertThat(queue.tryCancel(2)).isEqualTo(CancelResult.IN_FLIGHT);
    last.release();
    assertThat(again.next()).isNull();
    assertThat(queue.stats().delayed()).isZero();
  }

  @Test
  void shouldNotCountACancelledMessageAsExpired() {
    open(builder -> builder.maxAge(Duration.ofMinutes(1), null));
    Subscriber<String> subscriber = subscriber("a");
    publish(0, 3);
    queue.tryCancel(1);
    time.advance(Duration.ofMinutes(2));
    await().until(() -> subscriber.stats().ackFloor() == 3);
    assertThat(subscriber.stats().expired()).isEqualTo(2);
    assertThat(subscriber.stats().removed()).isEqualTo(1);
  }

  @Test
  void shouldForgetWhatIsInNoBlockAnyMore() throws IOException {
    open(builder -> builder.recycle(SizeBasedRecycle.ofMessages(10)));
    Subscriber<String> subscriber = subscriber("a");
    publish(0, 35);
    for (int i = 0; i < 35; i += 2) {
      queue.tryCancel(i);
    }
    assertThat(queue.stats().removed()).isEqualTo(18);
    assertThat(takeAll(subscriber)).hasSize(17);
    await()
        .until(
            () -> {
              time.advance(Duration.ofSeconds(1));
              return queue.stats().firstSequence() == 30 && queue.stats().removed() == 3;
            });
    open();
    queue.force();
    assertThat(queue.stats().removed()).isEqualTo(3);
    assertThat(files()).hasSize(1);
  }

  @Test
  void shouldDropWhatIsBeyondTheLogAfterAPowerLoss() throws IOException {
    open();
    publish(0, 3);
    queue.tryCancel(1);
    Path device = directory.resolve("device");
    assertThat(KilledCopy.of(directory.resolve("data"), device)).isTrue();
    publish(3, 6);
    queue.tryCancel(4);
    queue.close();
    Files.copy(
        files().get(0),
        device.resolve("orders/removed").resolve(files().get(0).getFileName()),
        StandardCopyOption.REPLACE_EXISTING);
    for (int round = 0; round < 2; round++) { // the second one finds no trace of it
      queue = MessageQueue.builder("orders", MessageConverter.utf8()).directory(device).open();
      assertThat(queue.stats().nextSequence()).isEqualTo(3 + 3 * round);
      if (round == 0) {
        publish(10, 13);
      }
      Subscriber<String> all = subscriber("all" + round);
      assertThat(takeAll(all)).containsExactly("m0", "m2", "m10", "m11", "m12");
      queue.close();
    }
  }

  @Test
  void shouldHaveNoFileBeforeSomethingIsRemoved() throws IOException {
    open();
    publish(0, 3);
    open();
    assertThat(directory.resolve("data/orders/removed")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"30, m6", "5, m8"}) // in the last record but one, and in the last
  void shouldReportDamageAndDeliverAgain(int fromEnd, String again) throws IOException {
    open(builder -> builder.durability(Durability.DISK));
    publish(0, 10);
    for (int i = 0; i < 10; i += 2) {
      queue.tryCancel(i);
    }
    queue.close();
    Path file = files().get(0);
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - fromEnd] ^= 1;
    Files.write(file, bytes);
    try (CapturedLog captured = new CapturedLog("com.wookler.river")) {
      open();
      assertThat(captured.lines())
          .anyMatch(line -> line.contains("messages that were removed may come again"));
    }
    assertThat(takeAll(subscriber("a")))
        .containsExactlyInAnyOrder("m1", "m3", "m5", "m7", "m9", again);
    assertThat(files()).hasSize(2).anyMatch(path -> path.toString().endsWith(".damaged"));
    queue.close();
    for (Path each : files()) {
      Files.delete(each);
    }
    try (CapturedLog captured = new CapturedLog("com.wookler.river")) {
      open();
      assertThat(captured.lines()).anyMatch(line -> line.contains("removed has no file"));
    }
  }

  @Test
  void shouldTakeATornEndAsAKillLeavesIt() throws IOException {
    open();
    publish(0, 4);
    queue.tryCancel(0);
    queue.tryCancel(2);
    queue.close();
    Path file = files().get(0);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 3));
    try (CapturedLog captured = new CapturedLog("com.wookler.river")) {
      open();
      assertThat(captured.lines()).noneMatch(line -> line.contains("removed"));
    }
    assertThat(takeAll(subscriber("a"))).containsExactly("m1", "m2", "m3");
    subscriber("b");
    queue.tryCancel(3);
    open();
    assertThat(queue.stats().removed()).isEqualTo(2);
  }

  @Test
  void shouldCancelTheLastMessageOfAnId() {
    open(builder -> builder.deduplicate(Duration.ofHours(1)));
    Subscriber<String> subscriber = subscriber("a");
    queue.publisher().publish(Message.of("m0").withId("i0"));
    queue.publisher().publish(Message.of("m1").withId("i1"));
    assertThat(queue.tryCancelById("i1")).isEqualTo(CancelResult.CANCELLED);
    assertThat(queue.tryCancelById("i1")).isEqualTo(CancelResult.NOT_WAITING);
    assertThat(queue.tryCancelById("other")).isEqualTo(CancelResult.NOT_WAITING);
    assertThat(queue.publisher().put(Message.of("m1").withId("i1"), Durability.MEMORY).duplicate())
        .isTrue();
    assertThat(takeAll(subscriber)).containsExactly("m0");
    open();
    assertThatThrownBy(() -> queue.tryCancelById("i0"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.deduplicate");
  }

  @Test
  void shouldCancelAllOfAKeyThatWait() {
    open(builder -> builder.recycle(SizeBasedRecycle.ofMessages(5)));
    Subscriber<String> subscriber = subscriber("a");
    queue
        .publisher()
        .publish(Message.of("late").withKey("k1").deliverAfter(Duration.ofMinutes(10)));
    publish(1, 5);
    assertThat(takeAll(subscriber)).hasSize(4);
    await()
        .until(
            () -> {
              time.advance(Duration.ofSeconds(1));
              return queue.stats().firstSequence() == 5;
            });
    publish(5, 12);
    subscriber.next();
    queue
        .publisher()
        .publish(Message.of("later").withKey("k1").deliverAfter(Duration.ofMinutes(10)));
    assertThat(queue.tryCancelByKey("k1")).isEqualTo(CancelResult.CANCELLED);
    assertThat(queue.tryCancelByKey("k2")).isEqualTo(CancelResult.IN_FLIGHT);
    assertThat(queue.tryCancelByKey("k1")).isEqualTo(CancelResult.NOT_WAITING);
    time.advance(Duration.ofMinutes(20));
    await().until(() -> queue.stats().delayed() == 0);
    assertThat(takeAll(subscriber)).containsExactly("m6", "m9");
  }

  @Test
  void shouldReplaceAMessageByItsId() {
    open(builder -> builder.deduplicate(Duration.ofHours(1)).maxMessages(3));
    Subscriber<String> subscriber = subscriber("a");
    for (int i = 0; i < 3; i++) {
      queue.publisher().publish(Message.of("m" + i).withId("i" + i));
    }
    assertThat(queue.tryReplace("i1", Message.of("new 1")))
        .isEqualTo(new ReplaceResult(CancelResult.CANCELLED, 3));
    assertThat(queue.tryReplace("i1", Message.of("newer 1")))
        .isEqualTo(new ReplaceResult(CancelResult.CANCELLED, 4));
    assertThat(queue.tryReplace("none", Message.of("nothing")))
        .isEqualTo(new ReplaceResult(CancelResult.NOT_WAITING, -1));
    Delivery<String> first = subscriber.next();
    assertThat(queue.tryReplace("i0", Message.of("new 0")))
        .isEqualTo(new ReplaceResult(CancelResult.IN_FLIGHT, 5));
    first.nack();
    open(builder -> builder.deduplicate(Duration.ofHours(1)));
    assertThat(takeAll(subscriber("a"))).containsExactly("m2", "newer 1", "new 0");
    assertThat(queue.publisher().put(Message.of("m1").withId("i1"), Durability.MEMORY).sequence())
        .isEqualTo(4);
  }

  @Test
  void shouldHaveReplacedBothOrNeitherWhereAKillComesBetween() throws IOException {
    open();
    publish(0, 2);
    List<Path> copies = new ArrayList<>();
    for (boolean stored : new boolean[] {false, true}) {
      Path copy = directory.resolve("killed-" + stored);
      assertThatThrownBy(
              () ->
                  queue
                      .running()
                      .removal()
                      .replace(
                          1,
                          () -> {
                            if (stored) {
                              storeInPlaceOf(1);
                            }
                            copy(copy);
                            throw new IllegalStateException("killed");
                          }))
          .hasMessage("killed");
      copies.add(copy);
    }
    queue.close();
    for (Path copy : copies) {
      for (int round = 0; round < 2; round++) {
        queue = MessageQueue.builder("orders", MessageConverter.utf8()).directory(copy).open();
        assertThat(takeAll(subscriber("all" + round)))
            .containsExactly("m0", copy.endsWith("killed-true") ? "new" : "m1");
        queue.close();
      }
    }
  }

  private void storeInPlaceOf(long sequence) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.document().start();
    byte[] data = "new".getBytes(StandardCharsets.UTF_8);
    buffer
        .document()
        .addReplacing(data, Message.of(data), new ForwardOrigin(queue.identity(), sequence));
    queue.running().log().append(buffer, time.epochMicros());
    buffer.document().finish();
  }

  private void copy(Path to) {
    try {
      assertThat(KilledCopy.of(directory.resolve("data"), to)).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldReplaceADelayedMessageByASoonerOne() {
    open();
    Subscriber<String> subscriber = subscriber("a");
    queue.publisher().publish(Message.of("late").deliverAfter(Duration.ofHours(1)));
    Message<String> sooner = Message.of("sooner").deliverAfter(Duration.ofMinutes(1));
    assertThat(queue.tryReplace(0, sooner)).isEqualTo(new ReplaceResult(CancelResult.CANCELLED, 1));
    time.advance(Duration.ofHours(2));
    await().until(() -> queue.stats().nextSequence() == 3);
    assertThat(takeAll(subscriber)).containsExactly("sooner");
  }

  @Test
  void shouldKeepTheOldMessageWhereTheNewOneIsRefused() {
    open(builder -> builder.maxMessageBytes(1_000));
    Subscriber<String> subscriber = subscriber("a");
    publish(0, 1);
    assertThatThrownBy(() -> queue.tryReplace(0, Message.of("x".repeat(2_000))))
        .isInstanceOf(MessageTooLargeException.class);
    open();
    assertThat(takeAll(subscriber("a"))).containsExactly("m0");
    assertThat(subscriber.name()).isEqualTo("a");
  }

  @Test
  void shouldExemptNoOtherPublishOfTheThreadFromLimitsAndStatus() {
    open(builder -> builder.set(QueueOptions.MAX_MESSAGES, 2L));
    Subscriber<String> subscriber = subscriber("a");
    publish(0, 2);
    assertThat(queue.tryReplace(0, Message.of("new")))
        .isEqualTo(new ReplaceResult(CancelResult.CANCELLED, 2));
    assertThatThrownBy(() -> queue.publisher().publish("more"))
        .isInstanceOf(QueueFullException.class);
    assertThat(takeAll(subscriber)).containsExactly("m1", "new");
    queue.status(QueueStatus.READ_ONLY);
    assertThatThrownBy(() -> queue.publisher().publish("more"))
        .isInstanceOf(QueueStatusException.class);
  }

  @Test
  void shouldPassRemovedMessagesForASubscriberThatMovedBackAndIsNotPolled() {
    open(builder -> builder.syncInterval(Duration.ofMillis(5)));
    Subscriber<String> subscriber = subscriber("a");
    queue.publisher().publish(Message.of("m0").expiresAfter(Duration.ofSeconds(1)));
    publish(1, 3);
    time.advance(Duration.ofSeconds(2));
    await().until(() -> subscriber.stats().expired() == 1); // and m1 was looked at, too
    subscriber.seek(Position.latest());
    assertThat(queue.delete(1, 3)).isEqualTo(2);
    subscriber.seek(Position.sequence(1));
    await().until(() -> subscriber.stats().lag() == 0);
  }

  @Test
  void shouldCountWhatWasRemovedOnceAfterAReopening() {
    open();
    publish(0, 10);
    Subscriber<String> billing = subscriber("billing");
    billing.next();
    for (int i = 1; i < 5; i++) {
      assertThat(queue.cancel(i)).isTrue();
    }
    assertThat(billing.next().data()).isEqualTo("m5"); // so those are completed in its files
    assertThat(queue.cancel(8)).isTrue();
    assertThat(billing.stats().lag()).isEqualTo(5);
    open();
    assertThat(subscriber("billing").stats().lag()).isEqualTo(5);
    assertThat(subscriber("billing").next().data()).isEqualTo("m0");
    assertThat(subscriber("billing").stats().lag()).isEqualTo(5);
    assertThat(subscriber("billing").purge()).isEqualTo(5);
  }

  @Test
  void shouldTellHowManyWereCancelled() {
    open(builder -> builder.deduplicate(Duration.ofHours(1)));
    Subscriber<String> subscriber = subscriber("a");
    queue.publisher().publish(Message.of("m0").withId("i0").withKey("k"));
    queue.publisher().publish(Message.of("m1").withId("i1").withKey("k"));
    queue.publisher().publish(Message.of("m2").withKey("k").deliverAfter(Duration.ofHours(1)));
    queue.publisher().publish(Message.of("m3").withId("i3"));
    assertThat(queue.cancel(0)).isTrue();
    assertThat(queue.cancel(0)).isFalse();
    assertThat(queue.cancelById("i0")).isZero();
    assertThat(queue.cancelByKey("k")).isEqualTo(2);
    assertThat(queue.cancelByKey("k")).isZero();
    assertThat(queue.replace("i3", Message.of("new"))).isTrue();
    assertThat(queue.replace("i1", Message.of("newer"))).isFalse();
    assertThat(takeAll(subscriber)).containsExactly("new");
  }

  @Test
  void shouldDeleteARangeForAll() {
    open();
    Subscriber<String> subscriber = subscriber("a");
    publish(0, 10);
    for (int i = 0; i < 4; i++) {
      subscriber.next().ack();
    }
    assertThat(queue.delete(2, 6)).isEqualTo(4);
    assertThat(queue.delete(5, 7)).isEqualTo(1);
    assertThat(queue.delete(9, 100)).isEqualTo(1);
    assertThat(queue.delete(100, 200)).isZero();
    assertThat(takeAll(subscriber)).containsExactly("m7", "m8");
    assertThat(queue.read(0, 10))
        .extracting(Delivery::data)
        .containsExactly("m0", "m1", "m7", "m8");
    assertThat(takeAll(subscriber("b"))).containsExactly("m0", "m1", "m7", "m8");
  }

  @Test
  void shouldTrimWholeBlocksAndTheRestExactly() {
    open(
        builder ->
            builder
                .recycle(SizeBasedRecycle.ofMessages(10))
                .backup(directory.resolve("backup"), Duration.ZERO));
    Subscriber<String> open = subscriber("open");
    subscriber("closed").close();
    publish(0, 45);
    assertThat(open.next().data()).isEqualTo("m0");
    assertThat(queue.trim(Trim.before(25))).isEqualTo(25);
    assertThat(open.stats().discarded()).isEqualTo(25);
    await()
        .until(
            () -> {
              queue.force();
              return queue.stats().firstSequence() == 20;
            });
    assertThat(queue.stats().backups()).isZero();
    assertThat(queue.stats().discarded()).isEqualTo(50);
    assertThat(queue.read(24)).isEmpty();
    assertThat(takeAll(open)).hasSize(20).startsWith("m25");
    assertThat(takeAll(subscriber("closed"))).hasSize(20).startsWith("m25");
    assertThat(takeAll(subscriber("new"))).hasSize(20).startsWith("m25");
  }

  @Test
  void shouldTrimWhatIsDelayedAndNothingInABackup() {
    open(
        builder ->
            builder
                .recycle(SizeBasedRecycle.ofMessages(10))
                .backup(directory.resolve("backup"), Duration.ofDays(1)));
    Subscriber<String> subscriber = subscriber("a");
    queue.publisher().publish(Message.of("later").deliverAfter(Duration.ofHours(1)));
    publish(1, 25);
    assertThat(takeAll(subscriber)).hasSize(24);
    await()
        .until(
            () -> {
              queue.force();
              return queue.stats().firstSequence() == 20;
            });
    assertThat(queue.trim(Trim.before(22))).isEqualTo(3);
    assertThat(queue.read(0, 100)).extracting(Delivery::data).startsWith("m1").hasSize(22);
    time.advance(Duration.ofHours(1));
    publish(25, 26);
    assertThat(takeAll(subscriber)).containsExactly("m25");
  }

  @Test
  void shouldTrimByAgeThoughTheClockWasSetBack() {
    open();
    publish(0, 1);
    time.stepWall(Duration.ofDays(-1));
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(200));
              return Files.exists(directory.resolve("data/orders/log/clock"));
            });
    publish(1, 2);
    time.advance(Duration.ofMinutes(30));
    publish(2, 3);
    time.advance(Duration.ofMinutes(31));
    assertThat(queue.trim(Trim.olderThan(Duration.ofHours(1)))).isEqualTo(2);
  }

  @Test
  void shouldTrimByAgeNumberAndBytes() {
    open(builder -> builder.recycle(SizeBasedRecycle.ofMessages(10)));
    publish(0, 10);
    time.advance(Duration.ofHours(2));
    publish(10, 45);
    assertThat(queue.trim(Trim.olderThan(Duration.ofHours(1)))).isEqualTo(10);
    assertThat(queue.trim(Trim.toCount(32))).isEqualTo(3);
    await()
        .until(
            () -> {
              queue.force();
              return queue.stats().firstSequence() == 10;
            });
    assertThat(queue.trim(Trim.toBytes(Long.MAX_VALUE))).isZero();
    assertThat(queue.trim(Trim.toBytes(1))).isEqualTo(27);
    assertThat(takeAll(subscriber("new"))).hasSize(5).startsWith("m40");
    assertThat(queue.trim(Trim.toCount(0))).isEqualTo(5);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(directory.resolve("data/orders/removed"))) {
      return all.sorted().toList();
    }
  }
}
