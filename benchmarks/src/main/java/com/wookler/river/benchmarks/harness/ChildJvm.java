package com.wookler.river.benchmarks.harness;

import com.wookler.river.common.Env;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A JVM of its own, with the same Java and class path as this one, that does jobs one after the
 * other: it reads them from standard input, writes their results to standard output, and ends when
 * the input does. What it logs goes to this JVM's standard error.
 */
public final class ChildJvm implements Context.Worker {
  /** Option of a JVM in which River's monitor is off. */
  public static final String WITHOUT_MONITOR = "-Driver.bench.monitor=false";

  /** Nothing of the JVM's among the results; the last one stops what a flight recording says. */
  private static final List<String> STDERR_ONLY =
      List.of("-Xlog:disable", "-Xlog:all=warning:stderr", "-Xlog:jfr+startup=error:stderr");

  private static final int FIRST_THAT_WARNS = 24; // of what Chronicle Queue does with memory
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final ObjectOutputStream jobs;
  private @Nullable ObjectInputStream answers; // opened when the other side has begun to write

  /** What became of a job: its result, or else the error. */
  private record Answer(@Nullable Object result, @Nullable String error) implements Serializable {}

  /** Starts the JVM with these options after those of this one. */
  public ChildJvm(List<String> options) throws IOException {
    process =
        new ProcessBuilder(command(options)).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    jobs = new ObjectOutputStream(process.getOutputStream());
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
    command.addAll(STDERR_ONLY);
    command.add("-Driver.log.level=" + System.getProperty("river.log.level", "WARN"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path", "")));
    command.add(ChildJvm.class.getName());
    return command;
  }

  /** Does a job there; {@link IOException} if it failed or the JVM has ended. */
  @Override
  @SuppressWarnings("unchecked") // a job of R has a result of R
  public <R> R ask(Context.Job<R> job) throws IOException {
    Answer answer;
    try {
      jobs.writeObject(job);
      jobs.reset();
      jobs.flush();
      if (answers == null) {
        answers = new ObjectInputStream(process.getInputStream());
      }
      answer = (Answer) answers.readObject();
    } catch (ObjectStreamException e) {
      throw e;
    } catch (IOException | ClassNotFoundException e) {
      throw new IOException(job + " failed: its JVM has ended; standard error says why", e);
    }
    if (answer.result == null) {
      throw new IOException(job + " failed: " + answer.error);
    }
    return (R) answer.result;
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
    try {
      jobs.close();
    } catch (IOException e) {
      // it has ended
    }
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    process.getInputStream().close();
  }

  /** Does jobs until standard input ends. */
  public static void main(String[] args) throws IOException, ClassNotFoundException {
    System.setOut(System.err); // whatever else is printed is no result
    boolean monitored = !System.getProperty("river.bench.monitor", "").equals("false");
    if (monitored) {
      ThisJvm.startMonitor();
    }
    try (ObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(FileDescriptor.out));
        ObjectInputStream in = new ObjectInputStream(new FileInputStream(FileDescriptor.in))) {
      while (true) {
        out.writeObject(answer((Context.Job<?>) in.readObject()));
        out.reset();
        out.flush();
      }
    } catch (EOFException e) {
      // no job is left
    }
    if (monitored) {
      Env.reset();
    }
    System.exit(0); // what a system has left running must not keep the process
  }

  private static Answer answer(Context.Job<?> job) {
    try {
      return new Answer(job.call(), null);
    } catch (Exception e) {
      LoggerFactory.getLogger(ChildJvm.class).error("Failed: {}", job, e);
      return new Answer(null, e.toString());
    }
  }
}
