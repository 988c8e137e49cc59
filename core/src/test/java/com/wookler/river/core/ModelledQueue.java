package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.log.BlockInfo;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.ConflictException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.awaitility.core.ThrowingRunnable;

/**
 * A queue beside the models of its log and its subscribers: opened, closed and killed, with its
 * blocks and its backup looked at.
 */
final class ModelledQueue implements AutoCloseable {
  /** How many subscribers there may be. */
  static final int SUBSCRIBERS = 7;

  private static final int EXCLUSIVE = 6; // its number

  private static final int BLOCK_BYTES = 1 << 20; // a kill copies them

  static final Duration ACK_TIMEOUT = Duration.ofSeconds(30);

  final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  final LogModel log = new LogModel(time);

  private final Map<String, SubscriberModel> models = new TreeMap<>();
  private final NavigableSet<Long> blockEnds = new ConcurrentSkipListSet<>();
  private final RecycleStrategy strategy;
  private final Path base;
  private Path directory;
  private MessageQueue<byte[]> queue;
  private int copies;
  private long gone; // messages that had left the log when somebody came, or came back

  ModelledQueue(RecycleStrategy strategy) throws IOException {
    this.strategy = strategy;
    this.base = Files.createTempDirectory("river-queue");
    this.directory = base.resolve("0");
    this.queue = open();
  }

  private MessageQueue<byte[]> open() {
    MessageQueue<byte[]> opened =
        MessageQueue.builder("orders", MessageConverter.bytes())
            .directory(directory.resolve("data"))
            .backup(directory.resolve("backup"), Duration.ofDays(365))
            .recycle(this::noting)
            .keyIndex(true)
            .deduplicate(Repetitions.WINDOW)
            .blockBytes(BLOCK_BYTES)
            .syncInterval(Duration.ofMillis(5)) // the pace of housekeeping, too
            .maxMessageBytes(16 << 10)
            .timeSource(time)
            .open();
    assertThat(opened.stats().nextSequence()).isEqualTo(log.end());
    return opened;
  }

  /** Notes where blocks end: a strategy's yes is carried out under the same lock. */
  private boolean noting(BlockInfo block) {
    boolean due = strategy.isDue(block) || block.bytes() > BLOCK_BYTES / 2; // before it is full
    if (due) {
      blockEnds.add(block.firstSequence() + block.messages());
    }
    return due;
  }

  MessageQueue<byte[]> queue() {
    return queue;
  }

  long millis() {
    return time.nanoTime() / 1_000_000;
  }

  static void eventually(ThrowingRunnable what) {
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(Duration.ofMinutes(1)) // of a machine that has much else to do
        .untilAsserted(what);
  }

  Collection<SubscriberModel> models() {
    return models.values();
  }

  /** What another process sees of it. */
  QueueView view() {
    return River.openReadOnly(ownDirectory(), directory.resolve("backup/orders"));
  }

  Path ownDirectory() {
    return directory.resolve("data/orders");
  }

  /** The subscriber that a number means; there is one at least. */
  SubscriberModel model(int a) {
    return List.copyOf(models.values()).get(a % models.size());
  }

  /** Where consumers poll: an exclusive subscriber as one of its owners. */
  Subscriber<byte[]> poller(SubscriberModel model) {
    Subscriber<byte[]> subscriber = subscriber(model);
    LeaseModel lease = model.lease();
    return lease == null || lease.polling().isEmpty()
        ? subscriber
        : subscriber.consumer(lease.polling());
  }

  /** The exclusive subscriber, if it is there. */
  Optional<SubscriberModel> exclusive() {
    return models.values().stream().filter(model -> model.lease() != null).findFirst();
  }

  Subscriber<byte[]> subscriber(SubscriberModel model) {
    Subscriber<byte[]> subscriber = queue.subscriber(model.config());
    model.opened(subscriber, millis());
    return subscriber;
  }

  void publish(Message<byte[]> message) {
    log.published(queue.publisher().publish(message), message);
  }

  void publish(List<Message<byte[]>> batch) {
    long first = queue.publisher().putAll(batch, Durability.MEMORY).sequence();
    assertThat(first).isEqualTo(log.end());
    for (int i = 0; i < batch.size(); i++) {
      log.published(first + i, batch.get(i));
    }
  }

