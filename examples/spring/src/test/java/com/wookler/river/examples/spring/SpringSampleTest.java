package com.wookler.river.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;

class SpringSampleTest {
  @TempDir Path directory;

  @Test
  void shouldProcessEachOrder() {
    String[] arguments = {"--count=5", "--river.directory=" + directory};
    SpringApplication application = new SpringApplication(SpringSample.class);
    StringBuilder seen = new StringBuilder();
    application.addListeners(
        event -> {
          if (event instanceof ApplicationReadyEvent) {
            seen.append("ready");
          }
        });
    application.run(arguments).close();
    assertThat(seen).hasToString("ready");
    assertThat(directory.resolve("orders")).isDirectory();
  }
}
