package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RestRelaySampleTest {
  @TempDir Path directory;
  private final PrintStream console = System.out;

  @AfterEach
  void stop() {
    System.setOut(console);
    Env.reset();
  }

  @Test
  void shouldBringEveryEventToARemoteConsumerAlthoughTheServerGoesAway() throws IOException {
    Path config = directory.resolve("config.xml");
    String example = Files.readString(Path.of("examples/src/main/resources/example-relay.xml"));
    Files.writeString(config, example.replace("/tmp/river/test-relay", directory + "/data"));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    StringWriter err = new StringWriter();

    int code =
        Main.run(
            new PrintWriter(new StringWriter()),
            new PrintWriter(err, true),
            "--config",
            config.toString(),
            "--example",
            RestRelaySample.class.getName(),
            "--count",
            "900");

    assertThat(err.toString()).isEmpty();
    assertThat(code).isZero();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("AWAY")
        .contains("Consumed 900 of 900 events, in order")
        .contains("The relay gave up 0 events");
  }
}
