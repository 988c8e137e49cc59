package com.wookler.river.core.backup;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a frame gives that was made to do harm: its seal fits it. */
class FrameFileTest {
  private static final int BOMB_BYTES = 1 << 30;
  private static final int BLOCK_BYTES = 128 << 10;
  private static final int REPEATED = 1; // type of a block of zstd

  @TempDir Path directory;

  private Frame frame(byte[] compressed, long bytes) {
    CRC32C crc = new CRC32C();
    crc.update(compressed);
    return new Frame(0, compressed.length, 0, bytes, 0, 0, (int) crc.getValue());
  }

  private FrameFile file(byte[] content) throws IOException {
    Path file = directory.resolve("b00000001.cq4.zst");
    Files.write(file, content);
    return new FrameFile(file);
  }

  /** Zeros, 128 KB in each 4 bytes; a reader needs memory of 2 to the power of the window. */
  private static byte[] bomb(int window) {
    int blocks = BOMB_BYTES / BLOCK_BYTES;
    ByteBuffer bytes = ByteBuffer.allocate(6 + 4 * blocks).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0xFD2F_B528).put((byte) 0).put((byte) ((window - 10) << 3));
    for (int block = 1; block <= blocks; block++) {
      bytes.putInt((BLOCK_BYTES << 3) | (REPEATED << 1) | (block == blocks ? 1 : 0));
    }
    return bytes.array();
  }

  @Test
  void shouldUnpackNoMoreThanTheSealSays() throws IOException {
    byte[] bomb = bomb(20);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (FrameFile file = file(bomb)) {
      assertThat(file.copy(frame(bomb, 1000), out)).isEqualTo("a frame holds more than it should");
      assertThat(out.size()).isEqualTo(1000);
      assertThat(file.walk(frame(bomb, 1000), (offset, document, length) -> {}))
          .isEqualTo("a frame holds more than it should");
    }
  }

  @Test
  void shouldRefuseAFrameThatAsksForMuchMemory() throws IOException {
    byte[] bomb = bomb(30);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (FrameFile file = file(bomb)) {
      assertThat(file.copy(frame(bomb, BOMB_BYTES), out)).contains("requires too much memory");
      assertThat(out.size()).isZero();
    }
  }

  @Test
  void shouldSayThatAFrameHoldsLess() throws IOException {
    byte[] compressed = Zstd.compress(new byte[100]);
    try (FrameFile file = file(compressed)) {
      assertThat(file.copy(frame(compressed, Long.MAX_VALUE), new ByteArrayOutputStream()))
          .isEqualTo("a frame holds less than it should");
    }
  }
}
