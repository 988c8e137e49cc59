package com.wookler.river.tools.inspect;

import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.journal.LedgerLook;
import com.wookler.river.ack.journal.Owner;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.subscriber.StoredSubscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of one subscriber.
 *
 * @param directory of it
 * @param queue to which it belongs
 * @param stored its settings; null if they cannot be read
 * @param fault why they cannot be read; null otherwise
 */
record SubscriberFiles(
    Path directory, UUID queue, @Nullable StoredSubscriber stored, @Nullable String fault) {
  private static final String REMOVED = "~removed";

  /** Returns the directories of all subscribers, by name. */
  static List<Path> list(Path subscribers) throws IOException {
    return Directories.list(subscribers, name -> true).stream().filter(Files::isDirectory).toList();
  }

  /** Returns whether the next opening deletes this directory. */
  static boolean isLeftover(Path directory) throws IOException {
    if (String.valueOf(directory.getFileName()).endsWith(REMOVED)) {
      return true;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.allMatch(file -> String.valueOf(file.getFileName()).endsWith(".tmp"));
    }
  }

  static SubscriberFiles of(Path directory, UUID queue) throws IOException {
    try {
      return new SubscriberFiles(directory, queue, StoredSubscriber.read(directory, queue), null);
    } catch (NoSuchFileException e) {
      return new SubscriberFiles(directory, queue, null, "is missing");
    } catch (RiverException e) {
      return new SubscriberFiles(directory, queue, null, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the queues in it: its dead letters. */
  static List<Path> queues(Path directory) throws IOException {
    return list(directory).stream().filter(QueueDirectory::is).toList();
  }

  /** Returns whether this is a queue that could not be opened, and was replaced by a new one. */
  static boolean isQuarantined(Path queue) {
    return DurableFiles.isQuarantined(String.valueOf(queue.getFileName()));
  }

  String name() {
    return String.valueOf(directory.getFileName());
  }

  Path settings() {
    return directory.resolve(StoredSubscriber.FILE);
  }

  /** Returns its state; the earliest sequence counts where its files have no other. */
  LedgerLook look(long earliest) throws IOException {
    InitialPosition origin =
        stored == null ? new InitialPosition(earliest, earliest) : stored.origin(earliest);
    boolean ack = stored == null ? hasAckFiles() : stored.config().ackRequired();
    return LedgerLook.at(directory, Owner.of(queue, name()), ack, origin);
  }

  private boolean hasAckFiles() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.anyMatch(file -> String.valueOf(file.getFileName()).startsWith("ack-"));
    }
  }
}
