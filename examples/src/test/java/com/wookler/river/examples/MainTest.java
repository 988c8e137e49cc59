package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.wookler.river.examples.utils.Directories;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class MainTest {
  private static final String PULL = "com.wookler.river.examples.MessagePullSample";
  private static final String CONFIG = "examples/src/main/resources/example-config.xml";

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void shouldShowItsOptions() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("--config", "--example", "--input", "--count", "demo");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void shouldShowTheOptionsOfTheDemo() {
    assertThat(run("demo", "--help")).isZero();
    assertThat(out.toString()).contains("--input", "--directory", "--keep", "--rate");
  }

  @Test
  void shouldRefuseAnUnknownOption() {
    assertRefused("--bogus", "--bogus");
  }

  @Test
  void shouldRefuseAnUnknownCommand() {
    assertRefused("dance", "dance");
  }

  @Test
  void shouldRefuseAValueThatIsNoNumber() {
    assertRefused("many", "--config", CONFIG, "--example", PULL, "--count", "many");
  }

  @Test
  void shouldRefuseNumbersBelowOne() {
    assertRefused("at least 1", "--config", CONFIG, "--example", PULL, "--count", "0");
    assertRefused("at least 1", "--config", CONFIG, "--example", PULL, "--producers", "-1");
    assertRefused("--rate", "demo", "--rate", "-1");
  }

  @Test
  void shouldAskForTheConfiguration() {
    assertRefused("--config", "--example", PULL);
    assertRefused("--config");
  }

  @Test
  void shouldAskForTheExample() {
    assertRefused("--example", "--config", CONFIG);
  }

  @Test
  void shouldRefuseAConfigurationThatIsNotThere() {
    assertRefused("/no/such.xml", "--config", "/no/such.xml", "--example", PULL);
  }

  @Test
  void shouldRefuseAnInputThatIsNotThere() {
    assertRefused("/no/in", "--config", CONFIG, "--example", PULL, "--input", "/no/in");
    assertRefused("/no/in", "demo", "--input", "/no/in");
  }

  @Test
  void shouldRefuseAClassThatIsNotThere() {
    assertRefused("no.such.Example", "--config", CONFIG, "--example", "no.such.Example");
  }

  @Test
  void shouldRefuseAClassThatIsNoExample() {
    assertRefused("java.lang.String", "--config", CONFIG, "--example", "java.lang.String");
  }

  @Test
  void shouldRefuseAnExampleThatCannotBeMade() {
    String name = Nameless.class.getName();
    assertRefused(name, "--config", CONFIG, "--example", name);
  }

  @Test
  void shouldNameThePlaceOfAMistakeInTheConfiguration() throws IOException {
    Path file = directory.resolve("wrong.xml");
    Files.writeString(file, Files.readString(Path.of(CONFIG)).replace("1000000", "many"));

    assertRefused("recycle.size", "--config", file.toString(), "--example", PULL);
    assertThat(err.toString()).contains("wrong.xml:");
  }

  @Test
  void shouldRefuseAConfigurationWithoutAQueue() throws IOException {
    Path file = directory.resolve("none.xml");
    String example = Files.readString(Path.of(CONFIG));
    Files.writeString(file, example.replaceAll("(?s)<queue.*</queue>", ""));

    assertRefused("river.queue", "--config", file.toString(), "--example", PULL);
  }

  @Test
  void shouldNotPutTheDemoIntoADirectoryThatHoldsSomething() throws IOException {
    Files.createFile(directory.resolve("something"));

    assertRefused(directory.toString(), "demo", "--directory", directory.toString());
  }

  @Test
  void shouldExitWithOneWhenAnExampleFails() {
    Logger log = (Logger) LoggerFactory.getLogger(Main.class);
    log.setLevel(Level.OFF); // it would show the stack trace of what fails on purpose
    int code = run("--config", CONFIG, "--example", Failing.class.getName());
    log.setLevel(null);

    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).contains("it broke");
  }

  @Test
  void shouldHandItsOptionsToTheExample() {
    int code =
        run(
            "--config",
            CONFIG,
            "--example",
            Echo.class.getName(),
            "--count",
            "7",
            "--producers",
            "2",
            "--consumers",
            "5",
            "--output",
            "there");

    assertThat(code).isZero();
    assertThat(Echo.last.count()).isEqualTo(7);
    assertThat(Echo.last.producers()).isEqualTo(2);
    assertThat(Echo.last.consumers()).isEqualTo(5);
    assertThat(Echo.last.output()).isEqualTo(Path.of("there"));
    assertThat(Echo.last.config()).isEqualTo(Path.of(CONFIG));
  }

  @Test
  void shouldPublishForSecondsUnlessToldOtherwise() {
    assertThat(run("--config", CONFIG, "--example", Echo.class.getName())).isZero();

    assertThat(Echo.last.count()).isEqualTo(1_000_000);
    for (Example steady : List.of(new StoreAndForwardSample(), new RestRelaySample())) {
      assertThat(steady.defaultCount()).isEqualTo(6_000); // at 500 a second
    }
    assertThat(new ReactorSample().defaultCount()).isEqualTo(100_000);
  }

  @Test
  void shouldRemoveTheDataOfAnExampleUnlessItIsToStay() throws IOException {
    assertThat(run("--config", CONFIG, "--example", Echo.class.getName())).isZero();
    assertThat(Echo.data).doesNotExist();

    assertThat(run("--config", CONFIG, "--example", Echo.class.getName(), "--keep")).isZero();
    assertThat(Echo.data.resolve("data")).exists();
    assertThat(err.toString()).contains(Echo.data.toString());
    Directories.delete(Echo.data);

    String own = directory.resolve("own").toString();
    assertThat(run("--config", CONFIG, "--example", Echo.class.getName(), "--directory", own))
        .isZero();
    assertThat(Echo.data).isEqualTo(Path.of(own));
    assertThat(Echo.data.resolve("data")).exists();
    assertThat(System.getProperty("river.sample.directory")).isNull();
  }

  private void assertRefused(String named, String... args) {
    err.getBuffer().setLength(0);
    assertThat(run(args)).isEqualTo(2);
    assertThat(err.toString().strip().lines()).hasSize(1);
    assertThat(err.toString()).contains(named);
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
  }

  /** Fails. */
  public static final class Failing implements Example {
    @Override
    public void run(ExampleOptions options) {
      throw new IllegalStateException("it broke");
    }
  }

  /** Keeps what it was given. */
  public static final class Echo implements Example {
    private static ExampleOptions last;
    private static Path data;

    @Override
    public void run(ExampleOptions options) throws IOException {
      last = options;
      data = Path.of(System.getProperty("river.sample.directory"));
      Files.createDirectories(data);
      Files.writeString(data.resolve("data"), "some");
    }
  }

  /** Has no public constructor. */
  public static final class Nameless implements Example {
    private Nameless() {}

    @Override
    public void run(ExampleOptions options) {}
  }
}
