package com.wookler.river.core.log.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnWriteLockTest {
  @TempDir Path directory;

  /** If this fails after an upgrade of Chronicle, publishing has become slower. */
  @Test
  void shouldTakeThePlaceOfChroniclesLock() {
    JdkAccess.ensure();
    try (SingleChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory).build()) {
      assertThat(OwnWriteLock.install(queue)).isTrue();
      try (ExcerptAppender appender = queue.createAppender();
          ExcerptTailer tailer = queue.createTailer()) {
        appender.writeBytes(Bytes.from("m0"));
        appender.writeBytes(Bytes.from("m1"));
        Bytes<?> read = Bytes.allocateElasticOnHeap();
        assertThat(tailer.readBytes(read)).isTrue();
        assertThat(tailer.readBytes(read)).isTrue();
        assertThat(read.toString()).isEqualTo("m0m1");
      }
    }
  }
}
