package com.wookler.river.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts an application on the directory of one that runs. */
class SecondInstanceTest {
  @TempDir Path directory;

  @Test
  @Tag("full")
  void shouldSayWhatToDoAndEnd() {
    Contexts.runner(directory.resolve("data"))
        .run(
            first -> {
              first.getBean(RiverTemplate.class).publish("orders", "a");
              Process second = KilledApplication.start(directory, 0);
              try {
                assertThat(second.waitFor(1, TimeUnit.MINUTES)).isTrue();
                assertThat(second.exitValue()).isEqualTo(1);
                assertThat(Files.readString(directory.resolve("log")))
                    .contains(
                        "APPLICATION FAILED TO START",
                        "A queue of River is in use by another process: queue orders",
                        "--river.directory=");
                assertThat(first.getBean(RiverTemplate.class).publish("orders", "b")).isOne();
              } finally {
                second.destroyForcibly();
              }
            });
  }
}
