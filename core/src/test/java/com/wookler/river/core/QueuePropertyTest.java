package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.log.BlockInfo;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/**
 * Random histories of one queue against {@link SubscriberModel}: whatever the order of what
 * happens, every subscriber gets every message, in order of the first delivery, with the bytes that
 * were published, and exactly the blocks that all have finished are in the backup.
 *
 * <p>On a failure jqwik prints the seed and the shortest history it found.
 */
class QueuePropertyTest {
  private static final Duration ACK_TIMEOUT = Duration.ofSeconds(30);
  private static final int SUBSCRIBERS = 3;

  enum Verb {
    PUBLISH,
    BATCH,
    SUBSCRIBE,
    NEXT,
    TAKE_BATCH,
    ACK,
    ACK_UP_TO,
    NACK,
    RELEASE,
    REJECT,
    SETTLE_BY_RECEIPT,
    PEEK,
    ADVANCE,
    CLOSE_SUBSCRIBER,
    RESTART,
    SETTLE
  }

  /** How blocks end in a history. */
  enum Recycling {
    MESSAGES(SizeBasedRecycle.ofMessages(5)),
    BYTES(SizeBasedRecycle.ofBytes(70_000)),
    TIME(TimeBasedRecycle.every(Duration.ofSeconds(20))),
    OWN(block -> block.messages() >= (block.firstSequence() % 2 == 0 ? 3 : 9));

    @SuppressWarnings("ImmutableEnumChecker") // all of these are set up here and never change
    private final RecycleStrategy strategy;

    Recycling(RecycleStrategy strategy) {
      this.strategy = strategy;
    }
  }

  /** One thing that happens; what a and b mean depends on the verb. */
  record Step(Verb verb, int a, int b) {}

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final Map<Long, Message<byte[]>> published = new ConcurrentHashMap<>();
  private final Map<String, SubscriberModel> models = new TreeMap<>();
  private final NavigableSet<Long> blockEnds = new ConcurrentSkipListSet<>();
  private ExecutorService threads;
  private Path directory;
  private RecycleStrategy strategy;
  private MessageQueue<byte[]> queue;
  private long gone; // messages that had left the log when the last subscriber came

  @BeforeTry
  void prepare() throws IOException {
    directory = Files.createTempDirectory("river-queue");
    threads = Executors.newFixedThreadPool(4);
    gone = 0;
    published.clear();
    models.clear();
    blockEnds.clear();
  }

  @AfterTry
  void cleanUp() throws IOException {
    threads.shutdownNow();
    if (queue != null) {
      queue.close();
    }
    DataDirectory.deleteTree(directory);
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Step> step =
        Combinators.combine(
                Arbitraries.frequencyOf(
                    Tuple.of(2, Arbitraries.of(Verb.class)),
                    Tuple.of(
                        1, Arbitraries.of(Verb.PUBLISH, Verb.NEXT, Verb.TAKE_BATCH, Verb.ACK))),
                Arbitraries.integers().between(0, 11),
                Arbitraries.integers().between(0, 11))
            .as(Step::new);
    return step.list().ofMinSize(5).ofMaxSize(60);
  }

  @Property
  void shouldDeliverEverythingToAllAndArchiveWhatAllHaveFinished(
      @ForAll Recycling recycling, @ForAll("histories") List<Step> history) throws Exception {
    strategy = block -> noting(recycling.strategy, block);
    open();
    subscribe(2, 2); // the one with the narrow limits, from the earliest on
    for (Step step : history) {
      run(step);
      assertThat(firstNow()).isLessThanOrEqualTo(Math.max(gone, floor()));
    }
    subscribe(0, 0);
    finishAll();
    settle();
    for (SubscriberModel model : models.values()) {
      assertThat(model.lag(end())).isZero();
      Subscriber<byte[]> subscriber = queue.subscriber(model.config());
      await().pollInterval(Duration.ofMillis(2)).until(() -> subscriber.stats().lag() == 0);
      assertThat(dead(subscriber)).containsExactlyInAnyOrderElementsOf(model.dead());
    }
    restart();
    settle();
  }

