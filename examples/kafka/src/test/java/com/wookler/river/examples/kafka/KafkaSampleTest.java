package com.wookler.river.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The sample checks its counts itself. */
@Tag("full")
class KafkaSampleTest {
  private static final int COUNT = 3_000;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  @Test
  void shouldCountEachOrder() throws Exception {
    KafkaSample.run(COUNT, directory);
    assertThat(Counts.inFile(directory.resolve("processed0.txt"))).isNotEmpty();
  }
}
