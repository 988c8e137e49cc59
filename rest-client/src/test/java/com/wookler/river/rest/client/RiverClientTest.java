package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client's verbs at a server. */
@Timeout(120)
class RiverClientTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;

  private RiverServer server;
  private RiverClient client;
  private RemoteQueue orders;
  private RemoteSubscriber billing;

  @BeforeEach
  void start() {
    server =
        RiverServer.builder()
            .port(0)
            .directory(directory.resolve("queues"))
            .backupDirectory(directory.resolve("backups"))
            .snapshotDirectory(directory.resolve("snapshots"))
            .start();
    client = RiverClient.builder("http://127.0.0.1:" + server.port()).build();
    orders = client.queue("orders");
    billing = client.subscriber("orders", "billing");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void shouldPublishTakeAndAcknowledge() throws Exception {
    assertThat(orders.publish("order 1")).isZero();

    RemoteDelivery delivery = billing.next(SOON);
    assertThat(delivery.text()).isEqualTo("order 1");
    assertThat(delivery.sequence()).isZero();
    assertThat(delivery.attempt()).isOne();
    assertThat(delivery.publishedAt()).isAfter(Instant.EPOCH);
    delivery.ack();
    delivery.ack(); // repeating it is harmless

    assertThat(billing.next()).isNull();
    assertThat(billing.stats().lag()).isZero();
    assertThat(billing.stats().acked()).isOne();
  }

  @Test
  void shouldDeliverAtATimeAndReadByKey() throws Exception {
    orders.create(QueueSettings.builder().keyIndex(true).build());
    Instant at = Instant.now().plusMillis(400);
    orders.publish(NewMessage.text("later").withKey("k").deliverAt(at));
    orders.publishAll(
        List.of(
            NewMessage.text("a").withKey("k"),
            NewMessage.text("b").withKey("other"),
            NewMessage.text("c").withKey("k").deliverAt(Instant.EPOCH),
            NewMessage.text("far").withKey("k").deliverAt(at.plusSeconds(3_600))));
    assertThat(orders.messages("k", 0, 9))
        .extracting(StoredMessage::text)
        .containsExactly("a", "c");
    assertThat(orders.messages("k", 2, 9)).extracting(StoredMessage::text).containsExactly("c");
    assertThat(billing.next(SOON).text()).isEqualTo("a");
    assertThat(billing.next(SOON).text()).isEqualTo("b");
    assertThat(billing.next(SOON).text()).isEqualTo("c");
    assertThat(billing.next(SOON).text()).isEqualTo("later");
    assertThat(Instant.now()).isAfterOrEqualTo(at.minusMillis(1));
    assertThatThrownBy(
            () -> orders.publish(NewMessage.text("x").deliverAt(at.plus(Duration.ofDays(400)))))
        .isInstanceOf(BadRequestException.class);
  }

  @Test
  void shouldAcknowledgeAndPublishAsOne() throws Exception {
    orders.publish("a");
    RemoteQueue parcels = client.queue("parcels");
    List<NewMessage> continued = List.of(NewMessage.text("a1").withKey("k"), NewMessage.text("a2"));
    RemoteDelivery delivery = billing.next(SOON);
    delivery.ackAndPublish(parcels, continued);
    delivery.ackAndPublish(parcels, continued); // repeating it is harmless
    assertThat(billing.stats().lag()).isZero();
    assertThat(parcels.messages(0, 9)).extracting(StoredMessage::text).containsExactly("a1", "a2");
    orders.publish("b");
    RemoteDelivery stale = billing.next(SOON);
    stale.release();
    billing.next(SOON);
    assertThatThrownBy(() -> stale.ackAndPublish(parcels, continued))
        .isInstanceOf(StaleReceiptException.class);
    assertThat(parcels.messages(0, 9)).hasSize(2);
  }

  @Test
  void shouldPublishOnACondition() {
    orders.create(QueueSettings.builder().keyIndex(true).build());
    NewMessage first = NewMessage.text("a").withKey("k");
    assertThat(orders.putIfLatest(OptionalLong.empty(), first, Durability.MEMORY).first()).isZero();
    assertThatThrownBy(() -> orders.putIfLatest(OptionalLong.empty(), first, Durability.MEMORY))
        .isInstanceOfSatisfying(
            PreconditionFailedException.class, e -> assertThat(e.actual()).hasValue(0));
    assertThat(orders.putIfLatest(OptionalLong.of(0), first, Durability.MEMORY).first()).isOne();
    List<NewMessage> batch = List.of(NewMessage.text("b"), NewMessage.text("c"));
    assertThat(orders.putAllIf(2, batch, Durability.DISK).first()).isEqualTo(2);
    assertThatThrownBy(() -> orders.putAllIf(2, batch, Durability.DISK))
        .isInstanceOfSatisfying(
            PreconditionFailedException.class, e -> assertThat(e.actual()).hasValue(4));
    NewMessage other = NewMessage.text("d").withKey("other");
    assertThatThrownBy(() -> orders.putIfLatest(OptionalLong.of(0), other, Durability.MEMORY))
        .isInstanceOfSatisfying(
            PreconditionFailedException.class, e -> assertThat(e.actual()).isEmpty());
  }

  @Test
  void shouldCompact() throws Exception {
    orders.create(
        QueueSettings.builder()
            .keyIndex(true)
            .compact(true)
            .recycle(new QueueSettings.Recycle(10L, null, null))
            .build());
    for (int i = 0; i < 50; i++) {
      orders.publish(NewMessage.text("m" + i).withKey("k" + i % 2));
    }
    assertThat(orders.compact()).isEqualTo(48);
    assertThat(orders.compact()).isZero();
    assertThat(orders.messages(40, 10))
        .extracting(StoredMessage::text)
        .containsExactly("m48", "m49");
    assertThat(orders.latest("k1").orElseThrow().text()).isEqualTo("m49");
    assertThat(orders.info().stats().compacted()).isEqualTo(48);
  }

  @Test
  void shouldTakeMessagesBack() throws Exception {
    orders.create(QueueSettings.builder().build());
    billing.create(SubscriberSettings.builder().build());
    for (int i = 0; i < 10; i++) {
      orders.publish(NewMessage.text("m" + i).withId("i" + i).withKey("k" + i % 2));
    }
    assertThat(orders.cancel(1)).isEqualTo(CancelResult.CANCELLED);
    assertThat(orders.cancel(1)).isEqualTo(CancelResult.NOT_WAITING);
    assertThat(orders.cancelById("i2")).isEqualTo(CancelResult.CANCELLED);
    assertThat(orders.replace(3, NewMessage.text("new 3")))
        .isEqualTo(new Replaced(CancelResult.CANCELLED, 10));
    assertThat(orders.replace("i4", NewMessage.text("new 4")))
        .isEqualTo(new Replaced(CancelResult.CANCELLED, 11));
    assertThat(orders.replace("none", NewMessage.text("none")))
        .isEqualTo(new Replaced(CancelResult.NOT_WAITING, -1));
    assertThat(orders.removeMessages(0, 2)).isOne();
    assertThat(orders.cancelByKey("k1")).isEqualTo(CancelResult.CANCELLED);
    assertThat(orders.trimBefore(7)).isOne();
    assertThat(orders.trimOlderThan(Duration.ofDays(1))).isZero();
    assertThat(orders.trimToBytes(1L << 40)).isZero();
    List<RemoteDelivery> left = billing.batch(10, SOON);
    assertThat(left).extracting(RemoteDelivery::text).containsExactly("m8", "new 3", "new 4");
    assertThat(orders.cancel(8)).isEqualTo(CancelResult.IN_FLIGHT);
    assertThat(orders.info().stats().removed()).isPositive();
    assertThat(orders.erase(8)).isGreaterThanOrEqualTo("m8".length());
    assertThat(orders.erase(8)).isZero();
    assertThat(orders.trimToMessages(0)).isEqualTo(2);
  }

  @Test
  void shouldEraseAList() {
    for (int i = 0; i < 10; i++) {
      orders.publish("m" + i);
    }
    EraseResult done = orders.erase(List.of(3L, 7L, 99L), SOON);
    assertThat(done.erased()).containsExactlyInAnyOrder(3L, 7L);
    assertThat(done.bytes()).isGreaterThanOrEqualTo(4);
    assertThat(orders.erase(List.of(3L, 4L), SOON).erased()).containsExactly(4L);
    assertThat(orders.messages(0, 3)).extracting(StoredMessage::text).contains("m0", "m1", "m2");
    assertThat(orders.message(7)).isEmpty();
  }

  @Test
  void shouldMakeASnapshotThatOpens() throws Exception {
    orders.create(QueueSettings.builder().build());
    billing.create(SubscriberSettings.builder().build());
    for (int i = 0; i < 10; i++) {
      orders.publish("m" + i);
    }
    billing.batch(3, SOON).forEach(RemoteDelivery::ack);

    SnapshotInfo made = orders.snapshot("before-7.2", SOON);
    orders.publish("later");

    assertThat(made.name()).isEqualTo("before-7.2");
    assertThat(made.firstSequence()).isZero();
    assertThat(made.nextSequence()).isEqualTo(10);
    assertThat(made.copiedBytes()).isPositive();
    assertThatThrownBy(() -> orders.snapshot("before-7.2", SOON))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("choose another name")
        .hasMessageNotContaining(directory.toString());
    try (RiverServer copy = RiverServer.open(fileOf(directory.resolve("snapshots/before-7.2")));
        RiverClient other = RiverClient.builder("http://127.0.0.1:" + copy.port()).build()) {
      assertThat(other.subscriber("orders", "billing").batch(10, SOON))
          .extracting(RemoteDelivery::text)
          .startsWith("m3")
          .endsWith("m9");
    }
  }

  /** Writes the file of a server that serves a queue as it is in a snapshot. */
  private Path fileOf(Path snapshot) throws IOException {
    String param = "<param name=\"%s\" value=\"%s\"/>";
    String server =
        param.formatted("server.queue.port", 0)
            + param.formatted("server.directory", directory.resolve("others"));
    String queue =
        param.formatted("queue.message.converter", "bytes")
            + param.formatted("queue.directory", snapshot);
    return Files.writeString(
        directory.resolve("river.xml"),
        "<river><server><params>"
            + server
            + "</params></server><queue name='orders'><params>"
            + queue
            + "</params></queue></river>");
  }

  @Test
  void shouldCarryWhateverAMessageHas() throws Exception {
    byte[] binary = {0, -1, (byte) 0xC3, 10, 13};
    NewMessage plain =
        NewMessage.of(binary).withKey("eu, west").withHeader("kind", "a b").withHeader("X", "up");
    NewMessage odd =
        NewMessage.text("zwölf\n\"").withKey("schlüssel").withHeader("bytes", binary).withId("ü1");
    orders.publish(plain);
    orders.publish(odd);
    orders.publish(NewMessage.json(List.of(1, 2)));

    List<RemoteDelivery> all = billing.batch(10, SOON);
    assertThat(all).hasSize(3);
    assertThat(all.get(0).data()).isEqualTo(binary);
    assertThat(all.get(0).key()).isEqualTo("eu, west");
    assertThat(all.get(0).header("kind")).isEqualTo("a b");
    assertThat(all.get(0).header("X")).isEqualTo("up");
    assertThat(all.get(1).text()).isEqualTo("zwölf\n\"");
    assertThat(all.get(1).key()).isEqualTo("schlüssel");
    assertThat(all.get(1).headers().get("bytes")).isEqualTo(binary);
    assertThat(all.get(2).json(int[].class)).containsExactly(1, 2);
    billing.ack(all);
    assertThat(billing.stats().lag()).isZero();
  }

  @Test
  void shouldCarryTheIdAndWhyAMessageFailedBefore() throws Exception {
    orders.publish(NewMessage.text("a").withId("id-a"));
    RemoteDelivery first = billing.next(SOON);
    assertThat(first.id()).isEqualTo("id-a");
    assertThat(first.previousFailure()).isNull();
    first.fail("no stock");

    RemoteDelivery second = billing.next(SOON);
    assertThat(second.previousFailure()).isEqualTo("no stock");
    assertThat(orders.message(0).orElseThrow().id()).isEqualTo("id-a");
    second.release();
    try (DeliveryStream stream =
        billing.stream(
            each -> {
              if ("no stock".equals(each.previousFailure())) {
                throw new IllegalStateException("sold out");
              }
              each.reject(String.valueOf(each.previousFailure()));
            })) {
      await().until(() -> billing.stats().dead() == 1);
      assertThat(stream).isNotNull();
    }
    assertThat(billing.deadLetters(1).messages().get(0).header("river.dead.reason"))
        .isEqualTo("java.lang.IllegalStateException: sold out");
  }

  @Test
  void shouldTellDuplicates() {
    NewMessage message = NewMessage.text("a").withId("one");
    assertThat(orders.put(message, Durability.DISK))
        .isEqualTo(new Published(0, Durability.DISK, false));
    assertThat(orders.put(message, Durability.DISK).duplicate()).isTrue();
    assertThat(orders.put(NewMessage.text("a"), Durability.MEMORY).duplicate()).isFalse();
    assertThatThrownBy(() -> orders.put(message.withKey("ü"), Durability.MEMORY))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(orders.publish(message.withKey("ü"))).isZero();
  }

  @Test
  void shouldTellTheDuplicatesOfABatch() {
    NewMessage known = NewMessage.text("a").withId("one");
    orders.publish(known);
    PublishedBatch batch =
        orders.putAll(List.of(NewMessage.text("b"), known, NewMessage.text("c")), Durability.DISK);

    assertThat(batch)
        .isEqualTo(new PublishedBatch(1, 3, List.of(new PublishedBatch.Duplicate(1, 0))));
  }

  @Test
  void shouldFilterByAnExpression() throws Exception {
    orders.create(QueueSettings.builder().build());
    billing.create(SubscriberSettings.builder().filterExpression("key == 'eu'").build());
    orders.publish(NewMessage.text("a").withKey("us"));
    orders.publish(NewMessage.text("b").withKey("eu"));

    assertThat(billing.next(SOON).text()).isEqualTo("b");
    assertThat(billing.info().settings().filterExpression()).isEqualTo("key == 'eu'");
  }

  @Test
  void shouldPublishBatches() throws Exception {
    List<NewMessage> batch =
        IntStream.range(0, 100).mapToObj(i -> NewMessage.text("m" + i)).toList();
    assertThat(orders.publishAll(batch)).isZero();
    assertThat(orders.publishAll(batch)).isEqualTo(100);
    CompletableFuture<Long> more = orders.publishAsync(NewMessage.text("last"), Durability.DISK);
    assertThat(more.get()).isEqualTo(200);
    assertThat(billing.batch(1_000, SOON)).hasSize(201);
    assertThatThrownBy(() -> orders.publishAll(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldFinishAllUpToADelivery() throws Exception {
    orders.create(QueueSettings.builder().build());
    billing.create(SubscriberSettings.builder().build());
    IntStream.range(0, 4).forEach(i -> orders.publish("m" + i));
    List<RemoteDelivery> all = billing.batch(4, SOON);
    billing.ackUpTo(all.get(2));
    billing.ackUpTo(all.get(2)); // repeating it is harmless
    assertThat(billing.stats().ackFloor()).isEqualTo(3);
    assertThatThrownBy(() -> all.get(0).release()).isInstanceOf(StaleReceiptException.class);
    all.get(3).ack();
    assertThat(billing.stats().lag()).isZero();
  }

  @Test
  void shouldDecideInEveryWay() throws Exception {
    orders.create(QueueSettings.builder().build());
    billing.create(
        SubscriberSettings.builder()
            .maxDeliveries(0)
            .deadLetterLimit(9)
            .deadLetterAge(Duration.ofDays(7))
            .build());
    assertThat(billing.info().settings().deadLetterLimit()).isEqualTo(9);
    assertThat(billing.info().settings().deadLetterAge()).isEqualTo(Duration.ofDays(7));
    IntStream.range(0, 5).forEach(i -> orders.publish("m" + i));
    List<RemoteDelivery> all = billing.batch(5, SOON);
    all.get(0).nack(Duration.ZERO);
    assertThat(billing.next(SOON).attempt()).isEqualTo(2);
    assertThatThrownBy(() -> all.get(0).ack()).isInstanceOf(StaleReceiptException.class);
    all.get(1).release();
    assertThat(billing.next(SOON).attempt()).isOne();
    all.get(2).extend(Duration.ofMinutes(5));
    all.get(2).ack();
    all.get(3).reject("no good");
    billing.nack(List.of(all.get(4)), Duration.ofHours(1));

    DeadLetters dead = billing.deadLetters(10);
    assertThat(dead.size()).isOne();
    assertThat(dead.messages().get(0).header("river.dead.reason")).isEqualTo("no good");
    assertThat(billing.redrive(10)).isOne();
    assertThat(billing.next(SOON).text()).isEqualTo("m3");
    assertThat(billing.purgeDeadLetters()).isZero();
    assertThat(
            billing.settle(
                List.of(all.get(2).receipt(), all.get(0).receipt(), "x"), Acknowledgement.ack()))
        .containsExactly(AckResult.OK, AckResult.STALE, AckResult.UNKNOWN);
  }

  @Test
  void shouldMoveASubscriber() throws Exception {
    IntStream.range(0, 3).forEach(i -> orders.publish("m" + i));
    billing.create(SubscriberSettings.builder().start(Position.earliest()).build());
    assertThat(billing.peek(2)).extracting(StoredMessage::text).containsExactly("m0", "m1");
    assertThat(billing.seek(Position.sequence(2)).stats().ackFloor()).isEqualTo(2);
    assertThat(billing.next(SOON).text()).isEqualTo("m2");
    billing.pause();
    billing.seek(Position.earliest());
    assertThat(billing.next()).isNull();
    billing.resume();
    assertThat(billing.purge()).isEqualTo(3);
    assertThat(billing.next()).isNull();
    billing.seek(Position.time(Instant.EPOCH));
    assertThat(billing.next(SOON).text()).isEqualTo("m0");
    billing.seek(Position.latest());
    billing.delete();
    assertThat(orders.subscribers()).isEmpty();
  }

  @Test
  void shouldMakeAndShowQueues() {
    QueueSettings settings =
        QueueSettings.builder()
            .durability(Durability.DISK)
            .maxMessages(2)
            .rejectWhenFull()
            .deduplicate(Duration.ofMinutes(2))
            .keyIndex(true)
            .recycle(new QueueSettings.Recycle(1_000L, null, Duration.ofHours(1)))
            .backup(Duration.ofDays(7))
            .build();
    assertThat(orders.create(settings).settings()).isEqualTo(settings);
    assertThat(orders.create(settings).state()).isEqualTo("RUNNING");
    assertThatThrownBy(() -> orders.create(QueueSettings.builder().build()))
        .isInstanceOf(ConflictException.class);
    orders.publish(NewMessage.text("a").withKey("k"));
    orders.publish(NewMessage.text("b").withKey("k"));
    assertThat(orders.info().stats().messages()).isEqualTo(2);
    assertThat(orders.message(1).orElseThrow().text()).isEqualTo("b");
    assertThat(orders.message(7)).isEmpty();
    assertThat(orders.messages(0, 10)).hasSize(2);
    assertThat(orders.messageAt(Instant.EPOCH).orElseThrow().text()).isEqualTo("a");
    assertThat(orders.latest("k").orElseThrow().text()).isEqualTo("b");
    assertThat(orders.latest("other")).isEmpty();
    assertThat(client.queues()).extracting(QueueInfo::name).containsExactly("orders");
    orders.delete(true);
    assertThatThrownBy(orders::info).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> orders.message(1)).isInstanceOf(NotFoundException.class);
    assertThat(client.isLive()).isTrue();
    assertThat(client.isReady()).isTrue();
    assertThat(client.contract()).startsWith("openapi: 3.1.0");
  }

  @Test
  void shouldChangeSettingsOfWhatRuns() {
    orders.create(QueueSettings.builder().maxMessages(2).rejectWhenFull().build());
    billing.create(SubscriberSettings.builder().start(Position.earliest()).build());

    QueueInfo queue = orders.change(QueueSettings.builder().maxMessages(3).build());
    SubscriberInfo subscriber =
        billing.change(SubscriberSettings.builder().ackTimeout(Duration.ofMinutes(5)).build());

    assertThat(queue.settings().maxMessages()).isEqualTo(3);
    assertThat(subscriber.settings().ackTimeout()).isEqualTo(Duration.ofMinutes(5));
    assertThatThrownBy(() -> billing.change(SubscriberSettings.builder().orderByKey().build()))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("subscriber.order");
  }

  @Test
  void shouldSetTheStatusOfAQueue() {
    orders.publish("one");
    assertThat(orders.status()).isEqualTo(QueueStatus.UP);
    orders.status(QueueStatus.DOWN);
    assertThat(orders.status()).isEqualTo(QueueStatus.DOWN);
    assertThat(orders.info().stats().status()).isEqualTo(QueueStatus.DOWN);
    try (RiverClient impatient =
        RiverClient.builder(client.servers().get(0).toString()).retryFor(Duration.ZERO).build()) {
      assertThatThrownBy(() -> impatient.queue("orders").publish("two"))
          .isInstanceOf(QueueStatusException.class)
          .hasMessageContaining("DOWN");
    }
    orders.status(QueueStatus.UP);
    assertThat(orders.publish("two")).isEqualTo(1);
  }

  @Test
  void shouldDelayAndExpire() throws Exception {
    orders.publish(NewMessage.text("never").expiresAfter(Duration.ofMillis(1)));
    orders.publish(NewMessage.text("later").deliverAfter(Duration.ofMillis(300)));
    billing.create(SubscriberSettings.builder().start(Position.earliest()).build());
    assertThat(billing.next(SOON).text()).isEqualTo("later");
  }

  @Test
  void shouldRefuseWhenTheQueueIsFull() {
    orders.create(QueueSettings.builder().maxMessages(1).rejectWhenFull().build());
    try (RiverClient impatient =
        RiverClient.builder(client.servers().get(0).toString()).retryFor(Duration.ZERO).build()) {
      impatient.queue("orders").publish("a");
      assertThatThrownBy(() -> impatient.queue("orders").publish("b"))
          .isInstanceOfSatisfying(
              QueueFullException.class,
              e -> {
                assertThat(e.status()).isEqualTo(429);
                assertThat(e.retryAfter()).isPositive();
                assertThat(e.mayBeDone()).isFalse();
              });
    }
  }

  @Test
  void shouldEndAPollThatIsCancelledOrInterrupted() throws Exception {
    orders.publish("a");
    billing.next(SOON).ack();
    CompletableFuture<List<RemoteDelivery>> poll = billing.batchAsync(1, Duration.ofMinutes(1));
    poll.cancel(false);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                billing.next(Duration.ofMinutes(1));
              } catch (InterruptedException e) {
                thrown.set(e);
              }
            });
    waiting.start();
    await().until(() -> waiting.getState() == Thread.State.WAITING);
    waiting.interrupt();
    waiting.join();
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
  }

  @Test
  void shouldEndEverythingWhenItIsClosed() {
    CompletableFuture<List<RemoteDelivery>> poll = billing.batchAsync(1, Duration.ofMinutes(1));
    DeliveryStream stream = billing.stream(delivery -> {});
    BatchingPublisher batching = orders.batching();
    client.close();
    client.close();
    assertThat(poll).isCompletedExceptionally();
    await().untilAsserted(() -> assertThat(stream.ended()).isCompleted());
    assertThatThrownBy(() -> batching.publish("a")).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> orders.publish("a")).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> billing.next(SOON)).isInstanceOf(ClientClosedException.class);
  }

  @Test
  void shouldBalanceAndAcknowledgeWhereAMessageCameFrom() throws Exception {
    try (RiverServer second =
            RiverServer.builder().port(0).directory(directory.resolve("second")).start();
        RiverClient both =
            RiverClient.builder(
                    "http://127.0.0.1:" + server.port(), "http://127.0.0.1:" + second.port() + "/")
                .build()) {
      IntStream.range(0, 10).forEach(i -> both.queue("orders").publish("m" + i));
      List<URI> servers = both.servers();
      for (URI one : servers) {
        assertThat(both.at(one).queue("orders").info().stats().messages()).isEqualTo(5);
      }
      assertThatThrownBy(() -> both.queue("orders").info())
          .isInstanceOf(IllegalStateException.class);

      RemoteSubscriber shared = both.subscriber("orders", "billing");
      List<RemoteDelivery> taken = new ArrayList<>();
      while (taken.size() < 10) {
        taken.addAll(shared.batch(10, SOON));
      }
      shared.ack(taken.subList(0, 9));
      assertThat(shared.settle(List.of(taken.get(9).receipt()), Acknowledgement.ack()))
          .containsExactly(AckResult.OK);
      for (URI one : servers) {
        assertThat(both.at(one).subscriber("orders", "billing").stats().lag()).isZero();
      }
      assertThat(shared.batch(1, Duration.ofMillis(50))).isEmpty();

      Queue<String> streamed = new ConcurrentLinkedQueue<>();
      try (DeliveryStream stream =
          shared.stream(
              delivery -> {
                delivery.ack();
                streamed.add(delivery.text());
              })) {
        IntStream.range(0, 10).forEach(i -> both.queue("orders").publish("s" + i));
        await().untilAsserted(() -> assertThat(streamed).hasSize(10));
        assertThat(stream.ended()).isNotDone();
      }
    }
  }

  @Test
  void shouldStreamWithinItsCreditAndGiveBack() {
    IntStream.range(0, 20).forEach(i -> orders.publish("m" + i));
    billing.create(SubscriberSettings.builder().start(Position.earliest()).build());
    Queue<RemoteDelivery> held = new ConcurrentLinkedQueue<>();
    DeliveryStream stream = billing.stream(5, held::add);
    await().until(() -> held.size() == 5);
    assertThat(billing.stats().inFlight()).isEqualTo(5);
    billing.ack(List.of(held.poll(), held.poll()));
    await().until(() -> held.size() == 5);
    stream.close();
    assertThat(stream.ended()).isCompleted();
    await().untilAsserted(() -> assertThat(billing.stats().inFlight()).isZero());
    assertThat(billing.next().attempt()).isOne();
  }

  @Test
  void shouldGiveBackWhatAHandlerFailsAt() {
    orders.create(QueueSettings.builder().build());
    billing.create(SubscriberSettings.builder().backoff(Duration.ofMillis(1)).build());
    orders.publish("a");
    Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
    AtomicReference<DeliveryStream> stream = new AtomicReference<>();
    stream.set(
        billing.stream(
            delivery -> {
              attempts.add(delivery.attempt());
              if (delivery.attempt() < 3) {
                throw new IllegalStateException("not yet");
              }
              delivery.ack();
              stream.get().close(); // by the handler itself
            }));
    await().untilAsserted(() -> assertThat(stream.get().ended()).isCompleted());
    assertThat(attempts).containsExactly(1, 2, 3);
    assertThat(billing.stats().lag()).isZero();
  }
}
