package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages that were written when blocks and messages might be larger than they may be now. */
@Timeout(120)
class LowerLimitsTest {
  private static final long BEFORE = 64L << 20;
  private static final long NOW = 1L << 20;
  private static final int LARGE = 5 << 20;

  @TempDir Path directory;

  private LogFixture log;

  @BeforeEach
  void fixture() {
    log = new LogFixture(directory);
  }

  @AfterEach
  void close() {
    log.close();
  }

  private void shouldBeLarge(StoredMessage message, long sequence) {
    assertThat(message.sequence()).isEqualTo(sequence);
    byte[] expected = new byte[LARGE];
    Arrays.fill(expected, (byte) sequence);
    assertThat(Arrays.equals(message.data(), expected)).isTrue();
  }

  private void shouldReadAllInPlace(BlockLog opened) {
    LogReader reader = log.reader();
    LogReader again = log.reader();
    for (long sequence = 0; sequence < opened.nextSequence(); sequence++) {
      StoredMessage message = reader.next();
      StoredMessage second = again.read(sequence, reader.location());
      assertThat(Arrays.equals(second.data(), message.data())).isTrue();
      if (sequence % 2 == 0 && sequence < 8) {
        shouldBeLarge(message, sequence);
      } else {
        assertThat(LogFixture.text(message)).isEqualTo("m" + sequence);
      }
      assertThat(opened.scans().known(opened.blockOf(sequence), sequence))
          .as("whether %s was taken for damaged", sequence)
          .isNull();
    }
    assertThat(reader.next()).isNull();
    LogReader backwards = log.reader();
    for (long sequence = opened.nextSequence() - 1; sequence >= 0; sequence--) {
      backwards.moveTo(sequence);
      assertThat(backwards.next().sequence()).isEqualTo(sequence);
    }
  }

  private void fill() {
    for (int i = 0; i < 4; i++) {
      log.large(LARGE).publish(1);
    }
  }

  @Test
  void shouldReadWhatIsLargerThanItMayBeNow() {
    log.blockBytes(BEFORE).recycleAt(6).open();
    fill();
    shouldReadAllInPlace(log.blockBytes(NOW).reopen());
    log.publish(3); // into the block that was written under other limits, and the next
    assertThat(log.sealed()).hasSize(2);
    shouldReadAllInPlace(log.reopen());
    shouldReadAllInPlace(log.blockBytes(BEFORE).reopen());
  }

  @Test
  void shouldFindWhatIsLargerThanItMayBeNowBehindAHole() throws IOException {
    log.blockBytes(BEFORE).open();
    log.publish(1).large(LARGE).large(LARGE);
    log.shut();
    LogFixture.write(log.block(1), log.offsets(1).get(1), new byte[4]); // a header
    BlockLog lower = log.blockBytes(NOW).open();
    assertThat(lower.nextSequence()).isEqualTo(3);
    assertThat(log.files()).contains("b00000001.cq4.damaged");
    LogReader reader = log.reader();
    assertThat(LogFixture.text(reader.next())).isEqualTo("m0");
    shouldBeLarge(reader.next(), 1);
    shouldBeLarge(reader.next(), 2);
  }
}
