package com.wookler.river.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file system of a few megabytes, in memory, that a test can fill. Needs Linux and root. */
final class SmallDisk {
  private static final int STEP_BYTES = 64 << 10;

  private final Path path;
  private int megabytes;

  private SmallDisk(Path path, int megabytes) {
    this.path = path;
    this.megabytes = megabytes;
  }

  /** Mounts it, or skips the test with the reason. */
  static SmallDisk mount(Path at, int megabytes) throws Exception {
    Files.createDirectories(at);
    String failed =
        run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + megabytes + "m", "river-test", at);
    assumeTrue(failed == null, "needs root and Linux to mount a small file system: " + failed);
    return new SmallDisk(at, megabytes);
  }

  /** What the command wrote if it failed, else null. */
  private static String run(Object... command) throws InterruptedException {
    try {
      List<String> words = List.of(command).stream().map(String::valueOf).toList();
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      return process.waitFor() == 0 ? null : output;
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  Path path() {
    return path;
  }

  /** Takes all space but this, in a file of somebody else. */
  void fillBut(long bytes) throws IOException {
    byte[] zeros = new byte[STEP_BYTES];
    try (OutputStream out = Files.newOutputStream(foreign())) {
      while (path.toFile().getUsableSpace() >= bytes + STEP_BYTES) {
        out.write(zeros);
      }
      while (path.toFile().getUsableSpace() > bytes) {
        out.write(zeros, 0, 4 << 10);
      }
    } catch (IOException e) { // the queue has taken the last of it meanwhile
      assertThat(path.toFile().getUsableSpace()).as(e.toString()).isLessThan(bytes + STEP_BYTES);
    }
  }

  /** Removes that file. */
  void free() throws IOException {
    Files.deleteIfExists(foreign());
  }

  /** Makes it a megabyte larger. */
  void enlarge() throws Exception {
    megabytes++;
    String failed = run("mount", "-o", "remount,size=" + megabytes + "m", path);
    if (failed != null) {
      throw new IOException(failed);
    }
  }

  private Path foreign() {
    return path.resolve("foreign");
  }

  /** Unmounts it. */
  void unmount() throws Exception {
    String failed = run("umount", path);
    if (failed != null) {
      throw new IOException(failed);
    }
  }
}
