package com.wookler.river.examples;

import com.wookler.river.common.Env;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class OutboxSampleTest {
  @TempDir Path directory;

  @AfterEach
  void stop() {
    Env.reset();
  }

  /** The sample itself compares the orders in the database with the messages. */
  @Test
  void shouldHaveAMessageAboutEachOrder() throws IOException {
    SampleRun.of(
            OutboxSample.class,
            "example-outbox.xml",
            directory,
            "--count",
            "500",
            "--producers",
            "3")
        .shouldHaveGoneWell();
  }
}
