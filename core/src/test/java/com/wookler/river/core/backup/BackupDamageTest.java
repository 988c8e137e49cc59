package com.wookler.river.core.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackupDamageTest extends BackupFixture {
  @Test
  void shouldReportEveryChangedByteOfTheData() throws IOException {
    BlockBuilder block = block(5, 20, 8, 1_000);
    Path zst = archive(block);
    byte[] whole = Files.readAllBytes(zst);

    for (int i = 0; i < whole.length; i++) {
      flip(zst, i, 1 << (i % 8));
      Verification verification = backup.verify(zst);
      assertThat(verification.ok()).as("byte %d", i).isFalse();
      assertThat(verification.damages().get(0).block()).isEqualTo(5);
      Files.write(zst, whole);
    }
    assertThat(backup.verify(zst).ok()).isTrue();
  }

  @Test
  void shouldReportEveryChangedByteOfTheSeal() throws IOException {
    BlockBuilder block = block(5, 20, 8, 1_000);
    Path zst = archive(block);
    Path seal = zst.resolveSibling("b00000005.seal");
    byte[] whole = Files.readAllBytes(seal);

    for (int i = 0; i < whole.length; i++) {
      flip(seal, i, 1 << (i % 8));
      assertThat(backup.verify(zst).ok()).as("byte %d", i).isFalse();
      assertThatThrownBy(() -> backup.read(20)).isInstanceOf(DamagedMessageException.class);
      Files.write(seal, whole);
    }
    assertHolds(block);
  }

  @Test
  void shouldNeverReadAWrongMessageWhateverByteIsChanged() throws IOException {
    BlockBuilder block = block(5, 20, 100, 1_000);
    Path zst = archive(block);
    Path seal = zst.resolveSibling("b00000005.seal");
    byte[] data = Files.readAllBytes(zst);
    byte[] sealed = Files.readAllBytes(seal);
    long seed = new Random().nextLong();
    Random random = new Random(seed);

    for (int i = 0; i < 1_000; i++) {
      int at = random.nextInt(data.length + sealed.length);
      Path file = at < data.length ? zst : seal;
      flip(file, at < data.length ? at : at - data.length, 1 + random.nextInt(255));
      if (i % 2 == 0) {
        restart();
      }
      String round = "seed " + seed + ", byte " + at;
      assertThat(backup.verify(zst).ok()).as(round).isFalse();
      int place = random.nextInt(100);
      assertNeverWrong(block, place, round);
      Files.write(zst, data);
      Files.write(seal, sealed);
      restart();
    }
  }

  private void assertNeverWrong(BlockBuilder block, int place, String round) {
    try {
      Optional<StoredMessage> message = backup.read(20 + place);
      message.ifPresent(found -> assertSame(found, block, place));
      if (message.isPresent()) {
        assertThat(warnings()).as(round).isNotEmpty();
      }
    } catch (DamagedException e) {
      assertThat(e).as(round).hasMessageContaining("damaged").hasMessageContaining("orders");
    }
  }

  @Test
  void shouldNameTheDamagedMessageAndReadTheOtherFrames() throws IOException {
    BlockBuilder block = new BlockBuilder(QUEUE, 5, 0);
    Random random = new Random(1);
    for (int i = 0; i < 40; i++) {
      byte[] data = new byte[100_000]; // does not compress, so that damage stays where it is
      random.nextBytes(data);
      block.message(i, data);
    }
    Path zst = archive(block);
    List<Frame> frames = BackupSeal.read(zst.resolveSibling("b00000005.seal")).frames();
    Frame second = frames.get(1);
    flip(zst, second.offset() + 350_000, 4);

    Verification verification = backup.verify(zst);

    long damaged = second.firstSequence() + 3;
    long last = frames.get(2).firstSequence() - 1; // zstd keeps back the end of a damaged frame
    Verification.Damage damage = verification.damages().get(0);
    assertThat(damage.sequence()).isEqualTo(damaged);
    assertThat(damage.offset()).isBetween(second.start() + 300_000, second.start() + 350_000);
    assertThat(damage.toString()).contains("damaged: block 5, sequence " + damaged);
    assertThat(verification.damages())
        .extracting(Verification.Damage::sequence)
        .containsExactly(damaged, last);
    assertThat(verification.messages()).isEqualTo(38);
    for (long lost : new long[] {damaged, last}) {
      assertThatThrownBy(() -> backup.read(lost))
          .isInstanceOf(DamagedMessageException.class)
          .hasMessageContaining(zst.toString())
          .hasMessageContaining("sequence " + lost)
          .hasMessageContaining("damaged");
    }
    for (int i = 0; i < 40; i++) {
      if (i != damaged && i != last) {
        assertSame(backup.read(i).orElseThrow(), block, i);
      }
    }
    assertThat(warnings()).hasSize(1);
    assertWarned(zst);
  }

  @Test
  void shouldReportAFileThatIsTooShortOrTooLong() throws IOException {
    BlockBuilder block = block(5, 20, 400, 1_000);
    Path zst = archive(block);
    byte[] whole = Files.readAllBytes(zst);
    for (int length : new int[] {0, 1, 100, whole.length - 1, whole.length + 1}) {
      Files.write(zst, Arrays.copyOf(whole, length));

      assertThat(backup.verify(zst).ok()).as("%d bytes", length).isFalse();
      if (length <= 100) {
        assertThatThrownBy(() -> backup.read(419)).isInstanceOf(DamagedMessageException.class);
      }
    }
  }

  @Test
  void shouldReportABackupUnderTheNameOfAnotherBlock() throws IOException {
    Path zst = archive(block(5, 20, 40, 1_000));
    Path moved = zst.resolveSibling("b00000006.cq4.zst");
    Files.move(zst, moved);
    Files.move(zst.resolveSibling("b00000005.seal"), zst.resolveSibling("b00000006.seal"));
    restart();

    assertThat(backup.read(20)).isEmpty();

    assertWarned(moved);
    assertThat(backup.verify(moved).ok()).isFalse();
    assertThat(backup.list()).containsExactly(moved);
  }

  @Test
  void shouldReportDataOfAnotherBackupUnderItsName() throws IOException {
    Path first = archive(block(5, 20, 40, 1_000));
    Path second = archive(block(6, 60, 40, 1_000));
    Files.write(first, Files.readAllBytes(second));

    assertThat(backup.verify(first).ok()).isFalse();
    assertThatThrownBy(() -> backup.read(20)).isInstanceOf(DamagedMessageException.class);
  }

  @Test
  void shouldKeepABackupWithoutSealAndMakeAnotherBesideIt() throws IOException {
    BlockBuilder block = block(5, 20, 40, 1_000);
    Path first = archive(block);
    Files.delete(first.resolveSibling("b00000005.seal"));
    restart();

    Path second = archive(block);

    assertWarned(first);
    assertThat(first).exists();
    assertThat(second).hasFileName("b00000005-2.cq4.zst");
    assertHolds(block);
    assertThat(backup.list()).containsExactly(second, first);
    assertThat(backup.verify(first).ok()).isFalse();
  }

  @Test
  void shouldReportAMissingFile() {
    Path nowhere = directory.resolve("2026/11/20/b00000005.cq4.zst");

    Verification verification = backup.verify(nowhere);

    assertThat(verification.ok()).isFalse();
    assertThat(verification.block()).isEqualTo(5);
    assertThat(verification.messages()).isZero();
  }
}
