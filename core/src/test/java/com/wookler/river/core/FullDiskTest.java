package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that is full, and has space again: {@code -Driver.full.rounds=50} for the long form,
 * {@code -Driver.full.seed} to repeat one.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class FullDiskTest {
  private static final int ROUNDS = Integer.getInteger("river.full.rounds", 2);
  private static final long SEED = Long.getLong("river.full.seed", System.nanoTime());
  private static final int MEGABYTES = 24;
  private static final Duration SOON = Duration.ofMillis(300);

  @TempDir Path directory;

  private SmallDisk disk;
  private MessageQueue<byte[]> queue;

  @BeforeEach
  void mount() throws Exception {
    disk = SmallDisk.mount(directory.resolve("disk"), MEGABYTES);
  }

  @AfterEach
  void unmount() throws Exception {
    try {
      if (queue != null) {
        queue.close();
      }
    } finally {
      if (disk != null) {
        disk.unmount();
      }
    }
  }

  private MessageQueue.Builder<byte[]> builder() {
    return builder(disk.path());
  }

  static MessageQueue.Builder<byte[]> builder(Path path) {
    return MessageQueue.builder("orders", MessageConverter.bytes())
        .directory(path)
        .maxMessageBytes(64 << 10)
        .blockBytes(2 << 20);
  }

  /** What the message of a sequence holds. */
  static byte[] data(long seed, long sequence) {
    Random random = new Random(seed * 31 + sequence);
    byte[] data = new byte[100 + random.nextInt(20_000)];
    random.nextBytes(data);
    return data;
  }

  /** Publishes until there is no space; returns the sequence that the next message has. */
  static long fill(MessageQueue<byte[]> queue, long seed) {
    Publisher<byte[]> publisher = queue.publisher();
    try {
      while (true) {
        long sequence = queue.stats().nextSequence();
        assertThat(publisher.publish(data(seed, sequence))).isEqualTo(sequence);
      }
    } catch (QueueFullException e) {
      return queue.stats().nextSequence();
    }
  }

  private void awaitPublished(long seed) {
    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptionsInstanceOf(QueueFullException.class)
        .until(
            () ->
                queue.publisher().publish(data(seed, queue.stats().nextSequence()))
                    == queue.stats().nextSequence() - 1);
  }

  private static void acceptAll(Subscriber<byte[]> subscriber, long seed, long from, long to)
      throws InterruptedException {
    for (long sequence = from; sequence < to; sequence++) {
      Delivery<byte[]> delivery = subscriber.next(Duration.ofSeconds(10));
      assertThat(delivery).as("sequence %d of %d", sequence, to).isNotNull();
      assertThat(delivery.sequence()).isEqualTo(sequence);
      assertThat(delivery.data()).isEqualTo(data(seed, sequence));
      delivery.ack();
    }
  }

  private static SubscriberConfig acking() {
    return SubscriberConfig.builder("billing").ack(true).build();
  }

  @Test
  void shouldRefuseAndStoreNothingAndTellWhyAndGoOn() throws Exception {
    Queue<String> heard = new ConcurrentLinkedQueue<>();
    queue = builder().subscriber(acking()).open();
    queue.addListener(
        new QueueListener() {
          @Override
          public void full(String why) {
            heard.add(why);
          }
        });
    long end = fill(queue, 1);
    assertThat(end).isGreaterThan(1_000);
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> queue.publisher().publish(data(1, end)))
          .isInstanceOf(QueueFullException.class)
          .hasMessageContaining("queue orders")
          .hasMessageContaining(disk.path().resolve("orders").toString())
          .hasMessageContaining("queue.disk.reserve");
    }
    assertThat(queue.stats().nextSequence()).isEqualTo(end);
    assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    assertThat(disk.path().toFile().getUsableSpace()).isGreaterThan(1 << 20); // the reserve
    await().until(() -> heard.size() == 1);
    Subscriber<byte[]> billing = queue.subscriber("billing");
    acceptAll(billing, 1, 0, end);
    awaitPublished(1); // blocks that are finished made space
    acceptAll(billing, 1, end, queue.stats().nextSequence());
    assertThat(heard).hasSize(1);
  }

  @Test
  void shouldMakeSpaceOfItsOnlyBlock() throws Exception {
    queue = builder().blockBytes(64 << 20).subscriber(acking()).open();
    Subscriber<byte[]> billing = queue.subscriber("billing");
    long end = fill(queue, 2);
    AtomicLong accepted = new AtomicLong();
    await()
        .until(
            () -> { // what was too large for the last bytes may be followed by what is not
              long full = fill(queue, 2);
              acceptAll(billing, 2, accepted.getAndSet(full), full);
              return queue.stats().firstSequence() >= end;
            });
    awaitPublished(2);
  }

  @Test
  void shouldArchiveOnAFullDiskAndPublishAgain() throws Exception {
    queue =
        builder().backup(directory.resolve("backup"), Duration.ZERO).subscriber(acking()).open();
    long end = fill(queue, 3);
    acceptAll(queue.subscriber("billing"), 3, 0, end);
    awaitPublished(3);
    await().until(() -> queue.stats().archived() > 0); // it may be published into less
    assertThat(queue.read(0).orElseThrow().data()).isEqualTo(data(3, 0));
  }

  @Test
  void shouldRefuseWhileAForeignFileTakesTheSpaceAndGoOnWhenItIsGone() throws Exception {
    queue = builder().durability(Durability.DISK).diskReserve(0).open();
    queue.publisher().publish(data(4, 0));
    disk.fillBut(0);
    long end = fill(queue, 4);
    assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    disk.free();
    awaitPublished(4);
    acceptAll(queue.subscriber(acking()), 4, 0, queue.stats().nextSequence());
    assertThat(queue.stats().nextSequence()).isGreaterThan(end);
  }

  @Test
  void shouldOpenOnAFullDisk() throws Exception {
    queue = builder().diskReserve(0).subscriber(acking()).open();
    long end = fill(queue, 5);
    Subscriber<byte[]> billing = queue.subscriber("billing");
    acceptAll(billing, 5, 0, end / 2);
    queue.close();
    disk.fillBut(512 << 10); // what the subscriber's ledger needs
    queue = builder().diskReserve(0).subscriber(acking()).open();
    long reached = fill(queue, 5);
    acceptAll(queue.subscriber("billing"), 5, end / 2, reached);
    disk.free();
    awaitPublished(5);
  }

  @Tag("full")
  @Test
  void shouldKeepEverythingWhenKilledOnAFullDisk() throws Exception {
    Path output = directory.resolve("output");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                FullDiskChild.class.getName(),
                disk.path().toString(),
                "6")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.readString(output).contains("full at "));
      disk.fillBut(0);
    } finally {
      child.destroyForcibly().waitFor();
    }
    String text = Files.readString(output);
    long end =
        Long.parseLong(text.substring(text.indexOf("full at ") + 8).lines().findFirst().get());
    queue = openFull(builder().diskReserve(0).subscriber(acking()));
    assertThat(queue.stats().nextSequence()).isEqualTo(end);
    disk.free();
    awaitPublished(6);
    acceptAll(queue.subscriber("billing"), 6, 0, queue.stats().nextSequence());
  }

  @Test
  void shouldDeliverExactlyWhatWasPublishedInRandomRounds() throws Exception {
    Random random = new Random(SEED);
    for (int round = 0; round < ROUNDS; round++) {
      try {
        new Round(random.nextLong()).run();
        queue.delete();
      } catch (Throwable e) {
        throw new AssertionError("-Driver.full.seed=" + SEED + ", round " + round, e);
      } finally {
        disk.free();
      }
    }
  }

  /** Opens a queue on a full disk, or after a clear refusal once there is space. */
  private MessageQueue<byte[]> openFull(MessageQueue.Builder<byte[]> settings) throws Exception {
    try {
      return settings.open();
    } catch (RiverException e) {
      assertThat(e).hasStackTraceContaining("No space left on device");
      disk.free();
      disk.enlarge(); // the queue itself may have filled it, and nothing was somebody else's
      return settings.open();
    }
  }

  /** Full and freed several times, with closing in between. */
  private final class Round {
    private final Random random;
    private final long seed;
    private final boolean withSubscriber;
    private final MessageQueue.Builder<byte[]> settings;
    private long accepted;

    Round(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.withSubscriber = random.nextBoolean();
      this.settings =
          builder()
              .durability(random.nextBoolean() ? Durability.DISK : Durability.MEMORY)
              .blockBytes((1L + random.nextInt(8)) << 20);
      if (random.nextBoolean()) {
        settings.diskReserve(random.nextInt(2) * (2L << 20));
      }
      if (random.nextBoolean()) {
        settings.recycle(SizeBasedRecycle.ofMessages(10 + random.nextInt(500)));
      }
      if (random.nextBoolean()) {
        boolean sameDisk = random.nextBoolean();
        settings
            .backup((sameDisk ? disk.path() : directory).resolve("backup"), Duration.ofMillis(1))
            .backupFull(sameDisk ? BackupFull.DELETE : BackupFull.KEEP);
      }
      if (withSubscriber) {
        settings.subscriber(acking());
      }
    }

    void run() throws Exception {
      queue = settings.open();
      for (int i = 0; i < 3; i++) {
        boolean foreign = !withSubscriber || random.nextBoolean();
        if (foreign) {
          disk.fillBut(random.nextInt(2) * (1L << 20));
        }
        long end = fill(queue, seed);
        if (withSubscriber) {
          long to = foreign ? accepted + (end - accepted) * random.nextInt(11) / 10 : end;
          acceptAll(queue.subscriber("billing"), seed, accepted, to);
          accepted = to;
        }
        if (random.nextInt(3) == 0) {
          queue.close();
          queue = openFull(settings);
          assertThat(queue.stats().nextSequence()).isEqualTo(end);
        }
        disk.free();
        if (foreign && !withSubscriber && i > 0) {
          return; // nobody makes room: that the last space is used up is all
        }
        awaitPublished(seed);
      }
      long end = queue.stats().nextSequence();
      Subscriber<byte[]> subscriber = queue.subscriber(acking());
      acceptAll(subscriber, seed, accepted, end);
      assertThat(subscriber.next(SOON)).isNull();
    }
  }

  @Test
  void shouldKeepDelayedMessagesUntilThereIsSpaceForTheirCopies() throws Exception {
    queue = builder().diskReserve(1 << 20).open();
    Subscriber<byte[]> billing = queue.subscriber(acking());
    Duration delay = Duration.ofSeconds(1);
    for (int i = 0; i < 50; i++) {
      queue.publisher().publish(Message.of(data(7, i)).deliverAfter(delay));
    }
    await().until(() -> queue.stats().delayed() == 50);
    disk.fillBut(256 << 10);
    fill(queue, 8);
    await().pollDelay(delay).until(() -> queue.stats().delayed() > 0);
    disk.free();
    Set<Long> came = new HashSet<>();
    while (came.size() < 50) {
      Delivery<byte[]> next = billing.next(Duration.ofSeconds(20));
      assertThat(next).isNotNull();
      if (next.sequence() < 50) {
        assertThat(came.add(next.sequence())).isTrue();
        assertThat(next.data()).isEqualTo(data(7, next.sequence()));
      }
      next.ack();
    }
    assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    await().until(() -> queue.stats().delayed() == 0);
  }
}
