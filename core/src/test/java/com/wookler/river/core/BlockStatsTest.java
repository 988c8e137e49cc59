package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.BlockStats.State;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of a queue, in its log and its backup. */
@Timeout(120)
class BlockStatsTest {
  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
  private static final int ALL = Integer.MAX_VALUE;

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(START);
  private MessageQueue<String> queue;

  @BeforeEach
  void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory.resolve("queues"))
            .set(QueueOptions.BACKUP_DIRECTORY, directory.resolve("backups"))
            .set(QueueOptions.BACKUP_RETENTION, Duration.ofDays(1))
            .set(QueueOptions.RECYCLE_MESSAGES, 2L)
            .timeSource(time)
            .open();
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private List<Integer> numbers(int below, int max) {
    return queue.blocks(below, max).stream().map(BlockStats::number).toList();
  }

  @Test
  void shouldListTheNewestFirstWhereverTheyAre() {
    assertThat(queue.blocks(ALL, 9)).hasSize(1);
    BlockStats empty = queue.blocks(ALL, 9).get(0);
    assertThat(empty.state()).isEqualTo(State.ACTIVE);
    assertThat(empty.messages()).isZero();
    assertThat(empty.firstPublished()).isNull();
    assertThat(empty.lastPublished()).isNull();

    Subscriber<String> billing = queue.subscriber("billing");
    for (int i = 0; i < 7; i++) {
      queue.publisher().publish("m" + i);
      time.advance(Duration.ofMillis(1));
    }
    billing.seek(Position.sequence(4));
    await().until(() -> queue.stats().backups() == 2 && queue.stats().blocks() == 2);

    List<BlockStats> blocks = queue.blocks(ALL, 9);
    assertThat(blocks).extracting(BlockStats::number).containsExactly(4, 3, 2, 1);
    assertThat(blocks)
        .extracting(BlockStats::state)
        .containsExactly(State.ACTIVE, State.CLOSED, State.ARCHIVED, State.ARCHIVED);
    assertThat(blocks).extracting(BlockStats::firstSequence).containsExactly(6L, 4L, 2L, 0L);
    assertThat(blocks).extracting(BlockStats::messages).containsExactly(1L, 2L, 2L, 2L);
    assertThat(blocks).allMatch(block -> block.bytes() > 0 && block.lost() == 0);
    assertThat(blocks)
        .extracting(block -> block.backupBytes() > 0)
        .containsExactly(false, false, true, true);
    assertThat(blocks.get(3).firstPublished()).isEqualTo(START);
    assertThat(blocks.get(3).lastPublished()).isEqualTo(START.plusMillis(1));
    assertThat(blocks.get(0).lastPublished()).isEqualTo(START.plusMillis(6));
  }

  @Test
  void shouldListThemAPageAtATime() {
    Subscriber<String> billing = queue.subscriber("billing");
    for (int i = 0; i < 7; i++) {
      queue.publisher().publish("m" + i);
    }
    billing.seek(Position.sequence(4));
    await().until(() -> queue.stats().backups() == 2 && queue.stats().blocks() == 2);

    assertThat(numbers(ALL, 3)).containsExactly(4, 3, 2);
    assertThat(numbers(2, 3)).containsExactly(1);
    assertThat(numbers(4, 1)).containsExactly(3);
    assertThat(numbers(1, 3)).isEmpty();
    assertThatThrownBy(() -> queue.blocks(ALL, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldShowTheSettingsThatWereGiven() {
    assertThat(queue.settings().get(QueueOptions.RECYCLE_MESSAGES)).isEqualTo(2);
    assertThat(queue.settings().isGiven(QueueOptions.RECYCLE_MESSAGES)).isTrue();
    assertThat(queue.settings().isGiven(QueueOptions.MAX_MESSAGES)).isFalse();
  }
}
