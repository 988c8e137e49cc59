package com.wookler.river.core.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.LogFiles;
import com.wookler.river.core.log.QueueIdentity;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The directory of a queue as files. */
final class QueueDirectory {
  private static final Set<String> KNOWN =
      Set.of(
          "LOCK",
          QueueIdentity.FILE,
          "damage.log",
          "damaged",
          Delays.DIRECTORY,
          "forwards",
          "ids",
          "keys",
          "log",
          "origins.json",
          "owner",
          "subscribers");

  private final Path path;
  private final Optional<QueueIdentity> identity;
  private final Optional<UUID> queue;
  private final String fault;

  private QueueDirectory(
      Path path, Optional<QueueIdentity> identity, Optional<UUID> queue, String fault) {
    this.path = path;
    this.identity = identity;
    this.queue = queue;
    this.fault = fault;
  }

  /** Returns whether this is the directory of a queue, sound or not. */
  static boolean is(Path path) {
    return Files.exists(path.resolve(QueueIdentity.FILE))
        || Files.isDirectory(path.resolve("log"))
        || hasLostBoth(path);
  }

  /** Returns a lock alone is of a queue that was never made. */
  private static boolean hasLostBoth(Path path) {
    return Files.exists(path.resolve("LOCK"))
        && KNOWN.stream()
            .filter(name -> !name.equals("LOCK") && !name.equals("owner"))
            .anyMatch(name -> Files.exists(path.resolve(name)));
  }

  /**
   * Looks at a directory.
   *
   * @throws ConfigurationException it is not that of a queue
   */
  static QueueDirectory of(Path path) throws IOException {
    if (!is(path)) {
      throw WrongDirectoryErrors.noQueue(path);
    }
    try {
      QueueIdentity.Look look = QueueIdentity.look(path);
      return new QueueDirectory(path, look.identity(), look.id(), look.fault());
    } catch (RiverException e) { // a newer format
      return new QueueDirectory(
          path, Optional.empty(), Optional.empty(), String.valueOf(e.getMessage()));
    }
  }

  Path path() {
    return path;
  }

  Path log() {
    return path.resolve("log");
  }

  Path keys() {
    return path.resolve("keys");
  }

  Path subscribers() {
    return path.resolve("subscribers");
  }

  /** Returns what queue.json says, if it is whole. */
  Optional<QueueIdentity> identity() {
    return identity;
  }

  /** Returns what is wrong with queue.json; empty if nothing is. */
  String fault() {
    return fault;
  }

  LogFiles files() throws IOException {
    return Files.isDirectory(log()) ? LogFiles.listLive(log()) : LogFiles.none();
  }

  /** Returns the identity, from other files where queue.json is of no use. */
  Optional<UUID> queue() {
    return queue;
  }

  /** Returns those of its entries that are none of River's. */
  List<Path> strangers() throws IOException {
    List<Path> strangers = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(path)) {
      for (Path entry : all) {
        String name = String.valueOf(entry.getFileName());
        if (!KNOWN.contains(name) && !name.endsWith(".tmp")) {
          strangers.add(entry);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return strangers;
  }
}
