package com.wookler.river.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.examples.utils.EventFile;
import com.wookler.river.examples.utils.EventReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(180)
class DemoTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void shouldProveThatEverySubscriberGotTheShippedEvents() throws IOException {
    List<String> events = shipped(3_000);
    Path file = Files.write(directory.resolve("events"), events);
    Path data = directory.resolve("data");

    int code = demo("--input", file.toString(), "--directory", data.toString());

    assertThat(err.toString()).isEmpty();
    assertThat(out.toString())
        .contains("published  3,000 of 3,000 events")
        .containsPattern("billing +3,000 of 3,000 events, lost 0, more than once [1-9]")
        .contains("30 not acknowledged on purpose")
        .containsPattern("audit +3,000 of 3,000 events, lost 0, more than once 0")
        .containsPattern("archive +3,000 of 3,000 events, lost 0, more than once 0")
        .containsPattern("restart +after 1,[0-9]{3} events")
        .containsPattern("backup +[1-9][0-9]* compressed blocks")
        .contains("The proof holds.");
    assertThat(code).isZero();
    assertThat(data.resolve("queue")).isDirectory();
    assertThat(BackupCheck.count(data.resolve("backup"))).isGreaterThan(10);
  }

  @Test
  void shouldProveItAsFastAsItGoesForEventsWithoutIds() throws IOException {
    List<String> events = IntStream.range(0, 1_000).mapToObj(i -> "{\"n\":" + i % 7 + "}").toList();
    Path file = Files.write(directory.resolve("events"), events);

    int code = demo("--input", file.toString(), "--rate", "0");

    assertThat(out.toString()).contains("travel in a header").contains("The proof holds.");
    assertThat(code).isZero();
  }

  @Test
  void shouldWorkForASingleEvent() throws IOException {
    Path file = Files.writeString(directory.resolve("one"), "{\"id\":0}\n");

    assertThat(demo("--input", file.toString())).isZero();
    assertThat(out.toString()).contains("The proof holds.");
  }

  @Test
  void shouldRemoveItsTemporaryDirectory() throws IOException {
    Path file = Files.writeString(directory.resolve("one"), "{\"id\":0}\n");

    demo("--input", file.toString());

    String data = out.toString().lines().findFirst().orElseThrow().replaceFirst(".*data in ", "");
    assertThat(Path.of(data)).doesNotExist();
  }

  private int demo(String... args) {
    return new CommandLine(new DemoCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private static List<String> shipped(int count) {
    List<String> lines = new ArrayList<>();
    try (EventReader reader = EventFile.shipped().open()) {
      while (lines.size() < count) {
        lines.add(reader.next());
      }
    }
    return lines;
  }
}