  /** Removes messages of which a later one has the key, and none that a subscriber has to see. */
  void compact() {
    long floor = floor();
    long removed = queue.compact();
    long found = 0;
    for (long place = 0; place < log.end(); place++) {
      if (!log.isPassedOver(place) && queue.read(place).isEmpty()) {
        assertThat(place).as("removed, and not completed").isLessThan(floor);
        log.compacted(place);
        found++;
      }
    }
    assertThat(found).isLessThanOrEqualTo(removed); // some had been taken back before
  }

  /** Stored, or refused with the actual sequence. */
  void publishIf(long expected, Message<byte[]> message) {
    try {
      log.published(queue.putIf(expected, message, Durability.MEMORY).sequence(), message);
      assertThat(expected).isEqualTo(log.end() - 1);
    } catch (ConflictException e) {
      assertThat(e.actual()).hasValue(log.end());
      assertThat(expected).isNotEqualTo(log.end());
    }
  }

  /** Whether the last of a key depends on what compaction and removal have left in the log. */
  boolean isLastUncertain(String key) {
    OptionalLong last = log.last(key);
    return log.isErased(key) || (last.isPresent() && log.isRemoved(last.getAsLong()));
  }

  /** As expected, or with another expectation. */
  void publishIfLatest(boolean right, Message<byte[]> message) {
    OptionalLong last = log.last(message.key());
    if (isLastUncertain(message.key())) {
      return;
    }
    OptionalLong expected = right ? last : OptionalLong.of(log.end());
    try {
      PublishResult result = queue.putIfLatest(message.key(), expected, message, Durability.MEMORY);
      log.published(result.sequence(), message);
      assertThat(right).isTrue();
    } catch (ConflictException e) {
      assertThat(right).isFalse();
      assertThat(e.actual()).isEqualTo(last);
    }
  }

  /** Takes back the message at a place, and perhaps all of its key. */
  void cancel(long place, boolean byKey) {
    allAreOpen();
    String key = log.key(place);
    List<Long> places =
        byKey && key != null
            ? LongStream.range(0, log.end()).boxed().filter(at -> key.equals(log.key(at))).toList()
            : List.of(place(place));
    List<Long> waiting = places.stream().filter(this::isWaiting).toList();
    boolean out = waiting.stream().anyMatch(this::isOut);
    CancelResult result =
        byKey && key != null ? queue.tryCancelByKey(key) : queue.tryCancel(log.sequence(place));
    shouldBe(result, !waiting.isEmpty(), out);
    waiting.forEach(log::cancelled);
    removed(waiting::contains);
  }

  /** Publishes in place of another message, if that waits. */
  void replace(long place, Message<byte[]> message) {
    allAreOpen();
    long at = place(place);
    boolean waits = isWaiting(at);
    boolean out = waits && isOut(at);
    ReplaceResult result = queue.tryReplace(log.sequence(place), message);
    assertThat(result.sequence()).isEqualTo(waits ? log.end() : -1);
    shouldBe(result.replaced(), waits, out);
    if (waits) {
      byte[] origin = Repetitions.header(queue.identity(), log.sequence(place));
      log.published(result.sequence(), message.withHeader(ForwardOrigin.REPLACED, origin));
      log.cancelled(at);
      removed(each -> each == at);
    }
  }

  /** A time that is over may not have been noticed. */
  private static void shouldBe(CancelResult result, boolean waits, boolean out) {
    assertThat(result == CancelResult.NOT_WAITING).isEqualTo(!waits);
    assertThat(result == CancelResult.IN_FLIGHT || !out).isTrue();
  }

  /** Removes a range for all. */
  void delete(long from, long end) {
    allAreOpen();
    assertThat(queue.delete(from, end)).isLessThanOrEqualTo(Math.max(0, end - from));
    log.removed(from, end);
    removed(place -> isWithin(place, from, end) || isWithin(log.sequence(place), from, end));
  }

