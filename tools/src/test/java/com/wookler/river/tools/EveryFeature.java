package com.wookler.river.tools;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.PublishResult;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.forward.Forwards;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A queue with every feature on, open, and those that it works with: one that forwards to it, one
 * to which it forwards, and one for its expired messages. {@link #prepare} lets them live so that
 * each kind of file is there; {@link #look} finds out all that a user can see of them.
 */
final class EveryFeature implements AutoCloseable {
  static final String NAME = "fuzzed";
  static final String COPIES = "fuzzed-copies";
  static final String FEEDER = "fuzzed-feeder";
  static final String EXPIRED = "fuzzed-expired";
  static final List<String> SUBSCRIBERS = List.of("plain", "billing", "keyed", "expiring");

  private static final Instant BEGIN = Instant.parse("2026-11-20T10:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration LATER = Duration.ofHours(2); // what was delayed by an hour is due
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int KEYS = 7;
  private static final int FIRST_LIFE = 120;
  private static final int SECOND_LIFE = 160;
  private static final int DAMAGED = 62;
  private static final String DAMAGED_BLOCK = "b00000004.cq4";
  private static final String LOST_BLOCK = "b00000005";

  final ManualTimeSource time;
  private final List<MessageQueue<String>> open = new ArrayList<>();
  private final MessageQueue<String> expired;
  private final MessageQueue<String> queue;
  private final @Nullable Neighbours neighbours;

  /** The queues with which it exchanges messages; needed if what they have in common is damaged. */
  private record Neighbours(MessageQueue<String> copies, MessageQueue<String> feeder) {}

  /**
   * All that a user can see.
   *
   * @param messages that can be read, by sequence
   * @param refused sequences of those that a read calls damaged
   * @param deliveries to each subscriber
   * @param letters sequences of the messages that were given up
   * @param latest of each key
   * @param ids that were published anew, and where each stands then
   * @param copied sequences of those that the other queue has, in its order
   * @param fed sequences of those that came from the queue that forwards here
   * @param expired sequences in the queue for them
   * @param lost as the queue counts them
   */
  record Seen(
      Map<Long, String> messages,
      Set<Long> refused,
      Map<String, List<Long>> deliveries,
      Set<Long> letters,
      Map<String, Long> latest,
      Map<String, Long> ids,
      List<Long> copied,
      List<Long> fed,
      List<Long> expired,
      long lost) {}

  /**
   * Opens the queue.
   *
   * @param all whether the others are opened too
   */
  EveryFeature(Path base, Instant now, boolean all) {
    time = new ManualTimeSource(now);
    try {
      expired = keep(small(base, EXPIRED).open());
      MessageQueue<String> copies = all ? keep(small(base, COPIES).open()) : null;
      queue =
          keep(
              small(base, NAME)
                  .recycle(SizeBasedRecycle.ofMessages(20))
                  .keyIndex(true)
                  .deduplicate(DAY)
                  .forwardTo(COPIES)
                  .backup(base.resolve("backup"), Duration.ZERO)
                  .open());
      neighbours =
          all
              ? new Neighbours(
                  Objects.requireNonNull(copies), keep(small(base, FEEDER).forwardTo(NAME).open()))
              : null;
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  private MessageQueue<String> keep(MessageQueue<String> opened) {
    open.add(0, opened);
    return opened;
  }

  private MessageQueue.Builder<String> small(Path base, String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(base.resolve("queues"))
        .maxMessageBytes(64 << 10)
        .blockBytes(256 << 10)
        .timeSource(time);
  }

  /** When the second life ended, and a third may begin. */
  static Instant later() {
    return BEGIN.plus(Duration.ofMinutes(10));
  }

  /** What a message says of itself: where it was published, and enough more to be damaged. */
  static String data(String from, long number) {
    return from + ":" + number + ":" + "x".repeat((int) (number * 37 % 300));
  }

  static String id(long number) {
    return "id-" + number;
  }

  static boolean hasId(long number) {
    return number % 2 == 0;
  }

  /** The sequence of a message, behind which in its life others came. */
  static long sequence(long number) {
    return number < FIRST_LIFE ? number : number + FIRST_LIFE / 10;
  }

  /** Whether the message with this sequence, which is there, was delayed and is due by now. */
  static boolean isDelayed(long sequence) {
    long number = sequence < FIRST_LIFE ? sequence : sequence - FIRST_LIFE / 10;
    return number % 40 == 9;
  }

  private static Message<String> message(long number) {
    Message<String> message = Message.of(data(NAME, number));
    message = number % 3 == 0 ? message : message.withKey("key-" + number % KEYS);
    message = hasId(number) ? message.withId(id(number)) : message;
    if (number % 10 == 1) {
      message = message.expiresAfter(Duration.ofSeconds(1));
    } else if (number % 40 == 9) {
      message = message.deliverAfter(Duration.ofHours(1));
    } else if (number % 40 == 29) {
      message = message.deliverAfter(Duration.ofDays(300));
    }
    return message.withHeader("header", "value".getBytes(UTF_8));
  }

  /**
   * Makes the files under {@code base}, and in {@code old} those as they were once before.
   *
   * <p>The identities are fixed, so that a seed does the same damage each time.
   */
  static void prepare(Path base, Path old) throws Exception {
    int number = 0;
    for (String name : List.of(NAME, COPIES, FEEDER, EXPIRED)) {
      Path directory = Files.createDirectories(base.resolve("queues").resolve(name));
      new QueueIdentity(new UUID(4711, ++number), name, BEGIN.toString(), Set.of())
          .write(directory.resolve(QueueIdentity.FILE));
    }
    try (EveryFeature first = new EveryFeature(base, BEGIN, true)) {
      first.live(0, FIRST_LIFE);
    }
    assertThat(KilledCopy.of(base, old)).isTrue();
    damageOnce(base.resolve("queues").resolve(NAME).resolve("log"));
    try (EveryFeature second = new EveryFeature(base, BEGIN.plus(Duration.ofMinutes(5)), true)) {
      second.live(FIRST_LIFE, SECOND_LIFE);
    }
    trim(base.resolve("queues").resolve(NAME).resolve("log"));
  }

  /** So that there are gaps, and a record of damage. */
  private static void damageOnce(Path log) throws IOException {
    Path file = log.resolve(DAMAGED_BLOCK);
    byte[] bytes = Files.readAllBytes(file);
    int at = new String(bytes, ISO_8859_1).indexOf(NAME + ":" + DAMAGED);
    assertThat(at).isPositive();
    bytes[at] ^= 1;
    Files.write(file, bytes);
    Files.delete(log.resolve(LOST_BLOCK + ".cq4"));
    Files.delete(log.resolve(LOST_BLOCK + ".seal"));
  }

  /** The files of closed blocks are as long as their mapping was. */
  private static void trim(Path log) throws IOException {
    for (Map.Entry<Integer, Path> seal : LogFiles.list(log).seals().entrySet()) {
      Path data = log.resolve(BlockName.of(seal.getKey()) + ".cq4");
      try (FileChannel file = FileChannel.open(data, StandardOpenOption.WRITE)) {
        file.truncate(BlockFile.seal(seal.getValue(), seal.getKey()).bytes() + Integer.BYTES);
      }
    }
  }

  private static List<SubscriberConfig> configs() {
    return List.of(
        SubscriberConfig.builder("plain").build(),
        SubscriberConfig.builder("billing").ack(true).maxDeliveries(3).window(1000).build(),
        SubscriberConfig.builder("keyed").ack(true).order(Order.KEY).window(1000).build(),
        SubscriberConfig.builder("expiring").ack(true).window(1000).expiryQueue(EXPIRED).build());
  }

  private void live(int from, int to) throws InterruptedException {
    configs().forEach(queue::subscriber);
    for (int i = from; i < to; i++) {
      time.advance(Duration.ofMillis(1));
      queue.publisher().publish(message(i));
    }
    time.advance(Duration.ofSeconds(2));
    for (int i = from / 10; i < to / 10; i++) {
      others().feeder().publisher().publish(data(FEEDER, i));
    }
    settle();
    take("plain", 46);
    take("expiring", 46);
    take("keyed", 44);
    take("billing", 52);
    await(() -> queue.stats().archived() > 0 || from > 0);
    settle();
    queue.force();
    others().copies().force();
    expired.force();
  }

  private Neighbours others() {
    return Objects.requireNonNull(neighbours);
  }

  /** Takes some, and acknowledges all but a few of them. */
  private void take(String name, int max) throws InterruptedException {
    Subscriber<String> subscriber = queue.subscriber(name);
    List<Delivery<String>> taken = new ArrayList<>();
    while (taken.size() < max) {
      List<Delivery<String>> some =
          subscriber.batch(Math.min(4, max - taken.size()), Duration.ZERO);
      if (some.isEmpty()) {
        return;
      }
      for (Delivery<String> delivery : some) {
        taken.add(delivery);
        long number = delivery.sequence();
        if (name.equals("billing") && number % 17 == 6) {
          delivery.reject("no good");
        } else if (number < 40 || number % 5 > 0) {
          delivery.ack();
        } else if (number % 2 == 0) {
          delivery.nack(DAY);
        }
      }
    }
  }

  /** Until all is forwarded that can be. */
  private void settle() {
    await(
        () -> {
          others().feeder().force();
          queue.force();
          others().copies().force();
          return isForwarded(others().feeder()) && isForwarded(queue);
        });
  }

  private static boolean isForwarded(MessageQueue<String> from) {
    return Forwards.of(from).stats().get(0).safe() >= from.stats().nextSequence();
  }

  private void await(Callable<Boolean> until) {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(
            () -> {
              time.advance(Duration.ofMillis(200));
              return until.call();
            });
  }

  /** Finds out all that can be seen, and lets pass what was delayed. */
  Seen look() throws InterruptedException {
    configs().forEach(queue::subscriber);
    Map<Long, String> messages = new TreeMap<>();
    long end = queue.stats().nextSequence();
    Set<Long> refused = new TreeSet<>();
    for (long i = 0; i < end; i++) {
      read(i, messages, refused);
    }
    Map<String, Long> latest = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      latest(latest, "key-" + i);
    }
    Map<String, List<Long>> deliveries = new TreeMap<>();
    SUBSCRIBERS.forEach(name -> deliveries.put(name, new ArrayList<>()));
    queue.force(); // what has expired waits for that
    deliverAll(deliveries);
    time.advance(LATER);
    await(() -> delayedAreDue(deliveries));
    Map<String, Long> ids = publishAgain();
    Set<Long> letters = letters();
    if (neighbours == null) {
      List<Long> none = List.of();
      long lost = queue.stats().lost();
      return new Seen(messages, refused, deliveries, letters, latest, ids, none, none, none, lost);
    }
    settle();
    return new Seen(
        messages,
        refused,
        deliveries,
        letters,
        latest,
        ids,
        origins(neighbours.copies(), NAME),
        origins(queue, FEEDER),
        numbers(expired),
        queue.stats().lost());
  }

  private void read(long sequence, Map<Long, String> messages, Set<Long> refused) {
    try {
      queue.read(sequence).ifPresent(found -> messages.put(sequence, found.data()));
    } catch (DamagedException e) {
      refused.add(sequence);
    }
  }

  private void latest(Map<String, Long> latest, String key) {
    try {
      queue.latest(key).ifPresent(found -> latest.put(key, found.sequence()));
    } catch (DamagedException e) {
      latest.put(key, -1L);
    }
  }

  /** Whether nothing waits any more but what waits for months. */
  private boolean delayedAreDue(Map<String, List<Long>> deliveries) throws InterruptedException {
    boolean due = queue.stats().delayed() <= SECOND_LIFE / 40;
    deliverAll(deliveries);
    return due;
  }

  private void deliverAll(Map<String, List<Long>> deliveries) throws InterruptedException {
    for (String name : SUBSCRIBERS) {
      Subscriber<String> subscriber = queue.subscriber(name);
      for (var some = subscriber.batch(1000, Duration.ZERO);
          !some.isEmpty();
          some = subscriber.batch(1000, Duration.ZERO)) {
        for (Delivery<String> delivery : some) {
          assertThat(delivery.data()).contains(":");
          deliveries.get(name).add(delivery.sequence());
          delivery.ack();
        }
      }
    }
  }

  private Map<String, Long> publishAgain() {
    Map<String, Long> ids = new TreeMap<>();
    for (long i = 0; i < SECOND_LIFE; i++) {
      if (hasId(i)) {
        PublishResult result =
            queue.publisher().put(Message.of("again").withId(id(i)), Durability.MEMORY);
        if (result.duplicate()) {
          ids.put(id(i), result.sequence());
        }
      }
    }
    return ids;
  }

  private Set<Long> letters() {
    Set<Long> letters = new TreeSet<>();
    for (Delivery<String> letter : queue.subscriber("billing").deadLetters().peek(1000)) {
      byte[] sequence = Objects.requireNonNull(letter.headers().get(DeadLetters.SEQUENCE));
      letters.add(Long.parseLong(new String(sequence, UTF_8)));
    }
    return letters;
  }

  /** Where those stand, in their own queue, that came from it. */
  private static List<Long> origins(MessageQueue<String> in, String from) {
    List<Long> origins = new ArrayList<>();
    for (long i = 0; i < in.stats().nextSequence(); i++) {
      try {
        in.read(i)
            .filter(found -> from.equals(NAME) || found.data().startsWith(from))
            .flatMap(found -> ForwardOrigin.of(found.headers()))
            .ifPresent(origin -> origins.add(origin.sequence()));
      } catch (DamagedException e) {
        // is not there
      }
    }
    return origins;
  }

  private static List<Long> numbers(MessageQueue<String> in) {
    List<Long> numbers = new ArrayList<>();
    for (long i = 0; i < in.stats().nextSequence(); i++) {
      try {
        in.read(i).ifPresent(found -> numbers.add(Long.parseLong(found.data().split(":", 3)[1])));
      } catch (DamagedException e) {
        // is not there
      }
    }
    return numbers;
  }

  @Override
  public void close() {
    open.forEach(MessageQueue::close);
  }

  /** Deletes a directory with everything below it. */
  static void deleteTree(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
