package com.wookler.river.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sample checks its counts itself. */
@Tag("full")
class KafkaSampleTest {
  private static final int COUNT = 3_000;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountEachOrder(boolean kafka) throws Exception {
    KafkaSample.run(COUNT, directory, kafka);
    assertThat(Counts.inFile(directory.resolve("processed0.txt"))).isNotEmpty();
  }
}
