package com.wookler.river.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import com.wookler.river.common.Env;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What this JVM uses, waiting without using any of it, its monitor and its directories. */
public final class ThisJvm {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final int COLLECTIONS = 3;
  private static final int COMPILER_CHECKS = 20;
  private static final Duration COMPILER_IDLE = Duration.ofMillis(500);
  private static final String MONITOR =
      """
      <river><env>
        <monitor><params>
          <param name="app.name" value="bench"/>
          <param name="monitor.window.recycle" value="30ss"/>
        </params></monitor>
        <task-manager name="bench"><params>
          <param name="executor.pool.size" value="1"/>
        </params></task-manager>
      </env></river>
      """;

  private static volatile @Nullable String commit;

  private ThisJvm() {}

  /** Returns the processor time of all threads so far. */
  public static long cpuNanos() {
    return PROCESS.getProcessCpuTime();
  }

  /** Returns the number of Java's threads. */
  public static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  /** Returns the bytes of heap in use after collections that also clear references. */
  public static long heapBytes() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Waits for a time. */
  public static void pause(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Returns when a condition holds; {@link IllegalStateException} if it does not in time. */
  public static void await(BooleanSupplier condition, Duration patience, String what) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      check(System.nanoTime() - deadline < 0, "waited " + patience + " for: " + what);
      pause(Duration.ofMillis(1));
    }
  }

  /**
   * Waits, for 10 seconds at most, until nothing was compiled for half a second: on two cores a
   * compiler takes from what is measured a processor that it has only in its first seconds.
   */
  public static void awaitCompiled() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    long before = -1;
    for (int i = 0; i < COMPILER_CHECKS && compiler.getTotalCompilationTime() != before; i++) {
      before = compiler.getTotalCompilationTime();
      pause(COMPILER_IDLE);
    }
  }

  /** Throws {@link IllegalStateException} unless something was done right. */
  public static void check(boolean right, Object what) {
    if (!right) {
      throw new IllegalStateException(what.toString());
    }
  }

  /**
   * Creates River's environment with its monitor, which is on in production and so when River is
   * measured, before any queue opens. {@link Env#reset} turns it off.
   */
  public static void startMonitor() throws IOException {
    Path file = Files.createTempFile("river-bench-", ".xml");
    try {
      Files.writeString(file, MONITOR);
      Env.create(file, "river");
    } finally {
      Files.delete(file);
    }
  }

  /** Returns the machine and the system, with the type of the file system of a directory. */
  static String describe(Path directory) throws IOException {
    String vendor = property("java.vendor.version");
    return Context.text(
        "%d cores of %s, %.0f GB, %s, %s %s, %s, JDK %s (%s)",
        Runtime.getRuntime().availableProcessors(),
        field("/proc/cpuinfo", "model name", ": ", property("os.arch")),
        PROCESS.getTotalMemorySize() / 1e9,
        field("/etc/os-release", "PRETTY_NAME", "=", property("os.arch")),
        property("os.name"),
        property("os.version"),
        Files.getFileStore(directory).type(),
        property("java.version"),
        vendor.isEmpty() ? property("java.vendor") : vendor);
  }

  /** Returns the commit of the repository, and whether files differ from it; empty if unknown. */
  static String commit() throws IOException {
    String known = commit; // before results of this JVM are among the files
    if (known == null) {
      known = describeCommit();
      commit = known;
    }
    return known;
  }

  private static String describeCommit() throws IOException {
    Path root = Path.of(System.getProperty("river.root", "."));
    Process git =
        new ProcessBuilder("git", "describe", "--always", "--abbrev=10", "--dirty")
            .directory(root.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (InputStream out = git.getInputStream()) {
      return new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  private static String property(String name) {
    return System.getProperty(name, "");
  }

  /** Returns the value of the first line of this name, without its quotes. */
  private static String field(String file, String name, String separator, String other)
      throws IOException {
    if (!Files.isReadable(Path.of(file))) {
      return other;
    }
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(separator) + separator.length()))
          .findFirst()
          .orElse(other)
          .replace("\"", "");
    }
  }

  /** Returns the lines of a resource that are no comments, each as its cells between bars. */
  public static Stream<List<String>> table(String resource) {
    try (InputStream in = ThisJvm.class.getResourceAsStream(resource)) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return text.lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> List.of(line.split(" \\| ", -1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Creates a directory below another one; below the system's temporary directory if null. */
  public static Path createDirectory(@Nullable Path base) throws IOException {
    Path parent = base == null ? Path.of(System.getProperty("java.io.tmpdir", "")) : base;
    return Files.createTempDirectory(Files.createDirectories(parent), "river-bench-");
  }

  /** Deletes a directory with all that is in it. */
  public static void delete(Path directory) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(directory)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }
}
