package com.wookler.river.benchmarks.harness;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Where and how much is measured.
 *
 * @param data directory for the data; the command deletes it
 * @param asked rounds that the user asked for; 0 for each benchmark's own number
 * @param seconds that a round takes, or after which it is cut off
 * @param scale by which counts of messages are multiplied
 * @param jvm options of the JVMs that work
 */
public record Context(
    String data, Extent extent, int asked, int seconds, double scale, List<String> jvm)
    implements Serializable {
  /** How much is measured. */
  public enum Extent {
    /** Just enough to see that everything runs and counts right; the figures mean nothing. */
    QUICK,
    /** What the tables in the documentation show. */
    NORMAL,
    /** Also what needs hours, or tens of gigabytes of disk. */
    FULL
  }

  /** Keeps a copy of the options. */
  public Context {
    jvm = List.copyOf(jvm);
  }

  /** Returns whether the figures mean nothing. */
  public boolean quick() {
    return extent == Extent.QUICK;
  }

  /** Returns whether to measure what takes long, too. */
  public boolean full() {
    return extent == Extent.FULL;
  }

  /** Returns one of two numbers. */
  public int count(int normal, int quick) {
    return quick() ? quick : normal;
  }

  /** Returns one of two times. */
  public Duration time(Duration normal, Duration quick) {
    return quick() ? quick : normal;
  }

  /** Returns the steps of what may grow, from small to large. */
  public List<Integer> steps(List<Integer> normal, List<Integer> quick, Integer... fullOnly) {
    List<Integer> steps = new ArrayList<>(quick() ? quick : normal);
    if (full()) {
      steps.addAll(List.of(fullOnly));
    }
    return steps;
  }

  /** Returns how many rounds count: what the user asked for, else the given number. */
  public int rounds(int normal) {
    return asked > 0 ? asked : quick() ? 1 : normal;
  }

  /** Returns how long a round takes, or after what time it is cut off. */
  public Duration round(Duration quick) {
    return time(Duration.ofSeconds(seconds), quick);
  }

  /** Creates a directory. */
  public Path fresh(String name) throws IOException {
    return Files.createDirectories(Path.of(data, name));
  }

  /** Returns what does jobs: a JVM of its own, or this one if the figures mean nothing anyway. */
  public Worker worker() throws IOException {
    return quick() ? new Here() : new ChildJvm(jvm);
  }

  /** Returns the text without the user's language in its numbers. */
  @FormatMethod
  public static String text(@FormatString String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Does jobs. */
  public interface Worker extends Closeable {
    /** Does a job and returns its result. */
    <R> R ask(Job<R> job) throws Exception;
  }

  /** Some work that another JVM can do: it and its result can be serialized. */
  @FunctionalInterface
  public interface Job<R> extends Serializable {
    /** Does it in this JVM. */
    R call() throws Exception;
  }

  private record Here() implements Worker {
    @Override
    public <R> R ask(Job<R> job) throws Exception {
      return job.call();
    }

    @Override
    public void close() {}
  }
}
