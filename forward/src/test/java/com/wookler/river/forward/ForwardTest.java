package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Retention;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.transfer.Origins;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages go from queue to queue, each once. */
@Timeout(120)
class ForwardTest extends QueuesFixture {
  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  @Test
  void shouldWaitForTheStatusOfSourceAndTarget() {
    MessageQueue<String> target = open(builder("target"));
    MessageQueue<String> source = open(builder("source").forwardTo("target"));
    source.status(QueueStatus.QUIESCENT);
    source.status(QueueStatus.READ_ONLY); // it gives what it holds
    source.status(QueueStatus.UP);
    source.publisher().publish("one");
    await().untilAsserted(() -> assertThat(target.stats().nextSequence()).isOne());
    target.status(QueueStatus.READ_ONLY);
    source.publisher().publish("two");
    await()
        .untilAsserted(
            () -> assertThat(Forwards.of(source).stats().get(0).waiting()).contains("READ_ONLY"));
    source.status(QueueStatus.QUIESCENT);
    target.status(QueueStatus.UP);
    await()
        .during(Duration.ofMillis(200))
        .untilAsserted(() -> assertThat(target.stats().nextSequence()).isOne());
    source.status(QueueStatus.READ_ONLY);
    await().untilAsserted(() -> assertThat(target.stats().nextSequence()).isEqualTo(2));
  }

  private static void publish(MessageQueue<String> queue, int from, int to) {
    for (int i = from; i < to; i++) {
      queue.publisher().publish("m" + i);
    }
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
  }

  @Test
  void shouldForwardWhereTheBaseDirectoryIsALink() throws IOException {
    Path link = directory.resolve("link");
    Files.createSymbolicLink(link, Files.createDirectory(directory.resolve("real")));
    MessageQueue<String> audit = open(builder(link, "audit"));
    MessageQueue<String> orders = open(builder(link, "orders").forwardTo("audit"));
    publish(orders, 0, 10);
    awaitData(audit, numbers(0, 10));
  }

  @Test
  void shouldForwardToAllInOrderWithKeyAndHeaders() throws IOException {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> billing = open(builder("billing"));
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit", "billing"));
    byte[] value = {1, 2};
    orders
        .publisher()
        .publish(
            Message.of("first")
                .withKey("key")
                .withId("id")
                .withHeader("header", value)
                .withHeader(ForwardOrigin.HEADER, value));
    publish(orders, 1, 50);
    for (MessageQueue<String> target : List.of(audit, billing)) {
      await().until(() -> target.stats().nextSequence() == 50);
      Delivery<String> first = target.read(0).orElseThrow();
      assertThat(first.data()).isEqualTo("first");
      assertThat(first.key()).isEqualTo("key");
      assertThat(first.headers()).containsOnlyKeys("header", ForwardOrigin.HEADER);
      assertThat(first.headers().get("header")).containsExactly(1, 2);
      ForwardOrigin origin =
          ForwardOrigin.of(target.read(49).orElseThrow().headers()).orElseThrow();
      assertThat(origin.sequence()).isEqualTo(49);
      assertThat(Files.readString(directory.resolve("orders/queue.json")))
          .contains(origin.queue().toString());
      assertThat(data(target).subList(1, 50)).isEqualTo(numbers(1, 50));
    }
    assertThat(orders.read(0).orElseThrow().headers()).containsOnlyKeys("header");
    await()
        .untilAsserted(
            () ->
                assertThat(Forwards.of(orders).stats())
                    .containsExactly(
                        new ForwardStats("audit", 50, 0, 50, 50, 0, 0, 0, 0, ""),
                        new ForwardStats("billing", 50, 0, 50, 50, 0, 0, 0, 0, "")));
    assertThat(orders.subscribers()).isEmpty();
  }

  @Test
  void shouldKeepBatchesWhole() throws Exception {
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit"));
    orders.publisher().publishAll(numbers(0, 300));
    orders.publisher().publish("m300");
    orders.publisher().publishAll(numbers(301, 310));
    MessageQueue<String> audit = open(builder("audit"));
    awaitData(audit, numbers(0, 310));
    assertThat(audit.read(0).orElseThrow().publishedAt())
        .isEqualTo(audit.read(299).orElseThrow().publishedAt()); // one document
  }

