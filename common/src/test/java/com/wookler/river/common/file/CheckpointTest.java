package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Checkpoint.Content;
import com.wookler.river.common.file.Checkpoint.Stored;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {
  private static final int BYTES = 512;
  private static final int FIRST = 64;
  private static final int SECOND = 192;
  private static final Checkpoint FORM = new Checkpoint("TST", 3, BYTES, FIRST, SECOND);
  private static final UUID OWNER = new UUID(0x1234, 0x5678);

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void make() throws IOException {
    file = directory.resolve("numbers");
    Content none = FORM.decode(new byte[0], OWNER);
    Content content =
        new Content(true, 7, List.of(none.number(0).with(10), none.number(1).with(20)));
    DurableFiles.write(file, FORM.encode(OWNER, content));
  }

  private Content read() throws IOException {
    return FORM.read(file, Files.readAllBytes(file), OWNER);
  }

  private void store(long... numbers) throws IOException {
    MappedFile mapped = MappedFile.open(file, FORM.bytes(), null);
    Stored first = new Stored(mapped, read().number(0));
    for (long number : numbers) {
      first.store(number);
    }
    mapped.close();
  }

  private void flip(int offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[offset] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void shouldHoldWhatWasStoredLast() throws Exception {
    store(11, 12, 13);

    assertThat(read().header()).isTrue();
    assertThat(read().attribute()).isEqualTo(7);
    assertThat(read().number(0).value()).isEqualTo(13);
    assertThat(read().number(0).isExact()).isTrue();
    assertThat(read().number(1).value()).isEqualTo(20);
  }

  @Test
  void shouldHoldTheNumberBeforeWhenTheLastIsDamaged() throws Exception {
    store(11, 12); // the first of them into slot A

    flip(FIRST + 64);
    assertThat(read().number(0).value()).isEqualTo(11);
    assertThat(read().number(0).valid()).isEqualTo(1);
    flip(FIRST + 8);
    assertThat(read().number(0).value()).isEqualTo(-1);
    assertThat(read().number(0).orZero()).isZero();
    assertThat(read().number(1).isExact()).isTrue();
  }

  @Test
  void shouldGoOnInTheSlotThatIsNotTheLast() throws Exception {
    store(11);
    store(12);

    flip(FIRST + 64);
    assertThat(read().number(0).value()).isEqualTo(11);
  }

  @Test
  void shouldFallOnceBothSlotsHaveIt() throws Exception {
    MappedFile mapped = MappedFile.open(file, FORM.bytes(), null);
    new Stored(mapped, read().number(0)).reset(5);
    mapped.close();

    assertThat(read().number(0).value()).isEqualTo(5);
    assertThat(read().number(0).isExact()).isTrue();
  }

  @Test
  void shouldTakeNoNumberOfAnotherOffsetOrOwner() throws Exception {
    byte[] bytes = Files.readAllBytes(file);
    System.arraycopy(bytes, SECOND, bytes, FIRST, 128);

    assertThat(FORM.decode(bytes, OWNER).number(0).value()).isEqualTo(-1);
    Content others = FORM.decode(bytes, new UUID(0x1234, 0x5679));
    assertThat(others.header()).isFalse();
    assertThat(others.number(1).value()).isEqualTo(-1);
  }

  @Test
  void shouldNoticeADamagedHeaderAndAnotherLength() throws Exception {
    byte[] bytes = Files.readAllBytes(file);
    assertThat(FORM.ownerOf(bytes)).contains(OWNER);
    for (int i = 0; i < 36; i++) {
      bytes[i] ^= 1;
      assertThat(FORM.decode(bytes, OWNER).header()).as("byte %d", i).isFalse();
      assertThat(FORM.ownerOf(bytes)).as("byte %d", i).isEmpty();
      bytes[i] ^= 1;
    }
    assertThat(FORM.decode(Arrays.copyOf(bytes, BYTES - 1), OWNER).header()).isFalse();
    assertThat(FORM.decode(Arrays.copyOf(bytes, BYTES + 1), OWNER).header()).isFalse();
  }

  @Test
  void shouldRefuseAnotherVersionThatIsIntact() {
    Checkpoint newer = new Checkpoint("TST", 4, BYTES, FIRST, SECOND);

    assertThatThrownBy(() -> newer.read(file, Files.readAllBytes(file), OWNER))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("has format version 3; this River reads 4");
  }
}
