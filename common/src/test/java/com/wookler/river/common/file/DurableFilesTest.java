package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the journal and the log rely on, on any thread. */
class DurableFilesTest {
  @TempDir Path directory;

  @Test
  void shouldMakeAndForceDirectoriesOnAThreadThatIsInterrupted() throws IOException {
    Path deep = directory.resolve("one/two/three");
    Thread.currentThread().interrupt();
    try {
      DurableFiles.createDirectories(deep);
      DurableFiles.createDirectories(deep);
      DurableFiles.forceDirectory(deep);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(Files.isDirectory(deep)).isTrue();
  }

  @Test
  void shouldKnowHowFarAFileReachesOnAThreadThatIsInterrupted() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[100]);
    Thread.currentThread().interrupt();
    try {
      assertThat(DurableFiles.reaches(file, 100)).isTrue();
      assertThat(DurableFiles.reaches(file, 101)).isFalse();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> DurableFiles.reaches(missing, 1))
        .isInstanceOf(NoSuchFileException.class);
  }

  /** An interrupt may come between the read and its end: then it is done again. */
  @Test
  void shouldKnowHowFarAFileReachesOnAThreadThatIsInterruptedMeanwhile() throws Exception {
    Path file = Files.write(directory.resolve("file"), new byte[100]);
    Thread reading = Thread.currentThread();
    AtomicBoolean done = new AtomicBoolean();
    Thread interrupts =
        new Thread(
            () -> {
              while (!done.get()) {
                reading.interrupt();
                int pause = ThreadLocalRandom.current().nextInt(5_000);
                for (int i = 0; i < pause; i++) {
                  Thread.onSpinWait();
                }
              }
            },
            "INTERRUPTS");
    interrupts.start();
    try {
      for (int i = 0; i < 20_000; i++) {
        assertThat(DurableFiles.reaches(file, 100)).isTrue();
      }
    } finally {
      done.set(true);
      while (interrupts.isAlive()) {
        Thread.onSpinWait();
      }
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
