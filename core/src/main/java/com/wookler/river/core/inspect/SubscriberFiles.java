package com.wookler.river.core.inspect;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.ack.InitialPosition;
import com.wookler.river.core.ack.journal.LedgerLook;
import com.wookler.river.core.ack.journal.Owner;
import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.subscriber.StoredSubscriber;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directory of one subscriber as files. */
final class SubscriberFiles {
  private static final String REMOVED = "~removed";

  private final Path directory;
  private final UUID queue;
  private final @Nullable StoredSubscriber stored;
  private final @Nullable String fault;

  private SubscriberFiles(
      Path directory, UUID queue, @Nullable StoredSubscriber stored, @Nullable String fault) {
    this.directory = directory;
    this.queue = queue;
    this.stored = stored;
    this.fault = fault;
  }

  /** Returns the directories of all subscribers, by name. */
  static List<Path> list(Path subscribers) throws IOException {
    List<Path> all = new ArrayList<>();
    if (Files.isDirectory(subscribers)) {
      try (DirectoryStream<Path> found =
          Files.newDirectoryStream(subscribers, Files::isDirectory)) {
        found.forEach(all::add);
      } catch (DirectoryIteratorException e) {
        throw e.getCause();
      }
    }
    all.sort(null);
    return all;
  }

  /** Returns whether the next opening clears this away. */
  static boolean isLeftover(Path directory) throws IOException {
    if (String.valueOf(directory.getFileName()).endsWith(REMOVED)) {
      return true;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.allMatch(file -> String.valueOf(file.getFileName()).endsWith(".tmp"));
    }
  }

  /** Looks at the settings of one. */
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
    return String.valueOf(queue.getFileName()).matches(".*\\" + DurableFiles.DAMAGED + "(-\\d+)?");
  }

  String name() {
    return String.valueOf(directory.getFileName());
  }

  Path settings() {
    return directory.resolve(StoredSubscriber.FILE);
  }

  /** Returns what is wrong with its settings. */
  Optional<String> fault() {
    return Optional.ofNullable(fault);
  }

  /** Returns where it stands; the earliest sequence counts where its files don't tell. */
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
