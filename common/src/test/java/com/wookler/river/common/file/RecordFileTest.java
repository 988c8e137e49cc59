package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordFileTest {
  private static final UUID OWNER = new UUID(7, 8);
  private static final Series SERIES = new Series("test-", new Sealed("TST", 1), 8, 1 << 20, 8);
  private static final int HEADER_BYTES = Sealed.sizeOf(Long.BYTES);
  private static final int RECORD_BYTES = 40;

  @TempDir Path directory;

  private RecordFile file(long number) {
    return new RecordFile(SERIES, directory, OWNER, number, true);
  }

  /** Writes a file whose records have their numbers, in the part that is checked. */
  private Path write(long number, int records) throws IOException {
    try (RecordFile file = new RecordFile(SERIES, directory, OWNER, number, false)) {
      byte[] header = SERIES.form().encode(OWNER, Sealed.payload(8).putLong(number));
      file.write(ByteBuffer.wrap(header), 0);
      for (int i = 0; i < records; i++) {
        ByteBuffer record = Sealed.payload(RECORD_BYTES).putLong(8, i);
        file.seal(record, 0, RECORD_BYTES - Series.PREFIX_BYTES);
        file.write(record, HEADER_BYTES + (long) i * RECORD_BYTES);
      }
      file.force();
      return file.path();
    }
  }

  private ByteBuffer record(long number, long offset) throws IOException {
    return file(number).record(offset);
  }

  private List<String> scan(long number, long end) throws IOException {
    List<String> found = new ArrayList<>();
    file(number)
        .scan(
            HEADER_BYTES,
            end,
            new RecordFile.Visitor() {
              @Override
              public boolean record(ByteBuffer record, long offset, int size) {
                assertThat(offset).isEqualTo(HEADER_BYTES + record.getLong(8) * RECORD_BYTES);
                found.add("" + record.getLong(8));
                return true;
              }

              @Override
              public void damaged(long from, long to) {
                found.add((from - HEADER_BYTES) + "-" + (to - HEADER_BYTES));
              }
            });
    return found;
  }

  @Test
  void shouldFindEachRecordThatIsIntactWhicheverBitIsFlipped() throws IOException {
    Path path = write(1, 3);
    byte[] whole = Files.readAllBytes(path);
    assertThat(scan(1, whole.length)).containsExactly("0", "1", "2");
    int at = HEADER_BYTES + RECORD_BYTES; // the second
    for (int bit = 0; bit < 16 * Byte.SIZE; bit++) {
      byte[] flipped = whole.clone();
      flipped[at + bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      Files.write(path, flipped);
      assertThat(scan(1, whole.length)).as("bit %s", bit).containsExactly("0", "40-80", "2");
      assertThatThrownBy(() -> record(1, at)).isInstanceOf(DamagedException.class);
    }
    whole[at + 20] ^= 1; // has a checksum of its own
    Files.write(path, whole);
    assertThat(record(1, at).get(20)).isEqualTo((byte) 1);
  }

  @Test
  void shouldReportWhatIsMissingOfAFile() throws IOException {
    Path path = write(1, 20_000);
    long end = Files.size(path);
    assertThat(scan(1, end)).hasSize(20_000);
    Files.write(path, Arrays.copyOf(Files.readAllBytes(path), (int) end - 50));
    assertThat(scan(1, end)).hasSize(20_000).endsWith("19997", "799920-799950", "799950-800000");
    Files.delete(path);
    assertThatThrownBy(() -> scan(1, end)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void shouldTakeNoRecordOfAnotherFile() throws IOException {
    Path path = write(1, 2);
    Files.copy(path, SERIES.path(directory, 2));
    assertThat(file(1).header(HEADER_BYTES).fault()).isEmpty();
    assertThat(file(2).header(HEADER_BYTES).fault()).contains("is file 1 of its series");
    assertThat(scan(2, Files.size(path))).containsExactly("0-80");
    RecordFile other = new RecordFile(SERIES, directory, new UUID(7, 9), 1, true);
    assertThat(other.header(HEADER_BYTES).fault()).isEqualTo("belongs to another queue");
    assertThatThrownBy(() -> other.record(HEADER_BYTES)).isInstanceOf(DamagedException.class);
  }

  @Test
  void shouldTellDamagedHeadersFromThoseOfAnotherVersion() throws IOException {
    Path path = write(1, 1);
    byte[] whole = Files.readAllBytes(path);
    for (int bit = 0; bit < HEADER_BYTES * Byte.SIZE; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      Files.write(path, flipped);
      assertThat(file(1).header(HEADER_BYTES).fault()).isEqualTo("does not begin as it should");
    }
    Files.write(path, new byte[0]);
    assertThat(file(1).header(HEADER_BYTES).fault()).isEqualTo("is empty");
    Files.write(path, new Sealed("TST", 2).encode(OWNER, Sealed.payload(8).putLong(1)));
    assertThatThrownBy(() -> file(1).header(HEADER_BYTES))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("format version 2");
  }

  private static void shouldRead(RecordFile.Reader reader, int number) throws IOException {
    ByteBuffer record = reader.record(HEADER_BYTES + (long) number * RECORD_BYTES);
    assertThat(record.limit()).isEqualTo(RECORD_BYTES);
    assertThat(record.getLong(8)).isEqualTo(number);
  }

  @Test
  void shouldReadRecordsInAnyOrder() throws IOException {
    write(1, 20_000);
    try (RecordFile.Reader reader = file(1).reader()) {
      for (int i = 0; i < 20_000; i++) {
        shouldRead(reader, i);
      }
      Random random = new Random(1);
      for (int i = 0; i < 2_000; i++) {
        shouldRead(reader, random.nextInt(20_000));
      }
      for (int i = 19_999; i >= 19_000; i--) {
        shouldRead(reader, i);
      }
    }
  }

  @Test
  void shouldReadRecordsLargerThanWhatIsReadAtOnce() throws IOException {
    int[] sizes = {40, 900, 200_000, 1_100, 64 << 10, 41, 1 << 19, 40};
    long[] offsets = new long[sizes.length];
    long end = HEADER_BYTES;
    Path path = write(1, 0);
    RecordFile file = file(1);
    for (int i = 0; i < sizes.length; i++) {
      ByteBuffer record = Sealed.payload(sizes[i]).putLong(8, i).put(sizes[i] - 1, (byte) i);
      file.seal(record, 0, sizes[i] - Series.PREFIX_BYTES);
      file.write(record, end);
      offsets[i] = end;
      end += sizes[i];
    }
    file.force();
    try (RecordFile.Reader reader = file(1).reader()) {
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < sizes.length; i++) {
          ByteBuffer record = reader.record(offsets[i]);
          assertThat(record.limit()).isEqualTo(sizes[i]);
          assertThat(record.getLong(8)).isEqualTo(i);
          assertThat(record.get(sizes[i] - 1)).isEqualTo((byte) i);
        }
      }
      long missing = end;
      assertThatThrownBy(() -> reader.record(missing)).isInstanceOf(DamagedException.class);
      assertThatThrownBy(() -> reader.record(missing + 70_000))
          .isInstanceOf(DamagedException.class);
    }
    assertThat(Files.size(path)).isEqualTo(end);
  }

  @Test
  void shouldReadWhatWasAppendedAfterItHasReadTheEnd() throws IOException {
    write(1, 2);
    RecordFile file = file(1);
    try (RecordFile.Reader reader = file.reader()) {
      shouldRead(reader, 0);
      shouldRead(reader, 1);
      assertThatThrownBy(() -> shouldRead(reader, 2)).isInstanceOf(DamagedException.class);
      ByteBuffer record = Sealed.payload(RECORD_BYTES).putLong(8, 2);
      file.seal(record, 0, RECORD_BYTES - Series.PREFIX_BYTES);
      ByteBuffer torn = record.duplicate().limit(10);
      file.write(torn, HEADER_BYTES + 2L * RECORD_BYTES);
      assertThatThrownBy(() -> shouldRead(reader, 2)).isInstanceOf(DamagedException.class);
      file.write(record.rewind(), HEADER_BYTES + 2L * RECORD_BYTES);
      shouldRead(reader, 2);
      shouldRead(reader, 1);
      file.force();
    }
  }

  @Test
  void shouldNoticeThatTheFileIsCutWhileItIsRead() throws IOException {
    Path path = write(1, 20_000);
    try (RecordFile.Reader reader = file(1).reader()) {
      shouldRead(reader, 1);
      byte[] half = Arrays.copyOf(Files.readAllBytes(path), HEADER_BYTES + 10_000 * RECORD_BYTES);
      Files.write(path, half);
      shouldRead(reader, 9_999);
      assertThatThrownBy(() -> shouldRead(reader, 10_000)).isInstanceOf(DamagedException.class);
      shouldRead(reader, 3);
    }
  }

  @Test
  void shouldReadOnThoughItsThreadIsInterrupted() throws IOException {
    Path path = write(1, 3);
    try (RecordFile.Reader reader = file(1).reader()) {
      shouldRead(reader, 2);
      Thread.currentThread().interrupt(); // it would close a channel
      shouldRead(reader, 0);
      assertThat(Thread.interrupted()).isTrue();
    }
    Files.delete(path);
    assertThatThrownBy(() -> file(1).reader()).isInstanceOf(NoSuchFileException.class);
  }
}
