package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ReactorSampleTest {
  @TempDir Path directory;

  @AfterEach
  void stop() {
    Env.reset();
  }

  @Test
  void shouldPushEveryMessageThroughEachChain() throws IOException {
    List<String> input = IntStream.range(0, 900).mapToObj(i -> "{\"id\":" + i + "}").toList();
    Path file = Files.write(directory.resolve("in.ndjson"), input);

    SampleRun.of(
            ReactorSample.class,
            "example-reactor.xml",
            directory,
            "--input",
            file.toString(),
            "--count",
            "2000",
            "--producers",
            "2")
        .shouldHaveGoneWell();

    List<String> expected = new ArrayList<>();
    IntStream.range(0, 1000).forEach(i -> expected.add(input.get(i % 900)));
    expected.addAll(List.copyOf(expected));
    for (String reactor : List.of("TEST-REACTOR-1", "TEST-REACTOR-2")) {
      for (String processor : List.of("FIRST", "SECOND", "THIRD")) {
        assertThat(written(directory.resolve("data/out").resolve(reactor), processor))
            .as("%s of %s", processor, reactor)
            .containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }

  @Test
  void shouldRefuseASubscriberWhoseMessagesNobodyTakes() throws IOException {
    Path config = directory.resolve("config.xml");
    String shipped = Files.readString(Path.of("examples/src/main/resources/example-reactor.xml"));
    Files.writeString(
        config,
        shipped.replaceAll("(?s)<processor name.*?</processor>|<executor>.*?</executor>", ""));
    StringWriter err = new StringWriter();

    int code =
        Main.run(
            new PrintWriter(new StringWriter()),
            new PrintWriter(err, true),
            "--config",
            config.toString(),
            "--example",
            ReactorSample.class.getName());

    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains("<subscriber name=\"TEST-REACTOR-1\">", "no <processor>");
  }

  private static List<String> written(Path output, String processor) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(output)) {
      for (Path file : files.toList()) {
        if (String.valueOf(file.getFileName()).startsWith(processor + "-")) {
          lines.addAll(Files.readAllLines(file));
        }
      }
    }
    return lines;
  }
}
