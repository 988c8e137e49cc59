package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the bytes of a file that are not 0 end. */
class LastUsedByteTest {
  @TempDir Path directory;

  private Path file(long length, long... used) throws IOException {
    Path file = directory.resolve("file");
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.setLength(length);
      for (long at : used) {
        out.seek(at);
        out.write(1);
      }
    }
    return file;
  }

  @ParameterizedTest
  @CsvSource({
    "10000000, 0, 1",
    "10000000, 4095, 4096",
    "10000000, 4096, 4097",
    "10000000, 65535, 65536",
    "10000000, 65536, 65537",
    "10000000, 9999999, 10000000",
    "70000, 69999, 70000",
    "4096, 100, 101",
    "7, 6, 7",
    "1, 0, 1"
  })
  void shouldFindTheLastByteThatIsNotZero(long length, long last, long end) throws IOException {
    Path file = file(length, 0, last);

    assertThat(LastUsedByte.of(file, 0)).isEqualTo(end);
    assertThat(LastUsedByte.of(file, last)).isEqualTo(end);
    assertThat(LastUsedByte.of(file, end)).isEqualTo(end);
  }

  @Test
  void shouldFindNothingWhereOnlyZerosFollow() throws IOException {
    Path file = file(30_000_000, 5);

    assertThat(LastUsedByte.of(file, 6)).isEqualTo(6);
    assertThat(LastUsedByte.of(file, 16)).isEqualTo(16);
    assertThat(LastUsedByte.of(file, 4096)).isEqualTo(4096);
    assertThat(LastUsedByte.of(file, 29_999_999)).isEqualTo(29_999_999);
  }

  @Test
  void shouldFindNothingBehindTheEndOfTheFile() throws IOException {
    Path file = file(5000, 4999);

    assertThat(LastUsedByte.of(file, 5000)).isEqualTo(5000);
    assertThat(LastUsedByte.of(file, 1 << 20)).isEqualTo(1 << 20);
    assertThat(LastUsedByte.of(file(0), 0)).isZero();
  }

  @Test
  void shouldNameTheFileThatItCannotRead() {
    assertThatThrownBy(() -> LastUsedByte.of(directory.resolve("none"), 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("none");
  }
}
