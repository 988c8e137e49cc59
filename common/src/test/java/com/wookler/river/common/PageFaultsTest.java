package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageFaultsTest {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int FILES = 100;
  private static final int TO_COMPILE = 100_000;
  private static final int LARGE = 3 << 20; // too large to be made without the JVM

  @TempDir Path directory;

  /** Before and after the methods are compiled; on Java 17 the error comes late only then. */
  @Test
  void shouldLeaveNoErrorForWhatTheThreadDoesNext() throws IOException {
    MappedByteBuffer whole = map(directory.resolve("whole"));
    storeAndSettle(whole); // linking the call takes the error, too
    for (int i = 0; i < 2 * FILES; i++) {
      Path file = directory.resolve("file" + i);
      MappedByteBuffer cut = map(file);
      Files.write(file, new byte[0]);
      storeAndSettle(cut);
      assertThat(new byte[LARGE]).hasSize(LARGE);
      if (i == FILES) {
        for (int j = 0; j < TO_COMPILE; j++) {
          storeAndSettle(whole);
        }
      }
    }
  }

  private static void storeAndSettle(MappedByteBuffer into) {
    try {
      LONGS.setOpaque(into, 0, 1L);
    } catch (InternalError e) {
      return; // it was thrown at once
    }
    PageFaults.settle();
  }

  private static MappedByteBuffer map(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
    }
  }
}
