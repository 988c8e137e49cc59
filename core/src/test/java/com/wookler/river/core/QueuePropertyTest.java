package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Random histories of one queue against {@link SubscriberModel}: whatever the order of what
 * happens, every subscriber gets every message, in order of the first delivery, with the bytes that
 * were published, and exactly the blocks that all have finished are in the backup.
 *
 * <p>{@code -Driver.model.histories} says how many. On a failure jqwik prints the seed and the
 * shortest history it found; {@code -Driver.model.seed} repeats what a seed gave.
 */
class QueuePropertyTest {
  enum Verb {
    PUBLISH,
    BATCH,
    PUBLISH_FOR_LATER,
    PUBLISH_IF,
    PUT,
    PUT_FROM,
    COMPACT,
    SUBSCRIBE,
    NEXT,
    TAKE_BATCH,
    CONSUME,
    READ_KEY,
    VIEW,
    ACK,
    ACK_AND_PUBLISH,
    ACK_AND_PUBLISH_HERE,
    ACK_UP_TO,
    NACK,
    RELEASE,
    REJECT,
    REDRIVE,
    EXTEND,
    SETTLE_BY_RECEIPT,
    DECIDE_TOO_LATE,
    LEASE,
    PEEK,
    SEEK,
    PURGE,
    PAUSE,
    RESUME,
    ADVANCE,
    STATUS,
    CANCEL,
    REPLACE,
    DELETE,
    ERASE,
    TRIM,
    REMOVE_SUBSCRIBER,
    EXPIRE_SUBSCRIBER,
    CLOSE_SUBSCRIBER,
    RESTART,
    KILL,
    RESTORE,
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

  /** So many histories, from this seed, if that is said. */
  static final class Asked implements AroundPropertyHook {
    @Override
    public PropertyExecutionResult aroundProperty(
        PropertyLifecycleContext context, PropertyExecutor property) {
      context.attributes().setTries(Integer.getInteger("river.model.histories", 8));
      String seed = System.getProperty("river.model.seed");
      if (seed != null) {
        context.attributes().setSeed(seed);
      }
      return property.execute();
    }

    @Override
    public int aroundPropertyProximity() {
      return -100; // before the histories are made
    }
  }

  private static final List<QueueStatus> REFUSING =
      List.of(QueueStatus.READ_ONLY, QueueStatus.QUIESCENT, QueueStatus.DOWN);

  private static ExecutorService threads;

  private ModelledQueue queue;
  private Consumers consumers;
  private Readers readers;
  private Expirations expirations;
  private Repetitions repetitions;

  @BeforeContainer
  static void start() {
    threads = Executors.newFixedThreadPool(4);
  }

