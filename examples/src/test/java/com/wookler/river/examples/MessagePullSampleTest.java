package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
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
class MessagePullSampleTest {
  @TempDir Path directory;

  private final CapturedLog log = new CapturedLog(MessagePullSample.class);

  @AfterEach
  void stop() {
    log.close();
    Env.reset();
  }

  @Test
  void shouldPublishAndConsumeEveryMessageCyclingThroughTheInput() throws IOException {
    List<String> input = IntStream.range(0, 700).mapToObj(i -> "{\"id\":" + i + "}").toList();
    Path file = Files.write(directory.resolve("in.ndjson"), input);
    Path output = directory.resolve("out");

    run(
            "--input",
            file.toString(),
            "--count",
            "4201",
            "--producers",
            "2",
            "--consumers",
            "3",
            "--output",
            output.toString())
        .shouldHaveGoneWell();

    List<String> expected = new ArrayList<>();
    IntStream.range(0, 2101).forEach(i -> expected.add(input.get(i % 700)));
    IntStream.range(0, 2100).forEach(i -> expected.add(input.get(i % 700)));
    assertThat(consumed(output)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void shouldLogWhatEachDidAndTheTotals() throws IOException {
    run("--count", "3000", "--consumers", "2").shouldHaveGoneWell();

    String number = "[0-9]+";
    String times = "\\[AVG:[0-9]+\\.[0-9]{6}]\\[TOT:[0-9]+]";
    assertThat(log.lines())
        .anyMatch(
            line ->
                line.matches(
                    "\\[TEST-PRODUCER-0] Published \\[3000] messages : "
                        + times
                        + ", \\[ELAPSED:[0-9]+]"))
        .anyMatch(
            line -> line.matches("\\[TEST-CONSUMER-1] Processed \\[[0-9]+] records : " + times))
        .anyMatch(
            line -> line.matches("\\[TEST-CONSUMER-2] Processed \\[[0-9]+] records : " + times))
        .contains("Total Messages published    : 3000", "Total Messages consumed     : 3000")
        .anyMatch(line -> line.matches("Elapsed time                : " + number + " milliseconds"))
        .anyMatch(line -> line.matches("Number of messages/second   : " + number));
  }

  @Test
  void shouldRunAgainInTheSameDirectory() throws IOException {
    run("--count", "100").shouldHaveGoneWell();
    run("--count", "100").shouldHaveGoneWell();
  }

  @Test
  void shouldRefuseAnInputWithoutMessages() throws IOException {
    Path file = Files.createFile(directory.resolve("empty"));

    SampleRun run = run("--input", file.toString());

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("no messages in " + file);
  }

  private SampleRun run(String... options) throws IOException {
    return SampleRun.of(MessagePullSample.class, "example-config.xml", directory, options);
  }

  private static List<String> consumed(Path output) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(output)) {
      for (Path file : files.toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    return lines;
  }
}
