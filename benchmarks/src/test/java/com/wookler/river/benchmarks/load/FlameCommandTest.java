package com.wookler.river.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.wookler.river.benchmarks.harness.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Tag("full")
class FlameCommandTest {
  private static final long MANY = 100_000_000;

  @TempDir Path directory;

  /** The harness's methods in all samples of all rounds. */
  private static List<String> methods(Path recording) throws Exception {
    List<String> methods = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
      if (event.getStackTrace() != null) {
        event.getStackTrace().getFrames().stream()
            .map(RecordedFrame::getMethod)
            .filter(method -> method.getType().getName().startsWith(LoadRound.class.getName()))
            .forEach(method -> methods.add(method.getName()));
      }
    }
    return methods;
  }

  @Test
  void shouldRecordTheWorkingThreadsWhileTheyWork() throws Exception {
    Path rounds = Files.createDirectory(directory.resolve("rounds"));
    String data = Files.createDirectory(directory.resolve("data")).toString();
    String into = rounds.toString();
    for (String line : List.of("publish-100-1", "consume-100-batch")) {
      new LoadRound(line, "river", data, MANY, 500, true, into).call();
    }
    Path all = FlameCommand.join(rounds, directory.resolve("all.jfr"));
    assertThat(methods(all)).contains("flatOut", "take").doesNotContain("readBack", "fill");
    Path graph = directory.resolve("graph.html");
    FlameCommand.draw(all, graph, "the title");
    assertThat(graph).content().contains("the title");
  }

  @ParameterizedTest
  @CsvSource({
    "mvstore cannot do forced-async, --line forced-async --system mvstore",
    "no line 'x' (--list lists them), --line x",
    "--rounds is at least 1, --line both-1k --rounds 0"
  })
  void shouldRefuseWhatMakesNoSense(String message, String arguments) {
    FlameCommand command = new FlameCommand();
    new CommandLine(command).parseArgs(arguments.split(" ", -1));
    assertThatExceptionOfType(UsageException.class).isThrownBy(command::call).withMessage(message);
  }
}
