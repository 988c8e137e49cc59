package com.wookler.river.crash;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The wall clock of one process, which is set while the process runs: libfaketime answers for the
 * system, and reads its offset from a file. The monotonic clock stays.
 */
final class FakeClock {
  private static final String LIBRARY = "libfaketimeMT.so.1";
  private static final long HALF_DAY_SECONDS = 43_200;

  private FakeClock() {}

  /** Skips the test where there is no such library, or it does not work. */
  static Path assume() throws IOException, InterruptedException {
    Path found = library();
    assumeTrue(found != null, "SKIPPED: no " + LIBRARY + " (package libfaketime)");
    String now = Shell.run("date", "+%s").trim();
    Shell.Answer faked = Shell.ask("env", "LD_PRELOAD=" + found, "FAKETIME=+1d", "date", "+%s");
    assumeTrue(
        faked.exit() == 0
            && faked.output().trim().matches("[0-9]+")
            && Long.parseLong(faked.output().trim()) - Long.parseLong(now) > HALF_DAY_SECONDS,
        "SKIPPED: " + found + " cannot be loaded: " + faked.output());
    return Objects.requireNonNull(found);
  }

  private static @Nullable Path library() throws IOException {
    for (String base : new String[] {"/usr/lib", "/usr/lib64", "/usr/local/lib"}) {
      Path direct = Path.of(base, "faketime", LIBRARY);
      if (Files.exists(direct)) {
        return direct;
      }
      if (Files.isDirectory(Path.of(base))) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of(base), "*-linux-*")) {
          for (Path architecture : all) {
            Path inside = architecture.resolve("faketime").resolve(LIBRARY);
            if (Files.exists(inside)) {
              return inside;
            }
          }
        }
      }
    }
    return null;
  }

  /** What a process needs in its environment. */
  static Map<String, String> environment(Path library, Path offset) {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "FAKETIME_TIMESTAMP_FILE", offset.toString(),
        "FAKETIME_CACHE_DURATION", "1",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "DONT_FAKE_MONOTONIC", "1",
        "NO_FAKE_STAT", "1");
  }

  /** Sets the clock, such as by {@code +12h}. */
  static void set(Path offset, String value) throws IOException {
    Path next = offset.resolveSibling(offset.getFileName() + ".next");
    Files.writeString(next, value + "\n");
    Files.move(next, offset, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
