package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.log.files.LogFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The files of a queue's directory.
 *
 * @param path of it
 * @param identity what {@code queue.json} has, if it is intact
 * @param queue its identity, from other files where {@code queue.json} is damaged
 * @param fault what is wrong with {@code queue.json}; empty if nothing is
 */
record QueueDirectory(
    Path path, Optional<QueueIdentity> identity, Optional<UUID> queue, String fault) {
  private static final Set<String> KNOWN =
      Set.of(
          "LOCK",
          QueueIdentity.FILE,
          "damage.log",
          "damaged",
          QueueEraser.PENDING,
          Delays.DIRECTORY,
          "forwards",
          "ids",
          "keys",
          "log",
          "origins.json",
          "owner",
          "redrives",
          "removed",
          "subscribers");

  /** Returns whether this is the directory of a queue, intact or not. */
  static boolean is(Path path) {
    return Files.exists(path.resolve(QueueIdentity.FILE))
        || Files.isDirectory(path.resolve("log"))
        || hasLostBoth(path);
  }

  /** Returns whether other files are there beside the lock, which alone says nothing. */
  private static boolean hasLostBoth(Path path) {
    return Files.exists(path.resolve("LOCK"))
        && KNOWN.stream()
            .filter(name -> !name.equals("LOCK") && !name.equals("owner"))
            .anyMatch(name -> Files.exists(path.resolve(name)));
  }

  /**
   * Reads the identity in a directory.
   *
   * @throws ConfigurationException it is not a queue's
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

  Path log() {
    return path.resolve("log");
  }

  Path keys() {
    return path.resolve("keys");
  }

  Path subscribers() {
    return path.resolve("subscribers");
  }

  LogFiles files() throws IOException {
    return Files.isDirectory(log()) ? LogFiles.listLive(log()) : LogFiles.none();
  }

  /** Returns the entries of the directory that are not River's. */
  List<Path> strangers() throws IOException {
    return Directories.list(path, name -> !KNOWN.contains(name) && !name.endsWith(".tmp"));
  }
}
