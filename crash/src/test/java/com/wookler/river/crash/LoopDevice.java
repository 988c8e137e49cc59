package com.wookler.river.crash;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system of its own in a file, whose power can be cut: it stops at once, and what was not
 * forced, the file system's own journal included, never gets to the file.
 *
 * <p>The device itself is a file of the system underneath, which loses nothing: a disk that lies
 * about its cache is not tried.
 */
final class LoopDevice implements AutoCloseable {
  private static final String SIZE = "2G";

  private final Path image;
  private final Path mount;

  private LoopDevice(Path image, Path mount) {
    this.image = image;
    this.mount = mount;
  }

  /** Skips the test where there can be none. */
  static void assume(String type) throws IOException, InterruptedException {
    assumeTrue(Shell.isRoot(), "SKIPPED: cutting the power needs root, to mount a file system");
    assumeTrue(Shell.has("mkfs." + type), "SKIPPED: no mkfs." + type + " (e2fsprogs, xfsprogs)");
    assumeTrue(Shell.has("xfs_io"), "SKIPPED: no xfs_io (xfsprogs)");
    assumeTrue(Shell.has("mount"), "SKIPPED: no mount");
    assumeTrue(
        Shell.ask("losetup", "-f").exit() == 0, "SKIPPED: there are no loop devices to mount");
  }

  /** Makes and mounts one; skips the test where that is not allowed. */
  static LoopDevice make(String type, Path directory) throws IOException, InterruptedException {
    Path image = directory.resolve("image");
    Path mount = Files.createDirectories(directory.resolve("mount"));
    Files.deleteIfExists(image);
    Shell.run("truncate", "-s", SIZE, image.toString());
    if (type.equals("xfs")) {
      Shell.run("mkfs.xfs", "-q", "-f", image.toString());
    } else {
      Shell.run("mkfs.ext4", "-q", "-F", image.toString());
    }
    LoopDevice device = new LoopDevice(image, mount);
    Shell.Answer answer = device.tryMount();
    assumeTrue(answer.exit() == 0, "SKIPPED: cannot mount a loop device: " + answer.output());
    return device;
  }

  Path mount() {
    return mount;
  }

  private Shell.Answer tryMount() throws IOException, InterruptedException {
    return Shell.ask("mount", "-o", "loop", image.toString(), mount.toString());
  }

  /** Stops the file system: from now on nothing gets to the device. */
  void cut() throws IOException, InterruptedException {
    Shell.run("xfs_io", "-x", "-c", "shutdown", mount.toString());
  }

  /** After the cut, when no process uses it: what there is after the power came back. */
  void restore() throws IOException, InterruptedException {
    unmount();
    Shell.Answer answer = tryMount();
    if (answer.exit() != 0) {
      throw new IOException("cannot mount " + image + " again: " + answer.output());
    }
  }

  private void unmount() throws IOException, InterruptedException {
    for (int i = 0; ; i++) {
      Shell.Answer answer = Shell.ask("umount", mount.toString());
      if (answer.exit() == 0) {
        return;
      }
      if (i == 100) {
        throw new IOException("cannot unmount " + mount + ": " + answer.output());
      }
      Shell.run("sleep", "0.05");
    }
  }

  @Override
  public void close() throws IOException {
    try {
      unmount();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Files.deleteIfExists(image);
  }
}
