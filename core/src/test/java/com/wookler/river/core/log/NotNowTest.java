package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Device;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Forces that cannot begin, for want of descriptors: nothing fails, and nothing is promised. */
@Timeout(120)
class NotNowTest {
  @TempDir Path directory;

  private final AtomicBoolean none = new AtomicBoolean();
  private final CapturedLog captured = new CapturedLog(LogFailure.class);
  private LogFixture log;
  private BlockLog opened;

  @BeforeEach
  void open() {
    Device device =
        new Device() {
          @Override
          public void forceDirectory(Path of) throws IOException {
            if (none.get()) {
              throw new FileSystemException(of.toString(), null, "Too many open files");
            }
            Device.REAL.forceDirectory(of);
          }
        };
    log = new LogFixture(directory).recycleAt(10).device(device);
    opened = log.open();
    log.publish(5);
    opened.force();
    none.set(true);
    log.publish(6); // the directory of the second block cannot be forced
  }

  @AfterEach
  void close() {
    none.set(false);
    log.close();
    captured.close();
  }

  @Test
  void shouldSayThatItGoesOnTryingAndNotThatItHasFailed() {
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(opened::force)
          .isInstanceOf(RiverException.class)
          .isNotInstanceOf(QueueFailedException.class)
          .hasMessageContaining("keeps trying")
          .hasMessageContaining("Too many open files");
    }
    assertThat(opened.failure()).isEmpty();
    assertThat(opened.forcedEnd()).isEqualTo(5);
    none.set(false);
    opened.force();
    assertThat(opened.forcedEnd()).isEqualTo(11);
  }

  @Test
  void shouldSayOnceAMinuteThatItCannotForce() {
    for (int second = 0; second < 119; second++) {
      opened.forceNow();
      log.time().advance(Duration.ofSeconds(1));
    }
    assertThat(captured.takeWarnings()).hasSize(2).allMatch(line -> line.contains("trying again"));
  }
}
