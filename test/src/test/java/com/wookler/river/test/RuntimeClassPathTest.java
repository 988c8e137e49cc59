package com.wookler.river.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

/**
 * What river-core brings to an application. The build writes down what this module gets at run
 * time, which is core with what it brings, and modules of River of which nothing else is left.
 */
class RuntimeClassPathTest {
  private static final long MEGABYTE = 1_000_000;
  private static final Pattern MODULE =
      Pattern.compile("/river-([a-z]+)-[^/]*[.]jar$|/([a-z]+)/target/(?:quick/)?classes$");

  /** Returns the jars, or directories of classes. */
  private static List<Path> classPath() throws IOException {
    Path classes =
        Path.of(TestQueue.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    String text = Files.readString(classes.resolveSibling("runtime-class-path")).strip();
    return Stream.of(text.split(File.pathSeparator)).map(Path::of).toList();
  }

  /** Returns the name of River's module; empty for the jars of others. */
  private static String module(Path entry) {
    Matcher found = MODULE.matcher(entry.toString());
    return !found.find() ? "" : found.group(1) != null ? found.group(1) : found.group(2);
  }

  private static long size(Path entry) {
    try {
      return Files.isDirectory(entry) ? compressed(entry) : Files.size(entry);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how large a jar of a directory would be. */
  private static long compressed(Path directory) throws IOException {
    long[] bytes = new long[1];
    OutputStream counting =
        new OutputStream() {
          @Override
          public void write(int one) {
            bytes[0]++;
          }

          @Override
          public void write(byte[] some, int offset, int length) {
            bytes[0] += length;
          }
        };
    try (Stream<Path> all = Files.walk(directory);
        ZipOutputStream jar = new ZipOutputStream(counting)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
        Files.copy(file, jar);
      }
    }
    return bytes[0];
  }

  @Test
  void shouldBringEighteenJarsOfThirteenMegabytes() throws IOException {
    List<Path> own =
        classPath().stream()
            .filter(entry -> Set.of("core", "common", "ack").contains(module(entry)))
            .toList();
    List<Path> others = classPath().stream().filter(entry -> module(entry).isEmpty()).toList();

    assertThat(own).hasSize(3);
    assertThat(others).as("jars of others, which each application gets with River").hasSize(15);
    assertThat(
            Stream.concat(own.stream(), others.stream())
                .mapToLong(RuntimeClassPathTest::size)
                .sum())
        .isBetween(12 * MEGABYTE, 14 * MEGABYTE);
  }
}
