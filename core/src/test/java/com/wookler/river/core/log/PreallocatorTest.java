package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.log.files.BlockName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreallocatorTest {
  private static final long BLOCK_BYTES = 4 << 20;
  private static final byte[] MARK = {1, 2, 3, 4, 5, 6, 7, 8};

  @TempDir Path directory;

  private final List<Runnable> asked = new ArrayList<>();
  private Preallocator maker;

  @BeforeEach
  void begin() {
    LogSettings settings =
        new LogSettings(
            "orders",
            new UUID(1, 2),
            directory,
            BLOCK_BYTES,
            block -> false,
            0,
            TimeSource.system(),
            0,
            OwnershipCheck.UNDISPUTED);
    maker = new Preallocator(settings, asked::add, 1, new Volume(settings, Device.REAL));
    maker.started(0, 0);
  }

  @Test
  void shouldMakeTheNextBlockAtHalfOfTheOneBefore() throws IOException {
    maker.grown(BLOCK_BYTES / 2 - 1, 5);
    asked.remove(0).run();
    assertThat(maker.hasNext()).isTrue();
    assertThat(asked).isEmpty();
    maker.grown(BLOCK_BYTES / 2, 6);
    maker.grown(BLOCK_BYTES / 2 + 1, 7);
    assertThat(asked).hasSize(1);
    asked.get(0).run();
    maker.starting(2);
    assertThat(Files.size(BlockName.data(directory, 2))).isGreaterThan(BLOCK_BYTES);
    assertThat(directory.toFile().list()).hasSize(1);
  }

  @Test
  void shouldMakeTheNextBlockAtOnceWhenBlocksFillFast() {
    maker.started(BLOCK_BYTES, 999_999);
    maker.grown(1, 999_999);
    assertThat(asked).hasSize(1);
  }

  @Test
  void shouldLeaveAQuietQueueAlone() {
    maker.started(BLOCK_BYTES, 1_000_000);
    maker.grown(BLOCK_BYTES / 2, 61_000_000);
    assertThat(asked).isEmpty();
  }

  @Test
  void shouldGiveABlockWhatItNeedsToStartWhenNothingIsMadeYet() throws IOException {
    maker.grown(BLOCK_BYTES / 2, 6);
    assertThat(maker.starting(2)).isEqualTo(BlockSpace.FIRST_BYTES);
    asked.get(0).run();
    assertThat(BlockName.data(directory, 2)).hasSize(BlockSpace.FIRST_BYTES);
    assertThat(directory.toFile().list()).hasSize(1);
  }

  @Test
  void shouldWriteNoZerosIntoABlockThatHasStarted() throws Exception {
    for (int block = 2; block < 60; block++) {
      maker.started(BLOCK_BYTES, block);
      maker.grown(1, block);
      Runnable make = asked.get(asked.size() - 1);
      CountDownLatch begun = new CountDownLatch(1);
      Thread making =
          new MonitoredThread(
              "making",
              () -> {
                begun.countDown();
                make.run();
              });
      making.start();
      begun.await();
      maker.starting(block);
      Path file = BlockName.data(directory, block);
      long length = Files.size(file);
      try (FileChannel appender = FileChannel.open(file, StandardOpenOption.WRITE)) {
        appender.write(ByteBuffer.wrap(MARK), 0);
        appender.write(ByteBuffer.wrap(MARK), length);
      }
      making.join();
      byte[] content = Files.readAllBytes(file);
      assertThat(content).hasSize((int) length + MARK.length).startsWith(MARK).endsWith(MARK);
      Files.delete(file);
      assertThat(directory.toFile().list()).isEmpty();
    }
  }
}
