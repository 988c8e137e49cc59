package com.wookler.river.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.OnDamage;
import com.wookler.river.core.Origin;
import com.wookler.river.core.PublishResult;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.Retention;
import com.wookler.river.core.River;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.TimeBasedRecycle;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The API as programs outside of River were told that it is, each member by its name, its types and
 * its default, from a package that sees no more than they do.
 */
class ApiTest {
  @TempDir Path directory;

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"));
  }

  private static SubscriberConfig withAck(String name) {
    return SubscriberConfig.builder(name).ack(true).build();
  }

  @Test
  void shouldHaveEverySettingOfAQueue() {
    MessageQueue.Builder<String> builder =
        builder()
            .recycle(SizeBasedRecycle.ofMessages(10))
            .backup(directory.resolve("backup"), Duration.ofDays(1))
            .durability(Durability.MEMORY)
            .syncInterval(Duration.ofMillis(50))
            .maxMessages(1_000)
            .maxBytes(10_000_000)
            .maxMessageBytes(1 << 16)
            .whenFull(FullPolicy.BLOCK, Duration.ofSeconds(1))
            .diskReserve(1 << 20)
            .retention(Retention.ofAge(Duration.ofDays(30)).withBytes(1L << 40).withMessages(9_999))
            .deduplicate(Duration.ofMinutes(10))
            .maxAge(Duration.ofDays(1), "expired")
            .onDamage(OnDamage.SALVAGE)
            .blockBytes(1 << 20)
            .timeSource(TimeSource.system());
    try (MessageQueue<String> queue = builder.open()) {
      assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    }
    RecycleStrategy bytes = SizeBasedRecycle.ofBytes(1 << 20);
    RecycleStrategy time = TimeBasedRecycle.every(Duration.ofMinutes(1));
    assertThat(Set.of(bytes, time)).hasSize(2);
    assertThat(FullPolicy.values())
        .containsExactly(FullPolicy.REJECT, FullPolicy.BLOCK, FullPolicy.DISCARD_OLDEST);
    assertThat(OnDamage.values()).contains(OnDamage.SALVAGE, OnDamage.STOP);
    assertThat(Durability.values()).containsExactly(Durability.MEMORY, Durability.DISK);
    assertThatThrownBy(() -> builder().ehcache(directory.resolve("none.xml")).open())
        .isInstanceOf(ConfigurationException.class);
  }

  @Test
  void shouldDoWithAQueueWhatIsPromised() {
    MessageQueue<String> queue = builder().open();
    AutoCloseable closeable = queue;
    assertThat(closeable).isInstanceOf(Configurable.class);
    Publisher<String> publisher = queue.publisher();
    long sequence = publisher.publish("one");
    queue.addListener(new Doubles.SilentListener());
    Subscriber<String> byName = queue.subscriber("audit");
    Subscriber<String> byConfig = queue.subscriber(withAck("billing"));
    List<Subscriber<String>> all = queue.subscribers();
    assertThat(all).containsExactlyInAnyOrder(byName, byConfig);
    assertThat(queue.name()).isEqualTo("orders");
    QueueStats stats = queue.stats();
    assertThat(stats.messages()).isEqualTo(1);
    assertThat(stats.bytes()).isPositive();
    assertThat(stats.blocks()).isEqualTo(1);
    assertThat(stats.firstSequence()).isZero();
    assertThat(stats.nextSequence()).isEqualTo(1);
    assertThat(stats.discarded()).isZero();
    assertThat(stats.diskFree()).isPositive();
    Optional<Delivery<String>> found = queue.read(sequence);
    assertThat(found.orElseThrow().data()).isEqualTo("one");
    List<Delivery<String>> several = queue.read(0, 10);
    assertThat(several).hasSize(1);
    OptionalLong at = queue.sequenceAt(Instant.EPOCH);
    assertThat(at).hasValue(0);
    queue.force();
    boolean removed = queue.removeSubscriber("audit");
    assertThat(removed).isTrue();
    queue.close();
    queue.close();
    assertThat(queue.state()).isEqualTo(QueueState.STOPPED);
    MessageQueue<String> again = builder().open();
    again.delete();
    assertThat(directory.resolve("data/orders")).doesNotExist();
  }

  @Test
  void shouldPublishInEveryWay() throws Exception {
    try (MessageQueue<String> queue = builder().deduplicate(Duration.ofMinutes(1)).open()) {
      Publisher<String> publisher = queue.publisher();
      Message<String> message = Message.of("m");
      List<Message<String>> batch = List.of(message, message);
      assertThat(publisher.publish("data")).isZero();
      assertThat(publisher.publish(message)).isEqualTo(1);
      assertThat(publisher.putAll(batch, Durability.MEMORY).sequence()).isEqualTo(2);
      assertThat(publisher.publishAll(List.of("a", "b"))).isEqualTo(4);
      assertThat(publisher.put(message, Durability.DISK))
          .isEqualTo(PublishResult.stored(6, Durability.DISK));
      CompletableFuture<PublishResult> later = publisher.putAsync(batch, Durability.DISK);
      assertThat(later.get(60, TimeUnit.SECONDS))
          .isEqualTo(PublishResult.stored(7, Durability.DISK));
      PublishResult first = publisher.put(message.withId("id"), Durability.DISK);
      assertThat(first).isEqualTo(PublishResult.stored(9, Durability.DISK));
      PublishResult again = publisher.put(message.withId("id"), Durability.MEMORY);
      assertThat(again.sequence()).isEqualTo(9);
      assertThat(again.duplicate()).isTrue();
      assertThat(again.duplicates()).containsExactly(Map.entry(0, 9L));
      assertThat(again.durability()).isEqualTo(Durability.MEMORY);
    }
  }

  @Test
  void shouldPutMessagesOfASourceOnce() {
    try (MessageQueue<String> queue = builder().open()) {
      Origin source = Origin.of("source");
      Message<String> message = Message.of("m");
      assertThat(queue.putFrom(source, 7, message, Durability.DISK).duplicate()).isFalse();
      assertThat(queue.putFrom(source, 7, message, Durability.MEMORY).duplicate()).isTrue();
      assertThat(queue.lastFrom(source)).hasValue(7);
    }
  }

  @Test
  void shouldSayWhatAMessageHas() {
    byte[] value = {1, 2};
    Message<String> message =
        Message.of("data")
            .withKey("key")
            .withHeader("name", value)
            .withId("id")
            .expiresAfter(Duration.ofMinutes(1));
    assertThat(message.data()).isEqualTo("data");
    assertThat(message.key()).isEqualTo("key");
    assertThat(message.headers()).containsOnlyKeys("name");
    assertThat(message.headers().get("name")).isEqualTo(value);
    assertThat(message.id()).isEqualTo("id");
    assertThat(message.expiry()).isEqualTo(Duration.ofMinutes(1));
    assertThat(Message.of("plain").key()).isNull();
  }

  /** For the converter to JSON. */
  record Item(String name, int count) {}

  @Test
  void shouldConvertInEveryWay() {
    MessageConverter<String> text = MessageConverter.utf8();
    assertThat(text.fromBytes(text.toBytes("größer"))).isEqualTo("größer");
    MessageConverter<byte[]> bytes = MessageConverter.bytes();
    assertThat(bytes.fromBytes(bytes.toBytes(new byte[] {3}))).containsExactly(3);
    MessageConverter<Item> json = MessageConverter.json(Item.class);
    assertThat(json.fromBytes(json.toBytes(new Item("a", 2)))).isEqualTo(new Item("a", 2));
  }

  @Test
  void shouldHaveEveryExceptionUnderOne() {
    List<Class<? extends RiverException>> all =
        List.of(
            QueueFullException.class,
            MessageTooLargeException.class,
            QueueClosedException.class,
            QueueFailedException.class,
            QueueLockedException.class,
            DamagedMessageException.class,
            StaleReceiptException.class,
            ConfigurationException.class);
    assertThat(RuntimeException.class).isAssignableFrom(RiverException.class);
    assertThat(all).doesNotHaveDuplicates();
  }

  @Test
  void shouldHaveEverySettingOfASubscriberWithItsDefault() {
    SubscriberConfig plain = SubscriberConfig.builder("plain").build();
    assertThat(plain.ackRequired()).isFalse();
    assertThat(plain.ackTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(plain.ackDurability()).isEqualTo(Durability.MEMORY);
    assertThat(plain.maxInFlight()).isEqualTo(10_000);
    assertThat(plain.window()).isEqualTo(262_144);
    assertThat(plain.maxDeliveries()).isZero();
    assertThat(plain.backoff()).isEqualTo(Backoff.none());
    assertThat(plain.deadLetterLimit()).isZero();
    assertThat(plain.deadLetterAge()).isZero();
    assertThat(plain.order()).isEqualTo(Order.SEQUENCE);
    assertThat(plain.start()).isEqualTo(Position.earliest());
    assertThat(plain.batchSize()).isEqualTo(64);
    assertThat(plain.pollTimeout()).isPositive();
    assertThat(plain.filter()).isNull();
    assertThat(plain.expiryQueue()).isNull();
    Predicate<Message<String>> filter = message -> !message.data().isEmpty();
    SubscriberConfig full =
        SubscriberConfig.builder("full")
            .ack(true)
            .ackTimeout(Duration.ofSeconds(5))
            .ackDurability(Durability.DISK)
            .maxInFlight(10)
            .window(20)
            .maxDeliveries(3)
            .deadLetterLimit(1_000)
            .deadLetterAge(Duration.ofDays(30))
            .backoff(Backoff.exponential(Duration.ofSeconds(1), Duration.ofMinutes(1)))
            .backoff(Backoff.fixed(Duration.ofSeconds(1)))
            .backoff(Backoff.list(Duration.ofSeconds(1), Duration.ofSeconds(5)))
            .order(Order.SEQUENCE)
            .start(Position.latest())
            .filter(filter)
            .expiryQueue("expired")
            .batchSize(7)
            .pollTimeout(Duration.ofMillis(20))
            .build();
    assertThat(full.name()).isEqualTo("full");
    assertThat(full.window()).isEqualTo(20);
  }

  @Test
  void shouldConsumeInEveryWay() throws Exception {
    try (MessageQueue<String> queue = builder().open();
        Subscriber<String> subscriber = queue.subscriber(withAck("billing"))) {
      queue.publisher().putAll(List.of(messageWithAll(), messageWithAll()), Durability.MEMORY);
      queue.publisher().publishAll(List.of("2", "3", "4", "5"));
      assertThat(subscriber.name()).isEqualTo("billing");
      assertThat(subscriber.peek(2)).hasSize(2);
      Delivery<String> first = subscriber.next();
      seeAll(first);
      subscriber.ack(first);
      Delivery<String> second = subscriber.next(Duration.ofSeconds(1));
      second.ack();
      List<Delivery<String>> batch = subscriber.batch(2, Duration.ofSeconds(1));
      subscriber.ack(batch);
      Collection<Delivery<String>> async =
          subscriber.batchAsync(1, Duration.ofSeconds(5)).get(60, TimeUnit.SECONDS);
      subscriber.ack(async);
      Delivery<String> last = subscriber.next();
      subscriber.ackUpTo(last);
      assertThat(subscriber.next()).isNull();
      assertThat(subscriber.stats().lag()).isZero();
      subscriber.seek(Position.earliest());
      subscriber.seek(Position.sequence(3));
      subscriber.seek(Position.time(Instant.now().plusSeconds(60)));
      subscriber.seek(Position.latest());
      subscriber.pause();
      queue.publisher().publish("6");
      assertThat(subscriber.next()).isNull();
      subscriber.resume();
      assertThat(subscriber.purge()).isEqualTo(1);
    }
  }

  private static Message<String> messageWithAll() {
    return Message.of("all")
        .withKey("k")
        .withHeader("h", "v".getBytes(StandardCharsets.UTF_8))
        .withId("id");
  }

  private static void seeAll(Delivery<String> delivery) {
    assertThat(delivery.sequence()).isZero();
    assertThat(delivery.attempt()).isEqualTo(1);
    assertThat(delivery.data()).isEqualTo("all");
    assertThat(delivery.key()).isEqualTo("k");
    assertThat(delivery.headers()).containsKey("h");
    assertThat(delivery.publishedAt()).isBeforeOrEqualTo(Instant.now());
    assertThat(delivery.receipt()).isNotEmpty();
  }

  @Test
  void shouldDecideInEveryWay() {
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> subscriber = queue.subscriber(withAck("billing"));
      queue.publisher().publishAll(List.of("a", "b", "c"));
      Delivery<String> delivery = subscriber.next();
      delivery.extend(Duration.ofMinutes(1));
      delivery.nack(Duration.ZERO);
      delivery = subscriber.next();
      assertThat(delivery.attempt()).isEqualTo(2);
      delivery.release();
      assertThatThrownBy(delivery::ack).isInstanceOf(StaleReceiptException.class);
      subscriber.next().reject("bad");
      List<String> receipts = List.of(subscriber.next().receipt(), "made up");
      List<Settled> settled = subscriber.settle(receipts, Settlement.ack());
      assertThat(settled).containsExactly(Settled.OK, Settled.UNKNOWN);
      assertThat(Settled.values()).contains(Settled.STALE);
      List<Settlement> actions =
          List.of(
              Settlement.nack(Duration.ZERO),
              Settlement.release(),
              Settlement.reject("no"),
              Settlement.extend(Duration.ofSeconds(1)));
      assertThat(actions).doesNotHaveDuplicates();
      DeadLetters<String> dead = subscriber.deadLetters();
      await().until(() -> dead.size() == 1);
      List<Delivery<String>> letters = dead.peek(10);
      assertThat(letters.get(0).data()).isEqualTo("a");
      assertThat(dead.redrive(10)).isEqualTo(1);
      assertThat(dead.purge()).isZero();
      await().until(() -> subscriber.stats().ackFloor() == 2); // the letter is settled by the way
      SubscriberStats stats = subscriber.stats();
      assertThat(stats.inFlight()).isZero();
      assertThat(stats.oldestUnfinishedAge()).isNotNull();
      assertThat(stats.delivered()).isEqualTo(4);
      assertThat(stats.acked()).isEqualTo(1);
      assertThat(stats.redelivered()).isEqualTo(2);
      assertThat(stats.dead()).isEqualTo(1);
      assertThat(stats.deadDropped()).isZero();
      assertThat(stats.expired()).isZero();
    }
  }

  @Test
  void shouldBeMadeInTwoStepsAndOfAWholeFile() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("river.xml"),
            """
            <river>
              <queue name="orders">
                <params>
                  <param name="queue.directory" value="%s"/>
                  <param name="queue.message.converter"
                      value="com.wookler.river.user.Doubles$UpperCase"/>
                </params>
              </queue>
            </river>
            """
                .formatted(directory.resolve("xml")));
    MessageQueue<String> queue = new MessageQueue<>();
    ConfigNode root = ConfigParser.parse(file);
    queue.configure(root.child("queue").orElseThrow());
    queue.start();
    queue.publisher().publish("small");
    queue.close();
    try (River river = River.open(file)) {
      assertThat(river.queues()).containsOnlyKeys("orders");
      assertThat(river.queues().get("orders").read(0).orElseThrow().data()).isEqualTo("SMALL");
    }
  }

  @Test
  void shouldBeReplaceableByDoublesThatHaveNoMore() throws Exception {
    Doubles.ListPublisher<String> publisher = new Doubles.ListPublisher<>();
    publisher.publishAll(List.of("a", "b"));
    assertThat(publisher.published).hasSize(2);
    Doubles.TextDelivery delivery = new Doubles.TextDelivery("a");
    delivery.nack();
    assertThat(delivery.verdict).isEqualTo("nack PT0S");
    delivery.fail(new IOException());
    assertThat(delivery.verdict).isEqualTo("nack PT0S");
    Doubles.ScriptedSubscriber subscriber = new Doubles.ScriptedSubscriber();
    subscriber.script.add(delivery);
    assertThat(subscriber.config().name()).isEqualTo("scripted");
    List<Delivery<String>> batch = subscriber.batch();
    subscriber.ack(batch);
    assertThat(delivery.verdict).isEqualTo("ack");
    DeadLetters<String> dead = subscriber.deadLetters();
    assertThat(dead.redrive(5, 1)).isZero();
    assertThat(dead.name()).isEmpty();
  }
}
