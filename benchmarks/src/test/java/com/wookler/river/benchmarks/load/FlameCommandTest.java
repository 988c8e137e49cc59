package com.wookler.river.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.wookler.river.benchmarks.harness.UsageException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class FlameCommandTest {
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
