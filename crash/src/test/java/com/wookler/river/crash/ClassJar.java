package com.wookler.river.crash;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * The classes that this build has made, in one file which a process opens once: each class of a
 * directory would be a file to be opened, and could not be loaded where opening fails.
 */
final class ClassJar {
  private ClassJar() {}

  /** Packs the directories of the class path. */
  static Path of(Path jar) throws IOException {
    Set<String> names = new HashSet<>();
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream into = new JarOutputStream(out)) {
      StringTokenizer entries =
          new StringTokenizer(System.getProperty("java.class.path"), File.pathSeparator);
      while (entries.hasMoreTokens()) {
        Path directory = Path.of(entries.nextToken());
        if (Files.isDirectory(directory)) {
          add(directory, into, names);
        }
      }
    }
    return jar;
  }

  private static void add(Path directory, JarOutputStream into, Set<String> names)
      throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(directory)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      String name = directory.relativize(file).toString().replace(File.separatorChar, '/');
      if (names.add(name)) {
        into.putNextEntry(new JarEntry(name));
        Files.copy(file, into);
      }
    }
  }
}
