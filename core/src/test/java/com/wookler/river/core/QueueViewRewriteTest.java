package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A view of a queue that compacts and erases, which replaces files that the view has open. */
@Timeout(120)
class QueueViewRewriteTest {
  private static final int KEYS = 20;
  private static final int MESSAGES = 1_000;

  @TempDir Path directory;

  private final Set<Long> notes = new ConcurrentSkipListSet<>(); // without a key, and not erased
  private final Set<Long> erased = new ConcurrentSkipListSet<>();
  private final AtomicBoolean done = new AtomicBoolean();

  private MessageQueue<String> open(boolean backup) {
    MessageQueue.Builder<String> builder =
        MessageQueue.builder("states", MessageConverter.utf8())
            .directory(directory.resolve("data"))
            .blockBytes(256 << 10)
            .maxMessageBytes(16 << 10)
            .recycle(SizeBasedRecycle.ofMessages(50))
            .syncInterval(Duration.ofMillis(10))
            .keyIndex(true)
            .compact(true)
            .compactBytes(1L << 40); // at once only
    return (backup ? builder.backup(directory.resolve("backup"), Duration.ZERO) : builder).open();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldShowEachMessageThatIsLeftWhileFilesAreReplaced(boolean backup) {
    Random random = new Random(3);
    Path own = directory.resolve("data/states");
    try (MessageQueue<String> queue = open(backup)) {
      Subscriber<String> reader = queue.subscriber("reader");
      CompletableFuture<Long> viewing =
          CompletableFuture.supplyAsync(() -> view(own, directory.resolve("backup/states")));
      List<Long> candidates = new ArrayList<>();
      for (long i = 0; i < MESSAGES; i++) {
        boolean isKeyed = random.nextInt(3) > 0;
        Message<String> message = Message.of("m-" + i);
        if (isKeyed) {
          message = message.withKey("key-" + random.nextInt(KEYS));
        }
        assertThat(queue.publisher().publish(message)).isEqualTo(i);
        if (!isKeyed && random.nextInt(10) == 0) {
          candidates.add(i);
        } else if (!isKeyed) {
          notes.add(i);
        }
        while (reader.next() != null) {
          // completed
        }
        if (i % 250 == 249) {
          queue.compact();
        }
        if (i % 30 == 29 && !candidates.isEmpty()) {
          long chosen = candidates.remove(random.nextInt(candidates.size()));
          assertThat(queue.erase(chosen)).isPositive();
          erased.add(chosen);
        }
        if (viewing.isCompletedExceptionally()) {
          viewing.join();
        }
      }
      queue.compact();
      done.set(true);
      assertThat(viewing.join()).isPositive();
      assertThat(queue.stats().compacted()).isGreaterThan(400);
    }
    try (QueueView view = River.openReadOnly(own, directory.resolve("backup/states"))) {
      assertThat(round(view, 0)).isLessThan(500);
    }
  }

  private long view(Path own, Path backup) {
    Random random = new Random(4);
    long rounds = 0;
    try (QueueView view = River.openReadOnly(own, backup)) {
      long end = 0;
      while (!done.get() || rounds < 3) {
        long from = random.nextBoolean() ? 0 : random.nextLong(end + 1);
        view.moveTo(from);
        round(view, from);
        end = view.position();
        rounds++;
      }
    }
    return rounds;
  }

  /** Reads to the end, and returns how many messages there were. */
  private long round(QueueView view, long from) {
    Set<Long> before = new ConcurrentSkipListSet<>(erased);
    List<Long> expected = notes.stream().filter(note -> note >= from).toList();
    long missed = view.missed();
    long last = from - 1;
    Set<Long> got = new ConcurrentSkipListSet<>();
    for (List<StoredMessage> found = view.poll(40); !found.isEmpty(); found = view.poll(40)) {
      for (StoredMessage message : found) {
        assertThat(message.sequence()).isGreaterThan(last);
        last = message.sequence();
        assertThat(new String(message.data(), StandardCharsets.UTF_8)).isEqualTo("m-" + last);
        got.add(last);
      }
    }
    assertThat(expected).allMatch(got::contains);
    assertThat(before).noneMatch(got::contains);
    assertThat(view.missed()).isEqualTo(missed);
    return got.size();
  }
}
