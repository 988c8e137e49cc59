package com.wookler.river.benchmarks.rest;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The load generator {@code wrk} with the script {@code publish.lua}. One thread of it keeps all
 * connections busy: each sends its next request when it has its answer.
 */
final class Wrk {
  /** Says that there is none. */
  static final String MISSING = "there is no wrk on the PATH (Debian package wrk)";

  private static final Pattern FIGURES =
      Pattern.compile(
          "RIVER requests=(\\d+) micros=(\\d+) refused=(\\d+) broken=(\\d+) p50=(\\d+) p99=(\\d+)"
              + " max=(\\d+)");
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private final Path program;
  private final Path script;

  /**
   * What one run reached.
   *
   * @param requests that were answered well
   * @param seconds that it took
   * @param p50 of the latencies, in microseconds, as are the other two
   */
  record Figures(long requests, double seconds, double p50, double p99, double max) {
    double perSecond() {
      return requests / seconds;
    }
  }

  private Wrk(Path program, Path script) {
    this.program = program;
    this.script = script;
  }

  /** Returns where it is; empty if it is not installed. */
  static Optional<Path> find() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, "wrk"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns it with its script in a directory. */
  static Wrk in(Path directory) throws IOException {
    Path program = find().orElseThrow(() -> new IllegalStateException(MISSING));
    Path script = directory.resolve("publish.lua");
    try (InputStream resource = Wrk.class.getResourceAsStream("/rest/publish.lua")) {
      Files.write(script, Objects.requireNonNull(resource, "publish.lua").readAllBytes());
    }
    return new Wrk(program, script);
  }

  /**
   * Publishes for a while.
   *
   * @throws IOException it failed, or an answer was an error
   */
  Figures publish(String url, Publishing.Requests requests, Duration time)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(url, requests, time)).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Matcher figures = FIGURES.matcher(output);
    if (!figures.find()) {
      throw new IOException("wrk failed: " + output);
    }
    if (number(figures, 3) + number(figures, 4) > 0) {
      throw new IOException("not all requests were answered as they should: " + figures.group());
    }
    return new Figures(
        number(figures, 1),
        number(figures, 2) / 1e6,
        number(figures, 5),
        number(figures, 6),
        number(figures, 7));
  }

  private List<String> command(String url, Publishing.Requests requests, Duration time) {
    List<String> command = new ArrayList<>();
    if (time.compareTo(SHORTEST) < 0) { // it knows whole seconds only, but ends well by a signal
      command.addAll(List.of("timeout", "-s", "INT", time.toMillis() / 1e3 + "s"));
    }
    command.addAll(
        List.of(
            program.toString(),
            "-t1",
            "-c" + requests.connections(),
            "-d" + Math.max(1, time.toSeconds()) + "s",
            "-s",
            script.toString(),
            url + (requests.disk() ? "?durability=DISK" : ""),
            "--",
            Integer.toString(requests.batch()),
            Integer.toString(requests.bytes())));
    if (requests.ids()) {
      command.add("ids");
    }
    return command;
  }

  private static long number(Matcher figures, int group) {
    return Long.parseLong(figures.group(group));
  }
}
