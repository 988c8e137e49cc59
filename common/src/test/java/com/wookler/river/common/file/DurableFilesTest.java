package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
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
}
