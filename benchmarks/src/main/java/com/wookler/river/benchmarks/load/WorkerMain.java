package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.RiverMonitor;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;

/**
 * A worker's JVM: answers each line of standard input with one on standard output, until the input
 * ends. Whatever else is printed goes to standard error.
 */
final class WorkerMain {
  private WorkerMain() {}

  /** Works until standard input ends. */
  public static void main(String[] args) throws IOException {
    System.setOut(System.err);
    RiverMonitor.start();
    try (Rounds rounds = new Rounds();
        BufferedReader requests =
            new BufferedReader(
                new InputStreamReader(
                    new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
        PrintStream answers =
            new PrintStream(
                new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8)) {
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        answers.println(Wire.write(answer(rounds, Wire.read(line, Request.class))));
      }
    }
    RiverMonitor.stop();
    System.exit(0); // what a system left running must not keep the harness waiting
  }

  private static Answer answer(Rounds rounds, Request request) {
    try {
      return new Answer(rounds.run(request), null);
    } catch (RoundFailedException e) {
      LoggerFactory.getLogger(WorkerMain.class).error("Failed", e);
      return new Answer(null, String.valueOf(e.getCause()));
    }
  }
}
