package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.DirectoryCopy;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Blocks of 64 MB with hundreds of thousands of messages of any sizes, over openings, kills and the
 * archive: nothing is lost, moved or taken for damage.
 */
@Tag("full")
@Timeout(600)
class LargeBlockFuzzTest {
  private static final int MESSAGES = 1_200_000;
  private static final int LONGEST_BATCH = 50;
  private static final SubscriberConfig ALL = SubscriberConfig.builder("all").ack(true).build();

  @TempDir Path directory;
  private long seed;
  private int longest; // bytes of most messages
  private Path data;
  private int copies;
  private MessageQueue<byte[]> queue;

  @AfterEach
  void close() {
    queue.close();
  }

  private void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.bytes())
            .directory(data)
            .backup(directory.resolve("backup"), Duration.ofDays(1))
            .open();
    assertThat(queue.stats().lostEver()).isZero();
  }

  private byte[] message(int number) {
    SplittableRandom random = new SplittableRandom(seed * MESSAGES + number);
    byte[] bytes =
        new byte[random.nextInt(1_000) == 0 ? random.nextInt(20_000) : random.nextInt(longest)];
    random.nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldKeepEveryMessage(long number) throws IOException, InterruptedException {
    seed = number;
    Random random = new Random(seed);
    longest = List.of(8, 60, 200, 400).get((int) (seed % 4));
    data = directory.resolve("data0");
    open();
    queue.subscriber(ALL);
    int published = 0;
    while (published < MESSAGES) {
      published =
          publish(published, Math.min(MESSAGES, published + random.nextInt(400_000)), random);
      Path before = data;
      if (random.nextBoolean()) {
        await().until(this::isKilled);
      }
      queue.close();
      if (!before.equals(data)) {
        DirectoryCopy.delete(before);
      }
      open();
      assertThat(queue.stats().nextSequence()).isEqualTo(published);
      for (int i = 0; i < 1_000; i++) {
        int any = random.nextInt(published);
        assertThat(queue.read(any).orElseThrow().data()).isEqualTo(message(any));
      }
    }
    AllMessages.shouldCome(queue.subscriber(ALL), MESSAGES, this::message);
    await().until(() -> queue.stats().blocks() == 1);
    assertThat(queue.stats().lostEver()).isZero();
    assertThat(queue.read(0).orElseThrow().data()).isEqualTo(message(0)); // of the backup
  }

  /** Continues in a copy as a kill would leave it; false while a block is being made. */
  private boolean isKilled() throws IOException {
    copies++;
    Path copy = directory.resolve("data" + copies);
    boolean killed = KilledCopy.of(data, copy);
    if (killed) {
      data = copy;
    } else {
      DirectoryCopy.delete(copy);
    }
    return killed;
  }

  private int publish(int from, int end, Random random) {
    int next = from;
    while (next < end) {
      int together =
          Math.min(end - next, random.nextInt(4) > 0 ? 1 : random.nextInt(LONGEST_BATCH));
      if (together == 1) {
        queue.publisher().publish(message(next));
      } else if (together > 1) {
        List<byte[]> batch = new ArrayList<>();
        for (int i = 0; i < together; i++) {
          batch.add(message(next + i));
        }
        queue.publisher().publishAll(batch);
      }
      next += together;
    }
    return next;
  }
}
