package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the tests of the client in Python against a server; skipped where there is no Python. */
@Timeout(120)
@Tag("full")
class PythonClientTest extends ServerFixture {
  private static final Path CLIENT = Path.of("..", "clients", "python").toAbsolutePath();

  private static boolean hasPython() throws InterruptedException {
    try {
      return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void shouldPassTheClientsOwnTests() throws Exception {
    assumeTrue(hasPython(), "there is no python3");
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of("python3", "-B", "-m", "unittest", "discover", "-v", "-s", "tests"));
    builder.directory(CLIENT.toFile()).redirectErrorStream(true);
    builder.environment().put("PYTHONPATH", CLIENT.toString());
    builder.environment().put("RIVER_URL", "http://127.0.0.1:" + server.port());
    Process python = builder.start();
    String out = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(python.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(python.exitValue()).as(out).isZero();
    assertThat(out).contains("OK").doesNotContain("skipped");
  }
}
