package com.wookler.river.core.keys;

import com.wookler.river.core.file.Directories;
import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.file.NumberedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/** The files of an index: {@code keys-000000000001} and so on, and those that were quarantined. */
public final class RunFiles {
  static final NumberedFiles FILES = new NumberedFiles("keys-");

  private RunFiles() {}

  static String name(long number) {
    return FILES.name(number);
  }

  /** Returns the runs in a directory, in the order of their numbers. */
  static List<Path> list(Path directory) throws IOException {
    return List.copyOf(FILES.list(directory).values());
  }

  /** Returns the files that were quarantined as damaged. */
  public static List<Path> quarantined(Path directory) throws IOException {
    return Directories.list(directory, DurableFiles::isQuarantined);
  }

  static void removeTemporary(Path directory) throws IOException {
    for (Path file : Directories.list(directory, name -> name.endsWith(DurableFiles.TEMPORARY))) {
      Files.deleteIfExists(file);
    }
  }

  /**
   * Verifies the files of an index; reads only, also while a process has the queue open.
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
