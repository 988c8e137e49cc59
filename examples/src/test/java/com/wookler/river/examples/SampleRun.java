package com.wookler.river.examples;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a sample did when it ran as {@code ./river sample} runs it, but with its data in a test's
 * directory.
 *
 * @param code its exit code
 * @param out what it printed to standard output
 * @param err why it refused or failed; empty if it did not
 */
record SampleRun(int code, String out, String err) {

  /** Runs the sample with the XML that belongs to it; its data goes to {@code data} there. */
  static SampleRun of(
      Class<? extends Example> sample, String xml, Path directory, String... options)
      throws IOException {
    Path shipped = Path.of("examples/src/main/resources");
    Path config =
        Files.copy(shipped.resolve(xml), directory.resolve("config.xml"), REPLACE_EXISTING);
    Path cache = Path.of("example-ehcache.xml"); // beside it, wherever that is
    Files.copy(shipped.resolve(cache), directory.resolve(cache), REPLACE_EXISTING);
    Files.writeString(
        config, Files.readString(config).replace("/tmp/river/test-jdbc", directory + "/data"));
    String[] args =
        Stream.concat(
                Stream.of(
                    "--config",
                    config.toString(),
                    "--example",
                    sample.getName(),
                    "--directory",
                    directory + "/data"),
                Stream.of(options))
            .toArray(String[]::new);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StringWriter err = new StringWriter();
    PrintStream console = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      PrintWriter told = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
      int code = Main.run(told, new PrintWriter(err, true), args);
      return new SampleRun(code, out.toString(StandardCharsets.UTF_8), err.toString());
    } finally {
      System.setOut(console);
    }
  }

  void shouldHaveGoneWell() {
    assertThat(err).isEmpty();
    assertThat(code).isZero();
  }
}