  @Test
  void shouldWaitForATargetThatIsNotOpenAndLetTheOthersFlow() throws IOException {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders =
        open(builder("orders").forwardTo("audit", "billing").timeSource(time));
    publish(orders, 0, 20);
    try (CapturedLog said = new CapturedLog("com.wookler.river.forward")) {
      time.advance(Duration.ofSeconds(1));
      awaitData(audit, numbers(0, 20));
      await().until(() -> !Forwards.of(orders).stats().get(1).waiting().isEmpty());
      for (int i = 0; i < 3; i++) {
        time.advance(Duration.ofSeconds(6));
        await().until(() -> said.lines().size() == 1);
      }
      assertThat(said.lines().get(0)).contains("20 messages", "billing", "open");
    }
    assertThat(Forwards.of(orders).stats().get(1).lag()).isEqualTo(20);
    MessageQueue<String> billing = open(builder("billing"));
    awaitData(billing, numbers(0, 20));
    await().until(() -> Forwards.of(orders).stats().get(1).waiting().isEmpty());
    assertThat(data(audit)).isEqualTo(numbers(0, 20));
  }

  @Test
  void shouldWaitForRoomInOneAndLetTheOthersFlow() {
    for (FullPolicy policy : new FullPolicy[] {FullPolicy.REJECT, FullPolicy.BLOCK}) {
      MessageQueue<String> small =
          open(builder("small-" + policy).maxMessages(5).whenFull(policy, Duration.ofDays(1)));
      Subscriber<String> slow = small.subscriber("slow");
      MessageQueue<String> large = open(builder("large-" + policy));
      MessageQueue<String> orders =
          open(builder("orders-" + policy).forwardTo("small-" + policy, "large-" + policy));
      publish(orders, 0, 100);
      awaitData(large, numbers(0, 100));
      await().until(() -> Forwards.of(orders).stats().get(0).waiting().contains("full"));
      assertThat(small.stats().nextSequence()).isLessThanOrEqualTo(5);
      List<String> taken = new ArrayList<>();
      await()
          .pollInterval(Duration.ofMillis(5))
          .until(
              () -> {
                for (Delivery<String> next = slow.next(); next != null; next = slow.next()) {
                  taken.add(next.data());
                }
                return taken.size() == 100;
              });
      assertThat(taken).isEqualTo(numbers(0, 100));
    }
  }

  @Test
  void shouldKeepItsLogUntilAllTargetsHaveForcedWhatTheyGot() {
    MessageQueue<String> audit =
        open(
            builder("audit")
                .syncInterval(Duration.ofHours(1))
                .recycle(SizeBasedRecycle.ofMessages(1_000))); // a block that is closed is forced
    MessageQueue<String> orders =
        open(builder("orders").forwardTo("audit", "billing").fanoutOnly(true));
    publish(orders, 0, 35);
    MessageQueue<String> billing = open(builder("billing"));
    await().until(() -> Forwards.of(orders).stats().get(1).safe() == 35);
    await().until(() -> audit.stats().nextSequence() == 35);
    assertThat(Forwards.of(orders).stats().get(0).safe()).isLessThan(35);
    assertThat(orders.stats().firstSequence()).isLessThan(30);
    audit.force();
    await().until(() -> Forwards.of(orders).stats().get(0).safe() == 35);
    await().until(() -> orders.stats().firstSequence() == 30);
    assertThat(data(billing)).isEqualTo(numbers(0, 35));
  }

  @Test
  void shouldKeepItsLogWithoutSubscribersUnlessItIsForFanoutOnly() {
    open(builder("audit"));
    MessageQueue<String> orders =
        open(builder("orders").forwardTo("audit").retention(Retention.ofMessages(10)));
    publish(orders, 0, 35);
    await().until(() -> Forwards.of(orders).stats().get(0).safe() == 35);
    await().until(() -> orders.stats().firstSequence() == 20); // by its retention
    assertThatThrownBy(() -> Forwards.of(orders).remove("audit"))
        .isInstanceOf(ConfigurationException.class);
  }

