package com.wookler.river.benchmarks.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A worker in a JVM of its own, with the same Java and class path as this one. */
final class ForkedWorker implements Worker {
  private static final int FIRST_THAT_WARNS = 24; // of what Chronicle Queue does with memory
  private static final long PATIENCE_SECONDS = 30;

  private final Process process;
  private final PrintWriter requests;
  private final BufferedReader answers;

  /**
   * Starts the JVM.
   *
   * @param heap of the JVM, from the start, for instance {@code 1g}
   * @param options further options of the JVM
   */
  ForkedWorker(String heap, List<String> options) throws IOException {
    process =
        new ProcessBuilder(command(heap, options))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    requests =
        new PrintWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8), true);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static List<String> command(String heap, List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
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
    // standard output is for answers
    command.add("-Xlog:disable");
    command.add("-Xlog:all=warning:stderr");
    command.add("-Xms" + heap);
    command.add("-Xmx" + heap);
    command.add("-Driver.log.level=" + System.getProperty("river.log.level", "WARN"));
    command.addAll(options);
    command.add("-cp");
    command.add(System.getProperty("java.class.path", ""));
    command.add(WorkerMain.class.getName());
    return command;
  }

  @Override
  public Outcome run(Request request) throws IOException {
    requests.println(Wire.write(request));
    String line = answers.readLine();
    if (line == null) {
      throw new RoundFailedException(request, "its JVM has ended; standard error says why");
    }
    Answer answer = Wire.read(line, Answer.class);
    if (answer.outcome() == null) {
      throw new RoundFailedException(request, String.valueOf(answer.error()));
    }
    return answer.outcome();
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
}
