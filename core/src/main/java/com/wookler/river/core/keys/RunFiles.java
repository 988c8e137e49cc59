package com.wookler.river.core.keys;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/** The files of an index: {@code keys-000000000001} and so on, and those that were quarantined. */
public final class RunFiles {
  private RunFiles() {}

  /** Returns the files that were quarantined as damaged. */
  public static List<Path> quarantined(Path directory) throws IOException {
    return RunHeader.FILES.quarantined(directory);
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
    for (var file : RunHeader.FILES.list(directory).entrySet()) {
      try {
        KeyRun run = KeyRun.open(directory, queue, file.getKey());
        count++;
        run.verify();
      } catch (RunDamage e) {
        damage.accept(file.getValue(), e.what());
      } catch (NoSuchFileException e) {
        // merged into another meanwhile
      }
    }
    return count;
  }
}
