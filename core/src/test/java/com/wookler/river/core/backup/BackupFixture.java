package com.wookler.river.core.backup;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A backup directory, a clock and the warnings, for the tests of this package. */
abstract class BackupFixture {
  static final UUID QUEUE = new UUID(0x1234_5678_9ABC_DEF0L, 42);
  static final Duration RETENTION = Duration.ofDays(7);

  @TempDir Path temporary;
  final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T23:30:00Z"));

  private final CapturedLog captured = new CapturedLog(Backup.class.getPackageName());

  Path directory;
  Path blocks;
  Backup backup;

  @BeforeEach
  void open() throws IOException {
    directory = temporary.resolve("backup").resolve("orders");
    blocks = Files.createDirectories(temporary.resolve("log"));
    backup = newBackup();
  }

  @AfterEach
  void close() {
    captured.close();
    backup.close();
  }

  /** What a restart finds. */
  Backup newBackup() {
    return new Backup("orders", QUEUE, directory, RETENTION, time);
  }

  void restart() {
    backup.close();
    backup = newBackup();
  }

  Path archive(BlockBuilder block) throws IOException {
    return backup.archive(block.seal(), block.write(blocks));
  }

  /** A block of messages like JSON, some of them in batches, a millisecond apart. */
  static BlockBuilder block(int number, long firstSequence, int messages, long micros) {
    BlockBuilder block = new BlockBuilder(QUEUE, number, firstSequence);
    Random random = new Random(number);
    long now = micros;
    while (block.messages().size() < messages) {
      int left = messages - block.messages().size();
      int count = random.nextInt(4) == 0 ? Math.min(left, 1 + random.nextInt(20)) : 1;
      byte[][] batch = new byte[count][];
      for (int i = 0; i < count; i++) {
        batch[i] = json(random, firstSequence + block.messages().size() + i);
      }
      block.batch(now, List.of(batch));
      now += 1_000;
      if (random.nextInt(50) == 0) {
        block.hidden(random.nextInt(64));
      }
    }
    return block;
  }

  static byte[] json(Random random, long id) {
    String text =
        "{\"id\":%d,\"carrier\":\"%s\",\"delay\":%d,\"tail\":\"%s\"}"
            .formatted(
                id,
                random.nextInt(9),
                random.nextInt(500),
                Long.toHexString(random.nextLong()).repeat(random.nextInt(4)));
    return text.getBytes(StandardCharsets.UTF_8);
  }

  void assertHolds(BlockBuilder block) {
    long sequence = block.seal().firstSequence();
    for (int i = 0; i < block.messages().size(); i++) {
      StoredMessage message = backup.read(sequence + i).orElseThrow();
      assertSame(message, block, i);
    }
  }

  static void assertSame(StoredMessage message, BlockBuilder block, int place) {
    assertThat(message.sequence()).isEqualTo(block.seal().firstSequence() + place);
    assertThat(message.data()).isEqualTo(block.messages().get(place));
    assertThat(message.publishedMicros()).isEqualTo(block.times().get(place));
    assertThat(message.key()).isEqualTo("key-" + block.messages().get(place).length);
    assertThat(message.headers()).containsOnlyKeys("h");
  }

  /** All files under the backup directory, relative to it. */
  List<String> files() {
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile)
          .map(file -> directory.relativize(file).toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Changes one byte of a file. */
  static void flip(Path file, long offset, int mask) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) offset] ^= (byte) mask;
    Files.write(file, bytes);
  }

  List<String> warnings() {
    return captured.warnings();
  }

  void assertWarned(Path file) {
    assertThat(warnings())
        .anySatisfy(text -> assertThat(text).contains("damaged").contains(file.toString()));
  }
}
