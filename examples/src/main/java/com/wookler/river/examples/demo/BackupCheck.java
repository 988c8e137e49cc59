package com.wookler.river.examples.demo;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;

/**
 * The result of comparing the messages in the backups, read through the queue, with the published
 * events.
 *
 * @param files number of compressed blocks
 * @param bytes their size
 * @param messages number of messages read from them
 * @param violations the differences, in words
 */
record BackupCheck(int files, long bytes, long messages, List<String> violations) {
  private static final String SUFFIX = ".zst";
  private static final int BATCH = 500;

  boolean hold() {
    return violations.isEmpty();
  }

  /** Returns the result in one line. */
  String summary() {
    return String.format(
        Locale.ROOT,
        "%s, %.1f MB; %s read back%s",
        Amount.grouped(files, "compressed block"),
        bytes / 1e6,
        Amount.grouped(messages, "message"),
        hold() ? ", each as published" : ", BROKEN: " + violations);
  }

  /** Counts the backups without reading them. */
  static int count(Path directory) {
    return find(directory).size();
  }

  /**
   * Reads every message that is no longer in the queue's log from the backups.
   *
   * @param progress called with the number of messages read
   */
  static BackupCheck verify(
      MessageQueue<String> queue, Path directory, DemoContext context, LongConsumer progress) {
    List<String> violations = new ArrayList<>();
    List<Path> files = find(directory);
    long end = queue.stats().firstSequence();
    if (end > 0 && files.isEmpty()) {
      violations.add("blocks were removed, but there is no backup in " + directory);
    }
    long next = 0;
    while (next < end && violations.isEmpty()) {
      List<Delivery<String>> read = queue.read(next, (int) Math.min(BATCH, end - next));
      if (read.isEmpty()) {
        violations.add("sequence " + next + " cannot be read back");
      }
      for (Delivery<String> delivery : read) {
        compare(delivery, next++, context, violations);
      }
      progress.accept(next);
    }
    return new BackupCheck(files.size(), size(files), next, violations);
  }

  private static void compare(
      Delivery<String> delivery, long sequence, DemoContext context, List<String> violations) {
    int number = context.events().number(delivery);
    if (delivery.sequence() != sequence) {
      violations.add("sequence " + sequence + " is missing, next is " + delivery.sequence());
    } else if (number < 0 || context.published().sequence(number) != sequence) {
      violations.add("sequence " + sequence + " is not the event published there");
    } else if (!context.events().intact(number, delivery.data())) {
      violations.add("sequence " + sequence + " reads back changed");
    }
  }

  private static List<Path> find(Path directory) {
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (file.toString().endsWith(SUFFIX)) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              if (e instanceof NoSuchFileException) { // a temporary file, renamed meanwhile
                return FileVisitResult.CONTINUE;
              }
              throw e;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
    return found;
  }

  private static long size(List<Path> files) {
    return files.stream().mapToLong(f -> f.toFile().length()).sum();
  }
}
