package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealedTest {
  private static final UUID OWNER = new UUID(7, 8);
  private static final Sealed FORM = new Sealed("TST", 1);

  @TempDir Path directory;

  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = directory.resolve("numbers");
    FORM.write(file, OWNER, Sealed.payload(64).putLong(1).putInt(2));
  }

  @Test
  void shouldReadWhatWasWrittenAndNoMore() throws IOException {
    ByteBuffer payload = FORM.read(file, OWNER);
    assertThat(payload.remaining()).isEqualTo(12);
    assertThat(payload.getLong()).isEqualTo(1);
    assertThat(payload.getInt()).isEqualTo(2);
  }

  /** That of the version too, which is no other version then. */
  @Test
  void shouldTakeEveryFlippedBitForDamage() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    for (int bit = 0; bit < whole.length * Byte.SIZE; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      Files.write(file, flipped);
      assertThatThrownBy(() -> FORM.read(file, OWNER))
          .as("bit %s", bit)
          .isInstanceOf(DamagedException.class);
    }
  }

  @Test
  void shouldTakeEveryOtherLengthForDamage() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < 2 * whole.length; length++) {
      if (length != whole.length) {
        Files.write(file, Arrays.copyOf(whole, length));
        assertThatThrownBy(() -> FORM.read(file, OWNER))
            .as("%s bytes", length)
            .isInstanceOf(DamagedException.class);
      }
    }
  }

  @Test
  void shouldTakeAFileOfAnotherOwnerOrKindForDamage() {
    assertThatThrownBy(() -> FORM.read(file, new UUID(7, 9)))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("another queue");
    assertThatThrownBy(() -> new Sealed("TSU", 1).read(file, OWNER))
        .isInstanceOf(DamagedException.class);
  }

  @Test
  void shouldRefuseAnotherVersionAndLeaveItsFile() {
    Sealed newer = new Sealed("TST", 2);
    assertThatThrownBy(() -> newer.readOrQuarantine(file, OWNER, report -> {}))
        .isInstanceOf(RiverException.class)
        .hasMessage(file + " has format version 1; this River reads 2");
    assertThat(file).exists();
  }

  @Test
  void shouldQuarantineAndReportADamagedFile() throws IOException {
    byte[] damaged = Files.readAllBytes(file);
    damaged[40]++;
    Files.write(file, damaged);
    List<String> reports = new ArrayList<>();
    assertThat(FORM.readOrQuarantine(file, OWNER, reports::add)).isEmpty();
    assertThat(reports).singleElement().asString().startsWith("damaged: its checksum is wrong");
    assertThat(file).doesNotExist();
    try (var kept = Files.list(directory)) {
      assertThat(kept.map(path -> path.getFileName().toString()))
          .singleElement()
          .asString()
          .startsWith("numbers.");
    }
    assertThat(FORM.readOrQuarantine(file, OWNER, reports::add)).isEmpty();
    assertThat(reports).hasSize(1);
  }
}