  @AfterContainer
  static void end() {
    threads.shutdownNow();
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
  @AddLifecycleHook(Asked.class)
  void shouldDeliverEverythingToAllAndArchiveWhatAllHaveFinished(
      @ForAll Recycling recycling, @ForAll("histories") List<Step> history) throws Exception {
    try (ModelledQueue opened = new ModelledQueue(recycling.strategy)) {
      queue = opened;
      consumers = new Consumers(opened);
      readers = new Readers(opened);
      expirations = new Expirations(opened);
      repetitions = new Repetitions(opened);
      queue.subscribe(2, Position.earliest()); // the one with the narrow limits
      queue.subscribe(3, Position.earliest()); // the one with the order of keys
      queue.subscribe(4, Position.earliest()); // the one with the strict order
      queue.subscribe(5, Position.earliest()); // the one with a rate
      queue.subscribe(6, Position.earliest()); // the one with owners
      for (Step step : history) {
        run(step.verb(), step.a(), step.b());
        queue.shouldHoldWhatIsUnfinished();
      }
      queue.subscribe(0, Position.latest());
      queue.finishAll(consumers);
      queue.settle();
      queue.restart();
      queue.settle();
      expirations.expireQueue();
    }
  }

  private void run(Verb verb, int a, int b) throws Exception {
    switch (verb) {
      case PUBLISH -> publish(1 + a % 4, 1 + b);
      case BATCH -> batch(1 + a);
      case PUBLISH_FOR_LATER -> publishForLater(a, b);
      case PUBLISH_IF -> publishIf(a, b);
      case PUT -> put(a, b);
      case PUT_FROM -> repetitions.putFrom(a % 2, b, message(queue.log.end() * 1_000));
      case COMPACT -> queue.compact();
      case SUBSCRIBE -> queue.subscribe(a, position(b));
      case NEXT -> consumers.next(a, 1 + b);
      case TAKE_BATCH -> consumers.takeBatch(a, 1 + b);
      case CONSUME -> consumers.consume(a, 1 + 2 * b);
      case READ_KEY -> readers.readKey("key-" + a % 5, queue.log.end() * b / 24, 1 + a);
      case VIEW -> readers.view(queue.log.end() * b / 24);
      case ACK -> consumers.ack(a, b);
      case ACK_AND_PUBLISH -> consumers.ackAndPublish(a, b);
      case ACK_AND_PUBLISH_HERE ->
          consumers.ackAndPublishHere(a, b, message(queue.log.end() * 1_000));
      case ACK_UP_TO -> consumers.ackUpTo(a, b);
      case NACK -> consumers.decide(a, b, nack(b));
      case RELEASE -> consumers.decide(a, b, Settlement.release());
      case REJECT -> consumers.decide(a, b, Settlement.reject("no"));
      case REDRIVE -> consumers.redrive(a, 1 + b % 4);
      case EXTEND -> consumers.decide(a, b, extend(b));
      case SETTLE_BY_RECEIPT -> consumers.settleByReceipt(a, b, settlement(b));
      case DECIDE_TOO_LATE -> consumers.decideTooLate(a, b);
      case LEASE -> consumers.lease(a, b);
      case PEEK -> consumers.peek(a, 1 + b);
      case SEEK -> queue.seek(queue.model(a), position(b));
      case PURGE -> consumers.purge(a);
      case PAUSE -> consumers.pause(a, true);
      case RESUME -> consumers.pause(a, false);
      case ADVANCE -> queue.advance(Duration.ofSeconds(1 + 3L * a));
      case STATUS -> status(REFUSING.get(a % REFUSING.size()), b);
      case CANCEL -> atPlace(b, place -> queue.cancel(place, a % 3 == 0));
      case REPLACE -> atPlace(b, place -> queue.replace(place, message(queue.log.end() * 1_000)));
      case DELETE -> atPlace(b, place -> queue.delete(place, Math.min(queue.log.end(), place + a)));
      case ERASE -> atPlace(b, place -> queue.erase(place, 1 + a % 4));
      case TRIM -> atPlace(a * b % 12, queue::trim);
      case REMOVE_SUBSCRIBER -> queue.remove(queue.model(a));
      case EXPIRE_SUBSCRIBER -> expirations.expire(queue.model(a));
      case CLOSE_SUBSCRIBER -> queue.closeSubscriber(queue.model(a));
      case RESTART -> queue.restart();
      case KILL -> queue.kill();
      case RESTORE -> queue.restore();
      case SETTLE -> queue.settle();
    }
  }

  /** Another status for a while, across a restart or a kill, too. */
  private void status(QueueStatus status, int b) throws Exception {
    queue.queue().status(status);
    if (b % 3 == 1) {
      queue.restart();
    } else if (b % 3 == 2) {
      queue.kill();
    }
    assertThat(queue.queue().stats().status()).isEqualTo(status);
    assertThatThrownBy(() -> queue.publish(message(b))).isInstanceOf(QueueStatusException.class);
    consumers.shouldGet(status, b);
    queue.queue().status(QueueStatus.UP);
  }

  private void atPlace(int b, LongConsumer act) {
    if (queue.log.end() > 0) {
      act.accept(queue.log.end() * b / 12);
    }
  }

  private Position position(int b) {
    long place = queue.log.end() * b / 12;
    return switch (b % 4) {
      case 0 -> Position.latest();
      case 1 -> Position.sequence(place);
      case 2 -> Position.earliest();
      default ->
          Position.time(
              place == queue.log.end()
                  ? queue.time.wallTime()
                  : queue.log.writtenAt(place).plusMillis(b % 3 - 1));
    };
  }

  private static Settlement nack(int b) {
    return b % 4 == 3 ? Settlement.nack() : Settlement.nack(Duration.ofSeconds(b % 4 * 5L));
  }

  private static Settlement extend(int b) {
    return Settlement.extend(b == 11 ? Duration.ofHours(13) : Duration.ofSeconds(1 + b * 7L));
  }

  private static Settlement settlement(int b) {
    return switch (b % 5) {
      case 0, 1 -> Settlement.ack();
      case 2 -> Settlement.release();
      case 3 -> Settlement.reject("no");
      default -> nack(b);
    };
  }

  private static Message<byte[]> message(long seed) {
    Random random = new Random(seed);
    byte[] data = new byte[random.nextInt(8) == 0 ? random.nextInt(10_000) : random.nextInt(50)];
    random.nextBytes(data);
    Message<byte[]> message = Message.of(data);
    if (random.nextInt(3) > 0) {
      message = message.withKey("key-" + random.nextInt(5));
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      message =
          message.withHeader("h" + i, ("v" + random.nextInt()).getBytes(StandardCharsets.UTF_8));
    }
    return message;
  }

  private void publish(int publishers, int each) throws Exception {
    long seed = queue.log.end() * 1_000;
    List<Future<?>> all = new ArrayList<>();
    for (int p = 0; p < publishers; p++) {
      long own = seed + p * 100L;
      all.add(
          threads.submit(
              () -> {
                for (int i = 0; i < each; i++) {
                  queue.publish(message(own + i));
                }
              }));
    }
    for (Future<?> one : all) {
      one.get();
    }
    assertThat(queue.queue().stats().nextSequence()).isEqualTo(queue.log.end());
  }

  private void batch(int size) {
    List<Message<byte[]>> messages = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      messages.add(message(queue.log.end() * 1_000 + i));
    }
    queue.publish(messages);
  }

  /** Some with ids that others may have, and some for later. */
  private void put(int a, int b) {
    List<Message<byte[]>> batch = new ArrayList<>();
    for (int i = 0; i <= b % 4; i++) {
      Message<byte[]> message =
          message(queue.log.end() * 1_000 + i).withId("id-" + (a + i * b) % 5);
      batch.add(i % 3 == 2 ? message.deliverAfter(Duration.ofSeconds(1 + a)) : message);
    }
    repetitions.put(batch);
  }

  /** Stored only if the next sequence, or the last place of the key, is the expected one. */
  private void publishIf(int a, int b) {
    Message<byte[]> message = message(queue.log.end() * 1_000);
    if (message.key() == null || b % 3 == 0) {
      queue.publishIf(queue.log.end() + a % 2, message);
    } else {
      queue.publishIfLatest(a % 2 == 0, message);
    }
  }

  /** Each due at another time, the last one first. */
  private void publishForLater(int a, int b) {
    for (int i = 0; i <= a % 4; i++) {
      Duration delay = Duration.ofSeconds(1 + b * 3L + (a % 4 - i) * 5L);
      queue.publish(message(queue.log.end() * 1_000).deliverAfter(delay));
    }
  }
}
