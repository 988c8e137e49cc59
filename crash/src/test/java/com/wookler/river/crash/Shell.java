package com.wookler.river.crash;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands of the system. */
final class Shell {
  private static final long LIMIT_SECONDS = 60;

  private Shell() {}

  /** What a command answered. */
  record Answer(int exit, String output) {}

  /** Runs it to its end; what it writes must be little. */
  static Answer ask(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("no end after " + LIMIT_SECONDS + " s: " + List.of(command));
    }
    return new Answer(process.exitValue(), output);
  }

  /** Runs it, which must go well. */
  static String run(String... command) throws IOException, InterruptedException {
    Answer answer = ask(command);
    if (answer.exit() != 0) {
      throw new IOException(List.of(command) + " answered " + answer);
    }
    return answer.output();
  }

  /** What the threads of a process do, and what it said. */
  static String threads(ChildProcess child) throws IOException, InterruptedException {
    String jstack = Path.of(System.getProperty("java.home"), "bin", "jstack").toString();
    return ask(jstack, Long.toString(child.pid())).output() + "\n" + child.output();
  }

  /** Whether there is such a program. */
  static boolean has(String program) {
    for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
      if (new File(directory, program).canExecute()) {
        return true;
      }
    }
    return new File("/usr/sbin", program).canExecute();
  }

  static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }
}