  @Test
  void shouldRemoveNothingByRetentionThatIsNotForwarded() {
    MessageQueue<String> orders =
        open(builder("orders").forwardTo("audit").retention(Retention.ofMessages(10)));
    publish(orders, 0, 35);
    orders.force();
    await().during(Duration.ofMillis(300)).until(() -> orders.stats().firstSequence() == 0);
    awaitData(open(builder("audit")), numbers(0, 35));
    await().until(() -> orders.stats().firstSequence() == 20);
  }

  @Test
  void shouldRefuseSubscribersOfAFanoutOnlyQueue() {
    MessageQueue<String> orders = open(builder("orders"));
    orders.subscriber("early");
    shut(orders);
    MessageQueue.Builder<String> fanout = builder("orders").forwardTo("audit").fanoutOnly(true);
    assertThatThrownBy(fanout::open)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("early");
    MessageQueue<String> again = open(builder("orders"));
    again.removeSubscriber("early");
    shut(again);
    MessageQueue<String> queue = open(fanout);
    assertThatThrownBy(() -> queue.subscriber("billing"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("subscribe to audit");
    publish(queue, 0, 1);
    assertThat(queue.read(0)).isPresent();
  }

  @Test
  void shouldRefuseWhatComesBack() {
    for (String[] names : new String[][] {{"a"}, {"b", "B"}, {".b"}}) {
      assertThatThrownBy(() -> builder("a").forwardTo(names).open())
          .isInstanceOf(ConfigurationException.class);
    }
    assertThatThrownBy(() -> builder("a").fanoutOnly(true).open())
        .isInstanceOf(ConfigurationException.class);
    open(builder("a").forwardTo("b"));
    open(builder("b").forwardTo("c", "d"));
    assertThatThrownBy(() -> builder("c").forwardTo("a").open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("c → a → b → c");
    open(builder("c").forwardTo("d")); // nothing of the failed one is left, and a diamond is none
  }

  @Test
  void shouldForwardOnFromQueueToQueue() {
    MessageQueue<String> c = open(builder("c"));
    open(builder("b").forwardTo("c").fanoutOnly(true));
    MessageQueue<String> a = open(builder("a").forwardTo("b").fanoutOnly(true));
    publish(a, 0, 25);
    awaitData(c, numbers(0, 25));
  }

  @Test
  void shouldForwardWhatIsLeftOfALifeAndNothingThatIsOver() {
    MessageQueue<String> expired = open(builder("expired"));
    MessageQueue<String> orders =
        open(
            builder("orders")
                .forwardTo("audit")
                .maxAge(Duration.ofHours(1), "expired")
                .timeSource(time));
    orders.publisher().publish(Message.of("short").expiresAfter(Duration.ofSeconds(10)));
    orders.publisher().publish(Message.of("long").expiresAfter(Duration.ofSeconds(30)));
    orders.publisher().publish("without");
    time.advance(Duration.ofSeconds(20));
    MessageQueue<String> audit = open(builder("audit").timeSource(time));
    awaitData(audit, List.of("long", "without"));
    awaitData(expired, List.of("short"));
    assertThat(Forwards.of(orders).stats().get(0).expired()).isEqualTo(1);
    Subscriber<String> subscriber = audit.subscriber("s");
    time.advance(Duration.ofSeconds(9));
    assertThat(subscriber.peek(9)).extracting(Delivery::data).containsExactly("long", "without");
    time.advance(Duration.ofSeconds(2));
    assertThat(subscriber.next().data()).isEqualTo("without");
  }

  @Test
  void shouldForwardADelayedMessageWhenItIsDue() {
    MessageQueue<String> orders =
        open(builder("orders").forwardTo("audit").fanoutOnly(true).timeSource(time));
    orders.publisher().publish(Message.of("late").deliverAfter(Duration.ofSeconds(10)));
    orders.publisher().publish("early");
    time.advance(Duration.ofSeconds(1));
    MessageQueue<String> audit = open(builder("audit").timeSource(time));
    awaitData(audit, List.of("early"));
    time.advance(Duration.ofSeconds(10));
    await()
        .untilAsserted(
            () -> {
              time.advance(
                  Duration.ofMillis(5)); // until there is a force behind the re-enqueued copy
              assertThat(data(audit)).containsExactly("early", "late");
            });
  }

  @Test
  void shouldGoOnAfterItWasOffAndGiveUpWhatItIsToldTo() {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit"));
    publish(orders, 0, 5);
    awaitData(audit, numbers(0, 5));
    shut(orders);
    MessageQueue<String> off = open(builder("orders"));
    Subscriber<String> reader = off.subscriber("reader");
    publish(off, 5, 40);
    while (reader.next() != null) {
      // all of them
    }
    assertThat(Forwards.of(off).stats().get(0).waiting()).contains("queue.forward");
    assertThat(off.stats().firstSequence()).isZero();
    shut(off);
    MessageQueue<String> on = open(builder("orders").forwardTo("audit"));
    awaitData(audit, numbers(0, 40));
    shut(on);
    MessageQueue<String> last = open(builder("orders"));
    assertThat(Forwards.of(last).remove("audit")).isTrue();
    assertThat(Forwards.of(last).remove("audit")).isFalse();
    assertThat(Forwards.of(last).stats()).isEmpty();
  }

  @Test
  void shouldTakeNothingTwiceWhateverFileIsLost() throws IOException {
    for (String lost :
        List.of("position", "damaged position", "origins", "both", "no origins", "neither file")) {
      Path base = directory.resolve(lost);
      MessageQueue<String> audit = open(builder(base, "audit"));
      MessageQueue<String> orders = open(builder(base, "orders").forwardTo("audit"));
      publish(orders, 0, 25);
      awaitData(audit, numbers(0, 25));
      shut(orders);
      shut(audit);
      Path position = ForwardPosition.file(base.resolve("orders/forwards"), "audit");
      Path origins = base.resolve("audit").resolve(Origins.FILE);
      switch (lost) {
        case "position" -> Files.delete(position);
        case "damaged position" -> Files.writeString(position, "{}");
        case "no origins" -> {
          Files.delete(origins);
          String id = CheckedJson.read(base.resolve("orders/queue.json")).path("id").asText();
          new ForwardPosition(7, true, null)
              .write(
                  base.resolve("orders/forwards"),
                  UUID.fromString(id),
                  "audit"); // as after a power loss
        }
        case "neither file" -> {
          Files.delete(origins);
          Files.delete(position);
        }
        default -> {
          Files.writeString(origins, "{\"format\":1}");
          if (lost.equals("both")) {
            Files.delete(position);
          }
        }
      }
      MessageQueue<String> again = open(builder(base, "orders").forwardTo("audit"));
      publish(again, 25, 30);
      awaitData(open(builder(base, "audit")), numbers(0, 30));
      close();
    }
  }

  @Test
  void shouldKnowWhatItTookWhenTheBlocksAreGone() throws IOException {
    MessageQueue<String> audit = open(builder("audit"));
    Subscriber<String> reader = audit.subscriber("reader");
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit"));
    publish(orders, 0, 40);
    await().until(() -> audit.stats().nextSequence() == 40);
    while (reader.next() != null) {
      // all of them
    }
    audit.publisher().publishAll(numbers(100, 110)); // a block without any
    while (reader.next() != null) {
      // these too
    }
    await().until(() -> audit.stats().firstSequence() >= 40);
    shut(orders);
    Path copy = directory.resolve("copy");
    audit.force();
    DirectoryCopy.of(directory.resolve("audit"), copy.resolve("audit")); // as a kill leaves it
    DirectoryCopy.of(directory.resolve("orders"), copy.resolve("orders"));
    shut(audit);
    Files.delete(ForwardPosition.file(copy.resolve("orders/forwards"), "audit"));
    MessageQueue<String> after = open(builder(copy, "audit"));
    MessageQueue<String> source = open(builder(copy, "orders").forwardTo("audit"));
    publish(source, 40, 41);
    await().until(() -> after.stats().nextSequence() == 51);
    assertThat(after.read(50).orElseThrow().data()).isEqualTo("m40");
  }

  /** A kill would have it judge those messages again. */
  @Test
  void shouldKeepItsPositionThoughNothingFollows() {
    open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit"));
    publish(orders, 0, 5);
    Path kept = directory.resolve("orders/forwards");
    UUID identity = orders.identity();
    await()
        .ignoreExceptions()
        .until(() -> ForwardPosition.read(kept, identity, "audit").position() == 5);
  }

  /** A clock that may fail when a step of forwarding asks for the time. */
  private static final class Clock implements TimeSource {
    private final TimeSource clock = TimeSource.system();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean fails;

    @Override
    public long nanoTime() {
      if (fails
          && Stream.of(Thread.currentThread().getStackTrace())
              .anyMatch(
                  frame ->
                      frame.getClassName().equals(Forward.class.getName())
                          && frame.getMethodName().equals("step"))) {
        failures.incrementAndGet();
        throw new StackOverflowError();
      }
      return clock.nanoTime();
    }

    @Override
    public Instant wallTime() {
      return clock.wallTime();
    }

    @Override
    public long epochMicros() {
      return clock.epochMicros();
    }

    @Override
    public void park(Object blocker, long nanos) {
      clock.park(blocker, nanos);
    }
  }

  @Test
  void shouldTryAgainLaterAfterAnError() {
    Clock time = new Clock();
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders").timeSource(time).forwardTo("audit"));
    publish(orders, 0, 5);
    await().until(() -> Forwards.of(orders).stats().get(0).safe() == 5);
    time.fails = true;
    publish(orders, 5, 10);
    await().until(() -> time.failures.get() > 0);
    await().during(Duration.ofMillis(300)).until(() -> time.failures.get() <= 2);
    time.fails = false;
    awaitData(audit, numbers(0, 10));
  }

  @Test
  void shouldCountWhatItGaveUp() {
    MessageQueue<String> orders =
        open(
            builder("orders")
                .forwardTo("audit")
                .fanoutOnly(true)
                .maxMessages(10)
                .whenFull(FullPolicy.DISCARD_OLDEST, Duration.ZERO));
    publish(orders, 0, 40);
    MessageQueue<String> audit = open(builder("audit"));
    awaitData(audit, numbers(30, 40));
    await().until(() -> Forwards.of(orders).stats().get(0).safe() == 40);
    assertThat(Forwards.of(orders).stats().get(0).discarded()).isEqualTo(30);
    assertThat(orders.stats().discarded()).isEqualTo(30);
  }

  @Test
  void shouldForwardAroundWhatIsLost() throws IOException {
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit"));
    publish(orders, 0, 35);
    shut(orders);
    Files.delete(directory.resolve("orders/log/b00000002.cq4"));
    open(builder("orders").forwardTo("audit"));
    List<String> expected = new ArrayList<>(numbers(0, 10));
    expected.addAll(numbers(20, 35));
    awaitData(open(builder("audit")), expected);
  }

  /** Publishes, closes and kills either of the queues at any moment. */
  @Test
  void shouldForwardEachOnceWhateverIsClosedOrKilled() throws Exception {
    Random random = new Random(11);
    Path base = directory.resolve("0");
    Map<String, MessageQueue<String>> queues = new HashMap<>();
    int published = 0;
    for (int step = 0; step < 25; step++) {
      for (String name : List.of("orders", "audit")) {
        if (random.nextInt(3) > 0 && !queues.containsKey(name)) {
          MessageQueue.Builder<String> builder =
              builder(base, name).timeSource(time).recycle(SizeBasedRecycle.ofMessages(1_000));
          queues.put(name, open(name.equals("orders") ? builder.forwardTo("audit") : builder));
        }
      }
      MessageQueue<String> orders = queues.get("orders");
      if (orders != null) {
        int more = random.nextInt(40);
        publish(orders, published, published + more);
        published += more;
        orders.publisher().publishAll(numbers(published, published + 7));
        published += 7;
      }
      time.advance(Duration.ofSeconds(1));
      String which = random.nextBoolean() ? "orders" : "audit";
      if (random.nextInt(3) == 0 && queues.get(which) != null) {
        shut(queues.remove(which));
      } else if (random.nextInt(3) == 0 && queues.size() == 1) { // so that nothing moves meanwhile
        queues.values().forEach(MessageQueue::force); // else seals are being written
        queues.clear();
        Path copy = directory.resolve(String.valueOf(step + 1));
        DirectoryCopy.of(base, copy);
        close();
        base = copy;
      }
    }
    close();
    MessageQueue<String> audit = open(builder(base, "audit"));
    open(builder(base, "orders").forwardTo("audit"));
    awaitData(audit, numbers(0, published));
  }
}
