package com.wookler.river.core.log.recovery;

import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of files that a recovery makes last, after it has forced what it found. Each step can
 * be repeated, and a recovery after a crash between two of them finds the same.
 */
final class RepairPlan {
  private static final Logger LOG = LoggerFactory.getLogger(RepairPlan.class);
  private static final int ZEROS_BYTES = 64 << 10;

  private final Device device;
  private final List<Step> steps = new ArrayList<>();

  /** One change of one file. */
  private record Step(Path file, Change change) {}

  @FunctionalInterface
  private interface Change {
    void run() throws IOException;
  }

  RepairPlan(Device device) {
    this.device = device;
  }

  private void add(Path file, Change change) {
    steps.add(new Step(file, change));
  }

  /** Deletes a file that holds nothing. */
  void delete(Path file) {
    add(file, () -> Files.deleteIfExists(file));
  }

  /** Quarantines a file that may hold something; returns its new name. */
  Path quarantine(Path file) {
    Path aside = DurableFiles.quarantineOf(file);
    add(file, () -> DurableFiles.rename(file, aside));
    return aside;
  }

  /**
   * Keeps a copy of a file in this directory that is going to change, up to this offset; returns
   * its name. Without space for it the recovery continues: what is copied stays in the file too.
   */
  Path keepCopy(Path directory, Path file, long end) {
    Path copy = DurableFiles.quarantineOf(file);
    Path temporary = copy.resolveSibling(copy.getFileName() + DurableFiles.TEMPORARY);
    add(
        file,
        () -> {
          try {
            copy(file, temporary, end);
            DurableFiles.rename(temporary, copy);
          } catch (IOException e) {
            if (!device.isFull(e, directory)) {
              throw e;
            }
            Files.deleteIfExists(temporary);
            LOG.warn("No space for {}; what it was to keep is in {} only", copy, file, e);
          }
        });
    return copy;
  }

  private static void copy(Path file, Path to, long end) throws IOException {
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ);
        FileChannel out = DurableFiles.create(to)) {
      long at = 0;
      long copied;
      do {
        copied = in.transferTo(at, end - at, out);
        at += copied;
      } while (copied > 0);
      out.force(true);
    }
  }

  /** Cuts what was torn off after this offset. */
  void cut(Path file, long offset) {
    add(
        file,
        () -> {
          try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(offset);
            channel.force(true);
          }
        });
  }

  void write(Path file, BlockRepair.Patch patch) {
    add(
        file,
        () -> {
          try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            DurableFiles.put(channel, patch.bytes().duplicate(), patch.offset());
            long at = patch.offset() + patch.bytes().limit();
            for (long left = patch.zeros(); left > 0; left -= ZEROS_BYTES) {
              int length = (int) Math.min(left, ZEROS_BYTES);
              DurableFiles.put(channel, ByteBuffer.allocate(length), at);
              at += length;
            }
            channel.force(true);
          }
        });
  }

  /** Closes a block with an end mark at this offset. */
  void writeEndMark(Path file, long offset) {
    add(
        file,
        () -> {
          try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            DurableFiles.put(channel, DocumentHeader.endMark(), offset);
            channel.force(true);
          }
        });
  }

  boolean isEmpty() {
    return steps.isEmpty();
  }

  void run() throws IOException {
    for (Step step : steps) {
      step.change().run();
      device.repaired(step.file());
    }
  }
}