  /** Erases the messages at some places in a row, at both of its places each that was delayed. */
  void erase(long place, int count) {
    allAreOpen();
    Set<Long> sequences = new HashSet<>();
    for (long at = place; at < Math.min(place + count, log.end()); at++) {
      sequences.add(log.sequence(at));
    }
    List<Long> places =
        LongStream.range(0, log.end())
            .filter(at -> sequences.contains(log.sequence(at)))
            .boxed()
            .toList();
    boolean isThere = places.stream().anyMatch(at -> log.present().contains(at));
    boolean wasErased = places.stream().allMatch(log::isErased);
    long last = blockEnds.isEmpty() ? 0 : blockEnds.last();
    if (places.stream().anyMatch(at -> at >= last)) {
      blockEnds.add(log.end()); // of the active block, which is closed for it
    }
    long bytes = count == 1 ? queue.erase(log.sequence(place)) : queue.erase(sequences);
    assertThat(bytes > 0 || !isThere).as("erased").isTrue();
    assertThat(bytes == 0 || !wasErased).as("erased again").isTrue();
    places.forEach(log::erased);
    removed(places::contains);
  }

  private static boolean isWithin(long place, long from, long end) {
    return place >= from && place < end;
  }

  private void removed(LongPredicate isMeant) {
    models.values().forEach(model -> model.removed(isMeant));
  }

  /** Removes the oldest in the log, and moves all past them. */
  void trim(long end) {
    settle();
    long first = firstNow();
    Trim trim = end % 2 == 0 ? Trim.before(end) : Trim.toCount(log.end() - end);
    long most = Math.max(0, end - first) + log.delayed();
    assertThat(queue.trim(trim)).isBetween(0L, most);
    log.removed(first, end);
    LongStream.range(0, Math.min(first, end)) // delayed ones hold up no block
        .filter(log::waits)
        .forEach(place -> log.removed(place, place + 1));
    models.values().forEach(model -> model.discarded(end));
  }

  /** Opens what is closed, and waits until what is given up is finished. */
  private void allAreOpen() {
    for (SubscriberModel model : models.values()) {
      subscriber(model);
      expire(model);
      bury(model);
    }
  }

  /** Where a message is delivered that was published at a place. */
  private long place(long place) {
    long sequence = log.sequence(place);
    return LongStream.range(0, log.end())
        .filter(at -> log.sequence(at) == sequence && !log.isDelayed(at))
        .findFirst()
        .orElse(sequence);
  }

  private boolean isWaiting(long place) {
    return !log.isRemoved(place)
        && (log.waits(place) || models.values().stream().anyMatch(model -> model.isPending(place)));
  }

  private boolean isOut(long place) {
    return models.values().stream().anyMatch(model -> model.isOut(place));
  }

  /** Moves the clock, and waits until what was delayed and is due stands in the log. */
  void advance(Duration by) {
    time.advance(by);
    log.fallDue();
    eventually(
        () -> {
          assertThat(queue.stats().nextSequence()).isEqualTo(log.end());
          assertThat(queue.stats().delayed()).isEqualTo(log.delayed());
        });
  }

  private static SubscriberConfig config(int which, Position start) {
    return SubscriberConfig.builder("subscriber-" + which)
        .ack(which != 1)
        .ackTimeout(ACK_TIMEOUT)
        .order(which == 3 ? Order.KEY : which == 4 ? Order.STRICT : Order.SEQUENCE)
        .maxRate(which == 5 ? 20 : 0)
        .maxInFlight(which == 2 ? 3 : 20)
        .window(which == 2 ? 6 : which == 3 ? 40 : 10_000)
        .maxDeliveries(which == 0 || which == 3 || which == 4 ? 3 : which == EXCLUSIVE ? 4 : 0)
        .exclusive(which == EXCLUSIVE)
        .lease(Duration.ofSeconds(which == EXCLUSIVE ? 10 : 30)) // 30 is the default
        .backoff(which == 0 || which == 3 ? Backoff.fixed(Duration.ofSeconds(7)) : Backoff.none())
        .start(start)
        .build();
  }

