package com.wookler.river.benchmarks.harness;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Where and how much is measured.
 *
 * @param directory for the data; the command deletes it
 * @param extent how much
 * @param asked rounds that the user asked for; 0 for each benchmark's own number
 * @param progress takes a line for the console
 */
public record Context(Path directory, Extent extent, int asked, Consumer<String> progress) {
  /** How much is measured. */
  public enum Extent {
    /** Just enough to see that everything runs and counts right; the figures mean nothing. */
    QUICK,
    /** What the tables in the documentation show. */
    NORMAL,
    /** Also what needs tens of gigabytes of disk. */
    FULL
  }

  /** Returns whether the figures mean nothing. */
  public boolean quick() {
    return extent == Extent.QUICK;
  }

  /** Returns one of two numbers of messages, blocks or whatever is counted. */
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
    if (extent == Extent.FULL) {
      steps.addAll(List.of(fullOnly));
    }
    return steps;
  }

  /** Returns how many rounds count: what the user asked for, else the given number. */
  public int rounds(int normal) {
    return asked > 0 ? asked : quick() ? 1 : normal;
  }

  /** Creates a directory. */
  public Path fresh(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name));
  }

  /**
   * Returns what does jobs: a JVM of its own, or this one if the figures mean nothing anyway.
   *
   * @param options of that JVM
   */
  public Worker worker(List<String> options) throws IOException {
    return quick() ? new Here() : new ChildJvm(options);
  }

  /** Returns the text without the user's language in its numbers. */
  @FormatMethod
  public static String text(@FormatString String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Does jobs. */
  public interface Worker extends Closeable {
    /** Does a job and returns its result. */
    <R> R ask(Job<R> job, Class<R> result) throws Exception;
  }

  /**
   * Some work that another JVM can do. A record whose parts Jackson can read and write, as its
   * result.
   *
   * @param <R> the result
   */
  public interface Job<R> {
    /** Does it in this JVM. */
    R call() throws Exception;
  }

  private static final class Here implements Worker {
    @Override
    public <R> R ask(Job<R> job, Class<R> result) throws Exception {
      return job.call();
    }

    @Override
    public void close() {}
  }
}
