package com.wookler.river.core.backup;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.Damage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is called lost of a backup is what cannot be read of it, whatever is damaged. */
class LostMessagesTest extends BackupFixture {
  private static final int MESSAGES = 60;
  private static final long SEED = Long.getLong("river.fuzz.first", 1);
  private static final int ROUNDS = Integer.getInteger("river.fuzz.seeds", 8);

  /** Three frames of messages that do not compress, so that damage stays where it is. */
  private BlockBuilder large() {
    BlockBuilder block = new BlockBuilder(QUEUE, 5, 100);
    Random random = new Random(1);
    for (int i = 0; i < MESSAGES; i++) {
      byte[] data = new byte[40_000];
      random.nextBytes(data);
      block.message(i, data);
    }
    return block;
  }

  private boolean isRead(long sequence) {
    try {
      return backup.read(sequence).isPresent();
    } catch (DamagedException e) {
      return false;
    }
  }

  @Test
  void shouldNameTheRunAndTheFrame() throws IOException {
    Path zst = archive(large());
    List<Frame> frames = BackupSeal.read(BackupLayout.sealOf(zst)).frames();
    Frame second = frames.get(1);
    flip(zst, second.offset() + 350_000, 4);
    long lost = second.firstSequence();
    while (isRead(lost)) {
      lost++;
    }

    Damage damage = backup.damageOf(lost, 1_000).orElseThrow();

    assertThat(damage.file()).isEqualTo(zst);
    assertThat(damage.first()).isEqualTo(lost);
    assertThat(damage.from()).isEqualTo(second.offset());
    assertThat(damage.to()).isEqualTo(second.offset() + second.length());
    assertThat(backup.damageOf(lost - 1, 1_000)).isEmpty();
    assertThat(backup.damageOf(frames.get(2).firstSequence(), 1_000)).isEmpty();
  }

  @Test
  void shouldFindATimeBehindAFrameThatIsLost() throws IOException {
    Path zst = archive(large()); // a microsecond apart
    List<Frame> frames = BackupSeal.read(BackupLayout.sealOf(zst)).frames();
    long lost = frames.get(1).firstSequence();
    flip(zst, frames.get(1).offset() + 1, 4);
    assertThat(backup.sequenceAt(lost - 100 - 1)).hasValue(lost - 1);
    assertThat(backup.sequenceAt(lost - 100)).hasValue(frames.get(2).firstSequence());
    Files.write(BackupLayout.sealOf(zst), new byte[100]);
    assertThat(backup.sequenceAt(0)).isEmpty();
  }

  @Test
  void shouldCallLostExactlyWhatCannotBeRead() throws IOException {
    Path zst = archive(large());
    byte[] whole = Files.readAllBytes(zst);
    for (long seed = SEED; seed < SEED + ROUNDS; seed++) {
      Random random = new Random(seed);
      Files.write(zst, damaged(whole, random));
      Set<Long> read = new HashSet<>();
      Set<Long> told = new HashSet<>();
      for (long at = 100; at < 100 + MESSAGES; ) {
        if (isRead(at)) {
          read.add(at++);
          continue;
        }
        Optional<Damage> lost = backup.damageOf(at, 1_000);
        assertThat(lost).as("seed %d, sequence %d", seed, at).isPresent();
        for (; at < lost.get().end(); at++) {
          told.add(at);
          assertThat(isRead(at)).as("seed %d, sequence %d", seed, at).isFalse();
        }
      }
      assertThat(read.size() + told.size()).as("seed %d", seed).isEqualTo(MESSAGES);
    }
  }

  private static byte[] damaged(byte[] whole, Random random) {
    byte[] bytes = whole.clone();
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(4)) {
      case 0 -> {
        for (int flips = 1 + random.nextInt(20); flips > 0; flips--) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
      case 1 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 4096), (byte) 0);
      case 2 -> {
        byte[] noise = new byte[1 + random.nextInt(600)];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, bytes, at, Math.min(noise.length, bytes.length - at));
      }
      default -> bytes = Arrays.copyOf(bytes, at);
    }
    return bytes;
  }
}
