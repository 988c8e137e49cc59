package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@Tag("full")
class RestRelaySampleTest {
  @TempDir Path directory;

  @AfterEach
  void stop() {
    Env.reset();
  }

  @Test
  void shouldBringEveryEventToARemoteConsumerAlthoughTheServerGoesAway() throws IOException {
    SampleRun run =
        SampleRun.of(RestRelaySample.class, "example-relay.xml", directory, "--count", "900");

    run.shouldHaveGoneWell();
    assertThat(run.out())
        .contains("STOPPED")
        .contains("Consumed 900 of 900 events, in order")
        .contains("The relay dead-lettered 0 events");
  }
}
