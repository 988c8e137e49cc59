package com.wookler.river.core.backup;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogSettings;
import com.wookler.river.core.log.PooledLog;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Backups of blocks that a real log wrote. */
class BackupOfLogTest extends BackupFixture {
  private static final int MESSAGES = 20_000;

  @Test
  void shouldGiveBackEveryMessageOfRealBlocks() throws IOException {
    WorkerPool pool = WorkerPool.acquire("backup-test", 1);
    try (BlockLog log = openLog(pool)) {
      Random random = new Random(3);
      for (int i = 0; i < MESSAGES; i++) {
        PublishBuffer buffer = PublishBuffer.ofThread();
        buffer.document().start();
        buffer.document().add(json(random, i), null, Map.of());
        log.append(buffer, time.epochMicros());
      }
      log.force();
      assertThat(log.blocks()).isEqualTo(6 + 1);
      for (int i = 0; i < 6; i++) {
        Seal seal = log.oldestSealed().orElseThrow();
        assertWhole(seal, log.file(seal));
        log.forget(seal);
      }
    } finally {
      pool.release();
    }
    Random random = new Random(3);
    for (int i = 0; i < 6 * 3_000; i++) {
      byte[] published = json(random, i);
      if (i % 50 == 0) {
        assertThat(backup.read(i).orElseThrow().data()).isEqualTo(published);
      }
    }
  }

  private void assertWhole(Seal seal, Path file) throws IOException {
    Path zst = backup.archive(seal, file);
    assertThat(backup.verify(zst).ok()).isTrue();
    byte[] content;
    try (InputStream in = new ZstdInputStream(Files.newInputStream(zst))) {
      content = in.readAllBytes();
    }
    try (InputStream in = Files.newInputStream(file)) {
      assertThat(content).isEqualTo(in.readNBytes(content.length));
    }
    assertThat(content.length).isBetween((int) seal.bytes(), (int) seal.bytes() + 3);
  }

  private BlockLog openLog(WorkerPool pool) {
    LogSettings settings =
        new LogSettings(
            "orders",
            QUEUE,
            blocks,
            16 << 20,
            block -> block.messages() >= 3_000,
            0,
            TimeSource.system(),
            0,
            OwnershipCheck.UNDISPUTED);
    return PooledLog.open(settings, pool);
  }
}
