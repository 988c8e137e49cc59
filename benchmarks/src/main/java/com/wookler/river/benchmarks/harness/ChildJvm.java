package com.wookler.river.benchmarks.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * A JVM of its own, with the same Java and class path as this one, that does jobs one after the
 * other: it reads one line of JSON a job from standard input, writes one line of JSON a result to
 * standard output, and ends when the input does. What it logs goes to this JVM's standard error.
 */
public final class ChildJvm implements Context.Worker {
  /** Option of a JVM in which River's monitor is off. */
  public static final String WITHOUT_MONITOR = "-Driver.bench.monitor=false";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int FIRST_THAT_WARNS = 24; // of what Chronicle Queue does with memory
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final PrintWriter requests;
  private final BufferedReader answers;

  /**
   * Starts the JVM.
   *
   * @param options for the JVM, after those of this one, such as {@code -Xmx1g}
   */
  public ChildJvm(List<String> options) throws IOException {
    process =
        new ProcessBuilder(command(options)).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    requests = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static List<String> command(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
    // Not agents, which may not be there twice, and not the heap.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> Stream.of("-javaagent", "-agent", "-Xm").noneMatch(option::startsWith))
        .forEach(command::add);
    for (String open : List.of("java.lang.reflect", "sun.nio.ch")) {
      command.add("--add-opens=java.base/" + open + "=ALL-UNNAMED");
    }
    for (String export : List.of("sun.nio.ch", "jdk.internal.ref")) {
      command.add("--add-exports=java.base/" + export + "=ALL-UNNAMED");
    }
    if (Runtime.version().feature() >= FIRST_THAT_WARNS) {
      command.add("--sun-misc-unsafe-memory-access=allow");
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(List.of("-Xlog:disable", "-Xlog:all=warning:stderr")); // not among the results
    command.add("-Driver.log.level=" + System.getProperty("river.log.level", "WARN"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path", "")));
    command.add(ChildJvm.class.getName());
    return command;
  }

  /**
   * Does a job there.
   *
   * @throws IOException it failed, or the JVM has ended
   */
  @Override
  public <R> R ask(Context.Job<R> job, Class<R> result) throws IOException {
    requests.println(JSON.writeValueAsString(Map.of("type", job.getClass().getName(), "job", job)));
    String line = answers.readLine();
    if (line == null) {
      throw new IOException(job + " failed: its JVM has ended; standard error says why");
    }
    JsonNode answer = JSON.readTree(line);
    if (answer.has("error")) {
      throw new IOException(job + " failed: " + answer.get("error").asText());
    }
    return JSON.treeToValue(answer.get("result"), result);
  }

  /** Returns the process. */
  public ProcessHandle process() {
    return process.toHandle();
  }

  /** Ends the process as a crash does: nothing in it is closed. */
  public void kill() throws InterruptedException {
    process.toHandle().destroyForcibly(); // which leaves its output to be read
    process.waitFor();
  }

  @Override
  public void close() throws IOException {
    requests.close();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    answers.close();
  }

  /** Does jobs until standard input ends. */
  public static void main(String[] args) throws IOException {
    System.setOut(System.err); // whatever else is printed is no result
    boolean monitored = !System.getProperty("river.bench.monitor", "").equals("false");
    if (monitored) {
      RiverMonitor.start();
    }
    try (BufferedReader in =
            new BufferedReader(
                new InputStreamReader(
                    new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
        PrintStream out =
            new PrintStream(
                new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.println(JSON.writeValueAsString(answer(JSON.readTree(line))));
      }
    }
    if (monitored) {
      RiverMonitor.stop();
    }
    System.exit(0); // what a system has left running must not keep the process
  }

  private static Map<String, Object> answer(JsonNode request) {
    try {
      Class<?> type = Class.forName(request.get("type").asText());
      Context.Job<? extends Object> job =
          (Context.Job<?>) JSON.treeToValue(request.get("job"), type);
      return Map.of("result", job.call());
    } catch (Exception e) {
      LoggerFactory.getLogger(ChildJvm.class).error("Failed: {}", request, e);
      return Map.of("error", e.toString());
    }
  }
}