  /** Notes where blocks end: a strategy's yes is carried out under the same lock. */
  private boolean noting(RecycleStrategy delegate, BlockInfo block) {
    boolean due = delegate.isDue(block);
    if (due) {
      blockEnds.add(block.firstSequence() + block.messages());
    }
    return due;
  }

  private void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.bytes())
            .directory(directory.resolve("data"))
            .backup(directory.resolve("backup"), Duration.ofDays(365))
            .recycle(strategy)
            .syncInterval(Duration.ofMillis(5)) // the pace of housekeeping, too
            .maxMessageBytes(16 << 10)
            .timeSource(time)
            .open();
    assertThat(queue.stats().nextSequence()).isEqualTo(end());
  }

  private long end() {
    return published.size();
  }

  private long millis() {
    return time.nanoTime() / 1_000_000;
  }

  private long floor() {
    return models.values().stream().mapToLong(SubscriberModel::floor).min().orElse(0);
  }

  private void run(Step step) throws Exception {
    switch (step.verb()) {
      case PUBLISH -> publish(1 + step.a() % 4, 1 + step.b());
      case BATCH -> batch(1 + step.a());
      case SUBSCRIBE -> subscribe(step.a(), step.b());
      case NEXT -> next(model(step.a()), 1 + step.b());
      case TAKE_BATCH -> takeBatch(step.a(), 1 + step.b());
      case ACK -> ack(step.a(), step.b());
      case ACK_UP_TO -> ackUpTo(step.a(), step.b());
      case NACK -> giveBack(step.a(), step.b(), false);
      case RELEASE -> giveBack(step.a(), step.b(), true);
      case REJECT -> reject(step.a(), step.b());
      case SETTLE_BY_RECEIPT -> settleByReceipt(step.a(), step.b());
      case PEEK -> peek(step.a(), 1 + step.b());
      case ADVANCE -> time.advance(Duration.ofSeconds(1 + 3L * step.a()));
      case CLOSE_SUBSCRIBER -> closeSubscriber(step.a());
      case RESTART -> restart();
      case SETTLE -> settle();
    }
  }

  private static Message<byte[]> message(long seed) {
    Random random = new Random(seed);
    byte[] data = new byte[random.nextInt(8) == 0 ? random.nextInt(10_000) : random.nextInt(50)];
    random.nextBytes(data);
    Message<byte[]> message = Message.of(data);
    if (random.nextBoolean()) {
      message = message.withKey("key-" + random.nextInt(100));
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      message =
          message.withHeader("h" + i, ("v" + random.nextInt()).getBytes(StandardCharsets.UTF_8));
    }
    return message;
  }

  private void publish(int publishers, int each) throws Exception {
    long seed = end() * 1_000;
    List<Future<List<Long>>> all = new ArrayList<>();
    for (int p = 0; p < publishers; p++) {
      long own = seed + p * 100L;
      all.add(
          threads.submit(
              () -> {
                List<Long> sequences = new ArrayList<>();
                for (int i = 0; i < each; i++) {
                  Message<byte[]> message = message(own + i);
                  long sequence = queue.publisher().publish(message);
                  assertThat(published.put(sequence, message)).isNull();
                  sequences.add(sequence);
                }
                return sequences;
              }));
    }
    for (Future<List<Long>> one : all) {
      assertThat(one.get()).isSorted();
    }
    assertThat(queue.stats().nextSequence()).isEqualTo(end());
  }

  private void batch(int size) {
    List<Message<byte[]>> messages = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      messages.add(message(end() * 1_000 + i));
    }
    long first = queue.publisher().publish(messages);
    assertThat(first).isEqualTo(end());
    for (int i = 0; i < size; i++) {
      published.put(first + i, messages.get(i));
    }
  }

  private static SubscriberConfig config(int which, Position start) {
    return SubscriberConfig.builder("subscriber-" + which)
        .ack(which != 1)
        .ackTimeout(ACK_TIMEOUT)
        .maxInFlight(which == 2 ? 3 : 50)
        .window(which == 2 ? 6 : 10_000)
        .maxDeliveries(which == 0 ? 3 : 0)
        .backoff(which == 0 ? Backoff.fixed(Duration.ofSeconds(7)) : Backoff.none())
        .start(start)
        .build();
  }

  private void subscribe(int a, int b) {
    Position start =
        switch (b % 4) {
          case 0 -> Position.latest();
          case 1 -> Position.sequence(b * 4L);
          default -> Position.earliest();
        };
    SubscriberConfig config = config(a % SUBSCRIBERS, start);
    if (models.containsKey(config.name())) {
      queue.subscriber(config);
      return;
    }
    long first = queue.stats().firstSequence();
    long from = queue.subscriber(config).stats().ackFloor();
    if (start.equals(Position.latest())) {
      assertThat(from).isEqualTo(end());
    } else if (start instanceof Position.At at) { // whatever has left the log is in the backup
      assertThat(from).isEqualTo(Math.min(at.sequence(), end()));
    } else {
      assertThat(from).isBetween(first, firstNow());
    }
    gone = firstNow(); // to which it may have come too late
    models.put(config.name(), new SubscriberModel(config, from));
  }

  private long firstNow() {
    return queue.stats().firstSequence();
  }

  /** The subscriber that a number means; null if there is none yet. */
  private SubscriberModel model(int a) {
    return models.isEmpty() ? null : List.copyOf(models.values()).get(a % models.size());
  }

  private Subscriber<byte[]> subscriber(SubscriberModel model) {
    return queue.subscriber(model.config());
  }

  private void next(SubscriberModel model, int times) {
    for (int i = 0; model != null && i < times; i++) {
      Delivery<byte[]> delivery = subscriber(model).next();
      if (delivery == null && areGivenUpSafe(model)) {
        delivery = subscriber(model).next();
      }
      if (delivery == null) {
        model.nothing(end(), millis());
        return;
      }
      shouldBeAsPublished(delivery);
      model.handedOver(delivery, end(), millis());
    }
  }

  private void takeBatch(int a, int max) throws InterruptedException {
    SubscriberModel model = model(a);
    if (model == null) {
      return;
    }
    int missing = max - takeBatch(model, max);
    if (missing > 0 && areGivenUpSafe(model)) {
      missing -= takeBatch(model, missing);
    }
    if (missing > 0) {
      model.nothing(end(), millis());
    }
  }

  private int takeBatch(SubscriberModel model, int max) throws InterruptedException {
    List<Delivery<byte[]>> taken = subscriber(model).batch(max, Duration.ZERO);
    for (Delivery<byte[]> delivery : taken) {
      shouldBeAsPublished(delivery);
      model.handedOver(delivery, end(), millis());
    }
    return taken.size();
  }

  /**
   * After a poll that gave less than was asked for: a message that was given up keeps its place in
   * the window until its dead letter is safe, and that is the background's work.
   *
   * @return whether a further poll may give more, because there were such messages, and are no more
   */
  private boolean areGivenUpSafe(SubscriberModel model) {
    if (!model.areSomeGivenUp(end(), millis())) {
      return false;
    }
    Subscriber<byte[]> subscriber = subscriber(model);
    await()
        .pollInterval(Duration.ofMillis(2))
        .until(() -> subscriber.stats().lag() == model.lag(end()));
    return true;
  }

  private void shouldBeAsPublished(Delivery<byte[]> delivery) {
    Message<byte[]> message = published.get(delivery.sequence());
    assertThat(delivery.data()).isEqualTo(message.data());
    assertThat(delivery.key()).isEqualTo(message.key());
    assertThat(delivery.headers().keySet()).containsExactlyElementsOf(message.headers().keySet());
    delivery
        .headers()
        .forEach((name, value) -> assertThat(value).isEqualTo(message.headers().get(name)));
  }

  private void ack(int a, int b) {
    SubscriberModel model = model(a);
    if (model == null || model.out().isEmpty()) {
      return;
    }
    List<Delivery<byte[]>> out = model.out();
    int from = b % out.size();
    for (Delivery<byte[]> delivery : out.subList(from, Math.min(out.size(), from + 1 + b / 2))) {
      delivery.ack();
      delivery.ack();
      model.acked(delivery);
    }
  }

  private void ackUpTo(int a, int b) {
    SubscriberModel model = model(a);
    if (model == null || model.out().isEmpty()) {
      return;
    }
    Delivery<byte[]> last = model.out().get(b % model.out().size());
    subscriber(model).ackUpTo(last);
    model.ackedUpTo(last);
  }

  private void giveBack(int a, int b, boolean release) {
    SubscriberModel model = model(a);
    if (model == null || model.out().isEmpty()) {
      return;
    }
    Delivery<byte[]> delivery = model.out().get(b % model.out().size());
    if (release) {
      delivery.release();
      model.released(delivery);
    } else {
      Duration delay = Duration.ofSeconds(b % 3 * 5L);
      delivery.nack(delay);
      if (model.isLast(delivery)) {
        model.rejected(delivery);
      } else {
        model.givenBack(delivery, delay, millis());
      }
    }
  }

  private void reject(int a, int b) {
    SubscriberModel model = model(a);
    if (model == null || model.out().isEmpty()) {
      return;
    }
    Delivery<byte[]> delivery = model.out().get(b % model.out().size());
    delivery.reject("no");
    delivery.reject("no");
    model.rejected(delivery);
  }

  private void settleByReceipt(int a, int b) {
    SubscriberModel model = model(a);
    if (model == null || model.out().isEmpty()) {
      return;
    }
    List<Delivery<byte[]>> out = model.out();
    List<Delivery<byte[]>> some = out.subList(b % out.size(), out.size());
    List<String> receipts = some.stream().map(Delivery::receipt).toList();
    Settlement action = b % 2 == 0 ? Settlement.ack() : Settlement.release();
    for (int i = 0; i < 2; i++) { // again is harmless
      assertThat(subscriber(model).settle(receipts, action)).containsOnly(Settled.OK);
    }
    for (Delivery<byte[]> delivery : some) {
      if (b % 2 == 0) {
        model.acked(delivery);
      } else {
        model.released(delivery);
      }
    }
  }

  private void peek(int a, int max) {
    SubscriberModel model = model(a);
    if (model == null) {
      return;
    }
    next(model, 1); // has what is due noticed
    List<Long> seen = subscriber(model).peek(max).stream().map(Delivery::sequence).toList();
    List<Long> visible = model.visible(end(), millis());
    assertThat(seen).isEqualTo(visible.subList(0, Math.min(max, visible.size())));
  }

  private static List<Long> dead(Subscriber<byte[]> subscriber) {
    return subscriber.deadLetters().peek(Integer.MAX_VALUE).stream()
        .map(
            letter ->
                Long.valueOf(
                    new String(letter.headers().get(DeadLetters.SEQUENCE), StandardCharsets.UTF_8)))
        .toList();
  }

  private void closeSubscriber(int a) {
    SubscriberModel model = model(a);
    if (model != null) {
      subscriber(model).close();
      model.restarted();
    }
  }

  private void restart() {
    queue.close();
    models.values().forEach(SubscriberModel::restarted);
    open();
  }

  /** Takes and acknowledges until every subscriber has finished every message. */
  private void finishAll() {
    for (SubscriberModel model : models.values()) {
      for (int round = 0; model.lag(end()) > 0; round++) {
        assertThat(round).as("rounds to finish %s", model.config().name()).isLessThan(200);
        time.advance(ACK_TIMEOUT);
        next(model, 1_000);
        for (Delivery<byte[]> delivery : model.out()) {
          delivery.ack();
          model.acked(delivery);
        }
      }
    }
  }

  /** Waits for housekeeping: in the backup is what all have finished, in the log all the rest. */
  private void settle() {
    await().pollInterval(Duration.ofMillis(2)).until(() -> firstNow() == drained());
    long first = firstNow();
    int blocks = blockEnds.headSet(first, true).size();
    await().pollInterval(Duration.ofMillis(2)).until(() -> queue.stats().backups() >= blocks);
    // one more where a subscriber came while all had finished the oldest block: it stays for him
    assertThat(queue.stats().backups()).isLessThanOrEqualTo(blocks + 1);
    for (long sequence = 0; sequence < end(); sequence++) {
      Delivery<byte[]> found = queue.read(sequence).orElseThrow();
      assertThat(found.sequence()).isEqualTo(sequence);
      shouldBeAsPublished(found);
    }
    assertThat(queue.read(end())).isEmpty();
  }

  /** Where the log should begin. */
  private long drained() {
    Long last = blockEnds.floor(floor());
    return models.isEmpty() || last == null ? gone : Math.max(gone, last);
  }
}
