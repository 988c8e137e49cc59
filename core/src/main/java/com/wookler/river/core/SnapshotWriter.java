package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.LogCopy;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.DurableSubscriber;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies a running queue, so that the copy is what a kill could have left: first what is derived
 * from the log, on the flusher, which alone writes it; then each subscriber's ledger, while nothing
 * changes it, and after it its dead letters; the log last. So no file of the copy tells of a
 * message that its log has not, and what a ledger has completed by a dead letter has that letter.
 *
 * <p>No block leaves, and no subscriber comes, goes or moves back while ledgers and log are copied.
 * The identity is written last: without it no queue opens a copy that was not finished. Runs on the
 * worker, which nothing interrupts, and which may wait for the flusher.
 */
final class SnapshotWriter implements SubscriberRegistry.Copying {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotWriter.class);
  private static final Set<String> LOCKS = Set.of("LOCK", "owner");
  private static final Set<String> APART =
      Set.of("LOCK", "owner", "log", "subscribers", "damaged", QueueIdentity.FILE);

  private final QueueStorage storage;
  private final SubscriberRegistry<?> subscribers;
  private final Path target;
  private long firstSequence;
  private long nextSequence;
  private long copiedBytes;

  /** A step of the copy. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  SnapshotWriter(QueueStorage storage, SubscriberRegistry<?> subscribers, Path target) {
    this.storage = storage;
    this.subscribers = subscribers;
    this.target = target;
  }

  /** Makes the copy; nothing is left of one that failed. */
  QueueSnapshot write() {
    String queue = storage.config.name();
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new ConfigurationException(
          "queue %s: %s is there already; a snapshot makes its directory itself"
              .formatted(queue, target.toAbsolutePath()));
    }
    try {
      refuseQueueAbove(target.toAbsolutePath());
      refuseQueueAbove(target.toAbsolutePath().normalize()); // a part before ".." may not be there
      copyOrNothing();
      return new QueueSnapshot(target, firstSequence, nextSequence, copiedBytes);
    } catch (IOException | UncheckedIOException | CompletionException e) {
      throw new RiverException(
          "queue " + queue + ": cannot make a snapshot in " + target + ": " + e, e);
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + queue + " is closed", e);
    }
  }

  /** Refuses a target in the directory of a queue, by whatever links the path leads there. */
  private void refuseQueueAbove(Path absolute) throws IOException {
    Path own = storage.directory.path();
    Path at = DurableFiles.existing(absolute).toRealPath();
    while (at != null) {
      if (at.equals(own)) {
        throw refused("the queue's own directory, of which it would be a copy");
      }
      if (Files.exists(at.resolve(QueueIdentity.FILE))) {
        throw refused("the directory of a queue, " + at);
      }
      at = at.getParent();
    }
  }

  private ConfigurationException refused(String where) {
    return new ConfigurationException(
        "queue %s: %s is in %s".formatted(storage.config.name(), target.toAbsolutePath(), where));
  }

  private void copyOrNothing() throws IOException {
    Path existing = DurableFiles.existing(target.toAbsolutePath());
    try {
      copy();
    } catch (Throwable e) {
      try {
        removeUpTo(existing);
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
  }

  /** Removes what is there of the copy, and the directories above it that were made for it. */
  private void removeUpTo(Path existing) throws IOException {
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      DataDirectory.deleteTree(target);
    }
    Path at = target.toAbsolutePath().getParent();
    try {
      while (at != null && !at.equals(existing) && at.startsWith(existing)) {
        Files.deleteIfExists(at);
        at = at.getParent();
      }
    } catch (DirectoryNotEmptyException e) {
      LOG.debug("Queue {}: {} is used by others", storage.config.name(), at);
    }
  }

  private void copy() throws IOException {
    Path own = storage.directory.path();
    DurableFiles.createDirectories(target);
    DurableFiles.write(target.resolve(QueueIdentity.UNFINISHED), new byte[0]);
    byte[] identity = Files.readAllBytes(own.resolve(QueueIdentity.FILE)); // before what it names
    CompletableFuture.runAsync(unchecked(() -> copyTree(own, target, APART)), storage.flusher)
        .join();
    subscribers.copy(this);
    force();
    DurableFiles.write(target.resolve(QueueIdentity.FILE), identity);
    Files.delete(target.resolve(QueueIdentity.UNFINISHED));
    DurableFiles.forceDirectory(target);
  }

  @Override
  public void subscriber(Path directory, @Nullable DurableSubscriber<?> open) throws IOException {
    Path to = target.resolve("subscribers").resolve(directory.getFileName());
    if (open == null) {
      copyTree(directory, to, LOCKS);
    } else {
      open.whileStill(unchecked(() -> copyFiles(directory, to, Set.of())));
      open.deadLetterStore().copyTo(to);
    }
  }

  @Override
  public void log() throws IOException {
    LogCopy log = storage.log.copyTo(target.resolve("log"));
    firstSequence = log.firstSequence();
    nextSequence = log.nextSequence();
    copiedBytes += log.copiedBytes();
  }

  private void copyTree(Path from, Path to, Set<String> without) throws IOException {
    for (Path directory : copyFiles(from, to, without)) {
      copyTree(directory, to.resolve(directory.getFileName()), LOCKS);
    }
  }

  /** Copies the files of a directory, and returns the directories in it. */
  private List<Path> copyFiles(Path from, Path to, Set<String> without) throws IOException {
    DurableFiles.makeDirectories(to);
    List<Path> all;
    try (Stream<Path> listed = Files.list(from)) {
      all = listed.filter(file -> isCopied(String.valueOf(file.getFileName()), without)).toList();
    }
    for (Path file : all) {
      if (!Files.isDirectory(file)) {
        copyFile(file, to.resolve(file.getFileName()));
      }
    }
    return all.stream().filter(Files::isDirectory).toList();
  }

  private static boolean isCopied(String name, Set<String> without) {
    return !without.contains(name) && !name.endsWith(DurableFiles.TEMPORARY);
  }

  private void copyFile(Path from, Path to) throws IOException {
    try {
      if (storage.directory.keys().equals(from.getParent())) {
        copiedBytes += DurableFiles.link(from, to); // a file of the index never changes
      } else {
        long length = Files.size(from);
        DurableFiles.copy(from, to, length);
        copiedBytes += length;
      }
    } catch (NoSuchFileException e) { // the index has merged it into another, or reads it again
      Files.deleteIfExists(to);
    }
  }

  private void force() throws IOException {
    try (Stream<Path> all = Files.walk(target)) {
      for (Path file : all.toList()) {
        if (Files.isDirectory(file)) {
          DurableFiles.forceDirectory(file);
        } else {
          DurableFiles.force(file);
        }
      }
    }
  }

  private static Runnable unchecked(Step step) {
    return () -> {
      try {
        step.run();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }
}