  /** Whom a number means comes, if it is not there. */
  void subscribe(int which, Position start) {
    SubscriberConfig config = config(which % SUBSCRIBERS, start);
    if (models.containsKey(config.name())) {
      Subscriber<byte[]> unused = subscriber(models.get(config.name()));
      return;
    }
    long first = firstNow();
    long from = queue.subscriber(config).stats().ackFloor();
    shouldBe(from, start, first);
    SubscriberModel model = new SubscriberModel(config, log, from);
    models.put(config.name(), model);
    Subscriber<byte[]> unused = subscriber(model);
  }

  void seek(SubscriberModel model, Position to) {
    long first = firstNow();
    subscriber(model).seek(to);
    long from = subscriber(model).stats().ackFloor();
    shouldBe(from, to, first);
    model.moved(from);
  }

  /** Whether a position led to the right place; what has left the log is in the backup. */
  private void shouldBe(long place, Position position, long first) {
    if (position.equals(Position.latest())) {
      assertThat(place).isEqualTo(log.end());
    } else if (position instanceof Position.At at) {
      shouldBe(place, Math.min(at.sequence(), log.end()));
    } else if (position instanceof Position.Since since) {
      shouldBe(place, log.firstAt(since.time()));
    } else {
      assertThat(place).isBetween(first, log.behindPassedOver(firstNow()));
    }
    gone = firstNow(); // to which it may have come too late
  }

  private void shouldBe(long place, long expected) {
    assertThat(place).isBetween(expected, log.behindPassedOver(expected));
  }

  /** All but the last may go. */
  void remove(SubscriberModel model) {
    if (models.size() > 1) {
      removed(model);
      assertThat(queue.removeSubscriber(model.config().name())).isTrue();
      assertThat(queue.removeSubscriber(model.config().name())).isFalse();
    }
  }

  void removed(SubscriberModel model) {
    models.remove(model.config().name());
  }

  void closeSubscriber(SubscriberModel model) {
    expire(model);
    subscriber(model).close();
    restarted(model);
  }

  /** Waits until all that timed out is noticed, so that it waits for its backoff on disk too. */
  private void expire(SubscriberModel model) {
    model.expire(millis());
    if (model.hasTimedOut()
        && model.config().maxDeliveries() > 0) { // or housekeeping need not look
      Subscriber<byte[]> subscriber = subscriber(model);
      eventually(() -> assertThat(subscriber.stats().inFlight()).isEqualTo(model.inFlight()));
    }
  }

  private void restarted(SubscriberModel model) {
    LongPredicate isCompleted = place -> subscriber(model).isFinished(place); // opens it if asked
    model.restarted(isCompleted);
  }

  private void restarted() {
    queue = open();
    models.values().forEach(this::restarted);
  }

  void restart() {
    models.values().forEach(this::expire);
    queue.close();
    restarted();
  }

  /** A way to copy what there is; false if it has to be tried again. */
  private interface Copying {
    boolean copy(Path from, Path to) throws IOException;
  }

  /** What the directory holds at this moment is all that is left. */
  void kill() throws IOException {
    continueIn(KilledCopy::of);
  }

  /** A snapshot takes the place of the queue that it was made of. */
  void restore() throws IOException {
    continueIn(
        (from, to) -> {
          QueueSnapshot made = queue.snapshot(to.resolve("data"));
          assertThat(made.nextSequence()).isEqualTo(log.end());
          Path backup = from.resolve("backup");
          return !Files.exists(backup) || KilledCopy.of(backup, to.resolve("backup"));
        });
  }

  private void continueIn(Copying copying) throws IOException {
    models.values().forEach(this::expire);
    copies++;
    Path left = base.resolve(String.valueOf(copies));
    List<Long> ends;
    do {
      if (Files.exists(left)) {
        DataDirectory.deleteTree(left);
      }
      ends = List.copyOf(blockEnds);
    } while (!copying.copy(directory, left) || !ends.equals(List.copyOf(blockEnds)));
    queue.close();
    DataDirectory.deleteTree(directory);
    blockEnds.retainAll(ends);
    directory = left;
    restarted();
  }

