package com.wookler.river.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where something was measured.
 *
 * @param cores that the JVM may use
 * @param cpu model
 * @param memoryBytes in all
 * @param os name and version
 * @param fileSystem type of that which held the data
 * @param jdk version and vendor
 */
public record Machine(
    int cores, String cpu, long memoryBytes, String os, String fileSystem, String jdk) {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
  private static final Path OS_RELEASE = Path.of("/etc/os-release");

  /** Returns this machine, with its data below a directory that exists. */
  public static Machine here(Path directory) throws IOException {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        field(CPU_INFO, "model name", ":").orElse(property("os.arch")),
        memory(),
        field(OS_RELEASE, "PRETTY_NAME", "=").map(name -> name + ", ").orElse("")
            + property("os.name")
            + " "
            + property("os.version"),
        Files.getFileStore(directory).type(),
        property("java.vendor.version").isEmpty()
            ? property("java.version") + " (" + property("java.vendor") + ")"
            : property("java.version") + " (" + property("java.vendor.version") + ")");
  }

  /** Returns a line of text. */
  public String describe() {
    return String.format(
        Locale.ROOT,
        "%d cores of %s, %.0f GB, %s, %s, JDK %s",
        cores,
        cpu,
        memoryBytes / 1e9,
        os,
        fileSystem,
        jdk);
  }

  private static String property(String name) {
    return System.getProperty(name, "");
  }

  private static long memory() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getTotalMemorySize();
  }

  /** Returns the value of the first line of this name, without its quotes. */
  private static Optional<String> field(Path file, String name, String separator)
      throws IOException {
    if (!Files.isReadable(file)) {
      return Optional.empty();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(separator) + 1).replace("\"", "").trim())
          .findFirst();
    }
  }
}
