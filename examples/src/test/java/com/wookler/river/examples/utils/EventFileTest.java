package com.wookler.river.examples.utils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventFileTest {
  @TempDir Path directory;

  @Test
  void shouldReadPlainLinesAndLeaveBlankOnesOut() throws IOException {
    Path file = directory.resolve("plain");
    Files.writeString(file, "{\"a\":1}\n\n  \r\n{\"a\":\"ü\"}\r\n{\"a\":3}");

    assertThat(lines(EventFile.of(file)))
        .containsExactly("{\"a\":1}", "{\"a\":\"ü\"}", "{\"a\":3}");
  }

  @Test
  void shouldTellGzipByItsContentAndNotByItsName() throws IOException {
    Path file = directory.resolve("events.txt");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("1\n2\n".getBytes(StandardCharsets.UTF_8));
    }

    assertThat(lines(EventFile.of(file))).containsExactly("1", "2");
  }

  @Test
  void shouldReadFilesOfNoneAndOneByte() throws IOException {
    Path empty = Files.createFile(directory.resolve("empty"));
    Path one = Files.writeString(directory.resolve("one"), "7");

    assertThat(lines(EventFile.of(empty))).isEmpty();
    assertThat(lines(EventFile.of(one))).containsExactly("7");
  }

  @Test
  void shouldHoldTheShippedEvents() {
    List<String> lines = lines(EventFile.shipped());

    assertThat(lines).hasSize(20_000);
    assertThat(lines.get(0)).startsWith("{\"id\":0,").endsWith("}");
    assertThat(lines.get(19_999)).startsWith("{\"id\":19999,");
  }

  @Test
  void shouldNameFileAndLineOfWhatIsNotUtf8() throws IOException {
    Path file = Files.write(directory.resolve("latin"), new byte[] {'a', '\n', (byte) 0xe4, '\n'});

    assertThatThrownBy(() -> lines(EventFile.of(file)))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void shouldReportATruncatedGzip() throws IOException {
    byte[] shipped;
    try (var in = EventFile.class.getResourceAsStream("/flights-20k.ndjson.gz")) {
      shipped = in.readNBytes(100_000);
    }
    Path file = Files.write(directory.resolve("half.gz"), shipped);

    assertThatThrownBy(() -> lines(EventFile.of(file))).isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void shouldRefuseWhatIsNoFile() {
    assertThatThrownBy(() -> EventFile.of(directory))
        .isInstanceOf(UsageException.class)
        .hasMessage("cannot read input file: " + directory);
  }

  private static List<String> lines(EventFile file) {
    List<String> lines = new ArrayList<>();
    try (EventReader reader = file.open()) {
      for (String line = reader.next(); line != null; line = reader.next()) {
        lines.add(line);
      }
    }
    return lines;
  }
}