  /**
   * Waits until the letters of what is given up are safe: until then such a message keeps its place
   * and its key, and that is the background's work.
   *
   * @return whether there were any
   */
  boolean bury(SubscriberModel model) {
    boolean some = false;
    while (model.areSomeDying()) {
      some = true;
      Subscriber<byte[]> subscriber = subscriber(model);
      List<Long> dying = model.dying();
      eventually(() -> assertThat(dying).allMatch(subscriber::isFinished));
      model.died();
    }
    return some;
  }

  /**
   * The oldest in the log is never younger than what somebody needs. What was removed while it was
   * out is needed until its time is over, which housekeeping may have noticed.
   */
  void shouldHoldWhatIsUnfinished() {
    models.values().forEach(model -> model.expire(millis()));
    assertThat(firstNow()).isLessThanOrEqualTo(Math.max(gone, floor()));
  }

  private long floor() {
    return models.values().stream().mapToLong(this::surelyUnfinished).min().orElse(0);
  }

  /** What is given up may be finished already. */
  private long surelyUnfinished(SubscriberModel model) {
    return model.areSomeDying() ? Long.MAX_VALUE : model.floor();
  }

  private long firstNow() {
    return queue.stats().firstSequence();
  }

  /** Waits for housekeeping: in the backup is what all have finished, in the log all the rest. */
  void settle() {
    for (SubscriberModel model : models.values()) {
      subscriber(model); // one that is closed passes over nothing
      model.expire(millis());
      bury(model);
    }
    eventually(
        () -> {
          if (firstNow() != drained()) {
            queue.force(); // the clock stands still, and delayed messages are forced by it
          }
          assertThat(firstNow()).as("the oldest in the log").isEqualTo(drained());
          assertThat(queue.stats().backups()).isBetween(backups(), blockEnds.size());
        });
    List<Delivery<byte[]>> all = queue.read(0, Integer.MAX_VALUE);
    assertThat(all).extracting(Delivery::place).containsExactlyElementsOf(log.present());
    all.forEach(log::shouldBeAsPublished);
  }

  /** How many blocks are surely in the backup: those of which all was removed may be nowhere. */
  private int backups() {
    int count = 0;
    long first = 0;
    for (long end : blockEnds.headSet(firstNow(), true)) {
      long from = first;
      count += log.present().stream().anyMatch(place -> place >= from && place < end) ? 1 : 0;
      first = end;
    }
    return count;
  }

  /** Where the log should begin. */
  private long drained() {
    Long last = blockEnds.floor(floor());
    return last == null ? gone : Math.max(gone, last);
  }

  /** Takes and acknowledges until every subscriber has finished every message. */
  void finishAll(Consumers consumers) {
    for (SubscriberModel model : models.values()) {
      subscriber(model).resume();
      model.pause(false);
    }
    for (int round = 0; isSomethingLeft(); round++) {
      assertThat(round).as("rounds to finish all").isLessThan(200);
      models.values().forEach(consumers::finishWhatComes);
      advance(ACK_TIMEOUT);
    }
    for (SubscriberModel model : models.values()) {
      Subscriber<byte[]> subscriber = subscriber(model);
      eventually(() -> assertThat(subscriber.stats().lag()).isZero());
      List<Long> letters = new ArrayList<>(letters(subscriber));
      for (long dead : model.dead()) {
        assertThat(letters.remove(dead)).as("letter of %s", dead).isTrue();
      }
      model.perhapsDead().forEach(letters::remove);
      assertThat(letters).as("letters of what was not given up").isEmpty();
    }
  }

  private boolean isSomethingLeft() {
    return log.delayed() > 0 || models.values().stream().anyMatch(model -> model.lag() > 0);
  }

  private static List<Long> letters(Subscriber<byte[]> subscriber) {
    return subscriber.deadLetters().peek(Integer.MAX_VALUE).stream()
        .map(ModelledQueue::place)
        .toList();
  }

  /** Where the message was delivered that a letter is about. */
  static Long place(Delivery<byte[]> letter) {
    Map<String, byte[]> headers = letter.headers();
    byte[] place = headers.getOrDefault(DeadLetters.PLACE, headers.get(DeadLetters.SEQUENCE));
    return Long.valueOf(new String(place, StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    queue.close();
    DataDirectory.deleteTree(base);
  }
}
