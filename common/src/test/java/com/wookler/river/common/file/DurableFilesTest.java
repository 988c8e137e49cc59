package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
}
