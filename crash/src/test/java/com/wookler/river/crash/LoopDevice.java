package com.wookler.river.crash;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

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
  private final String options;

  private LoopDevice(Path image, Path mount, String options) {
    this.image = image;
    this.mount = mount;
    this.options = options;
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
    return make(type, directory, "loop");
  }

  /**
   * Makes and mounts an ext4 whose journal has the data too, so that every store through a mapping
   * needs it and fails once there was an error; without that stores where a file has its space
   * already are taken, and lost.
   */
  static LoopDevice makeJournaled(Path directory) throws IOException, InterruptedException {
    return make("ext4", directory, "loop,data=journal,errors=remount-ro");
  }

  private static LoopDevice make(String type, Path directory, String options)
      throws IOException, InterruptedException {
    Path image = directory.resolve("image");
    Path mount = Files.createDirectories(directory.resolve("mount"));
    Files.deleteIfExists(image);
    Shell.run("truncate", "-s", SIZE, image.toString());
    if (type.equals("xfs")) {
      Shell.run("mkfs.xfs", "-q", "-f", image.toString());
    } else {
      Shell.run("mkfs.ext4", "-q", "-F", image.toString());
    }
    LoopDevice device = new LoopDevice(image, mount, options);
    Shell.Answer answer = device.tryMount();
    assumeTrue(answer.exit() == 0, "SKIPPED: cannot mount a loop device: " + answer.output());
    return device;
  }

  Path mount() {
    return mount;
  }

  private Shell.Answer tryMount() throws IOException, InterruptedException {
    return Shell.ask("mount", "-o", options, image.toString(), mount.toString());
  }

  /** Stops the file system: from now on nothing gets to the device. */
  void cut() throws IOException, InterruptedException {
    Shell.run("xfs_io", "-x", "-c", "shutdown", mount.toString());
  }

  /** Has ext4 take note of an error, after which it is read-only, whoever has files open. */
  void makeReadOnly() throws IOException, InterruptedException {
    String device = Shell.run("findmnt", "-no", "SOURCE", mount.toString()).strip();
    Path trigger = Path.of("/sys/fs/ext4", device.substring("/dev/".length()), "trigger_fs_error");
    assumeTrue(Files.isWritable(trigger), "SKIPPED: no " + trigger + " to make ext4 read-only");
    Shell.run("sync", "-f", mount.toString()); // stores into pages that wait are taken
    Files.writeString(trigger, "1", StandardOpenOption.WRITE);
    if (Shell.ask("touch", mount.resolve("written").toString()).exit() == 0) {
      throw new IOException(mount + " can be written after an error");
    }
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
