package com.wookler.river.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;

/** Runs the sample, which has neither the actuator nor Micrometer nor Jackson's modules. */
class SpringSampleTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
        "io.micrometer.core.instrument.MeterRegistry",
        "com.fasterxml.jackson.module.paramnames.ParameterNamesModule",
        "com.fasterxml.jackson.datatype.jdk8.Jdk8Module"
      })
  void shouldHaveNoneOfTheOptionalJars(String name) {
    assertThatThrownBy(() -> Class.forName(name)).isInstanceOf(ClassNotFoundException.class);
  }

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
