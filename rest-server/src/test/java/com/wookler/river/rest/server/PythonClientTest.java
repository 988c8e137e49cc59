package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client in Python as its users have it: installed by pip from a copy of the checkout, with
 * nothing else on Python's path. Its tests run against a server, and mypy judges its types. Skipped
 * where there is no Python, or nothing to build the package with.
 */
@Timeout(600)
@Tag("full")
class PythonClientTest extends ServerFixture {
  private static final Path CLIENT = Path.of("..", "clients", "python").toAbsolutePath();
  private static final String OLDEST_PYTHON = "3.9"; // of pyproject.toml

  /**
   * Says whether the backend is there that makes a wheel: setuptools does so alone from 70.1 on.
   */
  private static final String CAN_BUILD =
      "import importlib.util, setuptools; assert importlib.util.find_spec('wheel')"
          + " or int(setuptools.__version__.split('.')[0]) > 70";

  @TempDir static Path work;
  private static boolean mypy;

  private record Ended(int code, String out) {}

  private static Ended run(Path in, List<String> command, String... variable) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(in.toFile()).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("PYTHON"));
    for (int i = 0; i < variable.length; i += 2) {
      builder.environment().put(variable[i], variable[i + 1]);
    }
    try {
      Process process = builder.start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Ended(process.waitFor(), out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while " + command + " ran", e);
    }
  }

  private static Ended python(Path in, String... arguments) {
    return run(in, command(arguments));
  }

  private static List<String> command(String... arguments) {
    String python = work.resolve("venv/bin/python").toString();
    return Stream.concat(Stream.of(python, "-B"), Stream.of(arguments)).toList();
  }

  private static boolean hasPython() {
    try {
      return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Copies the client, because a build writes beside the sources. */
  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.filter(path -> !path.toString().contains("__pycache__")).toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    }
  }

  @BeforeAll
  static void install() throws IOException {
    assumeTrue(hasPython(), "there is no python3");
    copy(CLIENT, work.resolve("client"));
    copy(CLIENT.resolve("tests"), work.resolve("tests"));
    Ended made = run(work, List.of("python3", "-m", "venv", "venv"));
    assumeTrue(made.code() == 0, "python3 makes no virtual environment: " + made.out());
    Ended tools =
        python(work, "-m", "pip", "install", "--retries=1", "-r", "tests/requirements.txt");
    mypy = tools.code() == 0;
    Ended installed;
    if (mypy) {
      installed = python(work, "-m", "pip", "install", "./client"); // as its README says
    } else {
      assertThat(tools.out()).as("why there is no mypy").contains("from versions: none");
      assumeTrue(
          python(work, "-c", CAN_BUILD).code() == 0,
          "pip reaches no index, and the virtual environment has nothing that builds a wheel");
      installed =
          python(work, "-m", "pip", "install", "--no-index", "--no-build-isolation", "./client");
    }
    assertThat(installed.code()).as(installed.out()).isZero();
  }

  @Test
  void shouldPassTheClientsOwnTestsWhenItIsInstalled() {
    Path tests = work.resolve("tests");
    Ended place = python(tests, "-c", "import river_client; print(river_client.__file__)");
    assertThat(Path.of(place.out().strip()))
        .startsWith(work.resolve("venv"))
        .satisfies(module -> assertThat(module.resolveSibling("py.typed")).exists());
    Ended ended =
        run(
            tests,
            command("-m", "unittest", "discover", "-v"),
            "RIVER_URL",
            "http://127.0.0.1:" + server.port());
    assertThat(ended.code()).as(ended.out()).isZero();
    assertThat(ended.out()).contains("OK").doesNotContain("skipped");
  }

  private static Ended judge(Path in, String file) {
    return python(in, "-m", "mypy", "--strict", "--python-version", OLDEST_PYTHON, file);
  }

  /** The sources, and what a program sees of the installed package: the example of the README. */
  @Test
  void shouldHaveTypesThatHoldStrictly() throws IOException {
    assumeTrue(mypy, "pip reaches no index, so mypy cannot be installed");
    Ended sources = judge(work.resolve("client"), "river_client");
    assertThat(sources.code()).as(sources.out()).isZero();

    String readme = Files.readString(CLIENT.resolve("README.md"));
    int begin = readme.indexOf("```python\n") + "```python\n".length();
    String example = readme.substring(begin, readme.indexOf("```", begin));
    Path program = Files.createDirectory(work.resolve("program"));
    Files.writeString(program.resolve("example.py"), example);
    Ended judged = judge(program, "example.py");
    assertThat(judged.code()).as(judged.out()).isZero();
    Files.writeString(program.resolve("wrong.py"), example + "\norders.publish(1)\n");
    assertThat(judge(program, "wrong.py").out()).contains("has incompatible type \"int\"");
  }
}
