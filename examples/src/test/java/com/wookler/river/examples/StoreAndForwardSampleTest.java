package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class StoreAndForwardSampleTest {
  @TempDir Path directory;

  @AfterEach
  void stop() {
    Env.reset();
  }

  @Test
  void shouldForwardEveryEventInOrderAlthoughTheServerGoesAway() throws IOException {
    SampleRun run =
        SampleRun.of(
            StoreAndForwardSample.class,
            "example-store-and-forward.xml",
            directory,
            "--count",
            "900");

    run.shouldHaveGoneWell();
    assertThat(run.out())
        .contains("STOPPED")
        .contains("FORWARD-XML  forwarded 900 of 900 events, in order")
        .contains("FORWARD-CODE forwarded 900 of 900 events, in order")
        .contains("no attempt was used");
  }
}
