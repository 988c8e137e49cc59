package com.wookler.river.core.keys;

import com.wookler.river.core.file.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/** The files of an index: {@code keys-000000000001} and so on, and those that were quarantined. */
public final class RunFiles {
  private static final String CORRUPT = ".corrupt";

  private static final String PREFIX = "keys-";

  private RunFiles() {}

  static String name(long number) {
    return String.format("%s%012d", PREFIX, number);
  }

  static long number(Path run) {
    return Long.parseLong(String.valueOf(run.getFileName()).substring(PREFIX.length()));
  }

  private static boolean isRun(Path file) {
    return String.valueOf(file.getFileName()).matches(PREFIX + "\\d{12,}");
  }

  /** The runs in a directory, in the order of their names; none if there is no directory. */
  static List<Path> list(Path directory) throws IOException {
    return list(directory, RunFiles::isRun);
  }

  /** Returns what was quarantined there as damaged. */
  public static List<Path> setAside(Path directory) throws IOException {
    return list(directory, file -> String.valueOf(file.getFileName()).endsWith(CORRUPT));
  }

  private static List<Path> list(Path directory, DirectoryStream.Filter<Path> which)
      throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, which)) {
      all.forEach(found::add);
    } catch (NoSuchFileException e) {
      return found;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    found.sort(null);
    return found;
  }

  static void removeTemporary(Path directory) throws IOException {
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(directory, PREFIX + "*" + DurableFiles.TEMPORARY)) {
      for (Path file : all) {
        Files.deleteIfExists(file);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  static Path putAside(Path file) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + CORRUPT);
    DurableFiles.rename(file, aside);
    return aside;
  }

  /**
   * Proves the files of an index; reads only, also while a process has the queue open.
   *
   * @param damage gets each file that is not what was written, and what is wrong
   * @return how many files there are
   */
  public static int verify(Path directory, UUID queue, BiConsumer<Path, String> damage)
      throws IOException {
    int count = 0;
    for (Path file : list(directory)) {
      try {
        KeyRun run = KeyRun.open(file, queue);
        count++;
        run.verify();
      } catch (RunDamage e) {
        damage.accept(file, e.what());
      } catch (NoSuchFileException e) {
        // merged into another meanwhile
      }
    }
    return count;
  }
}
