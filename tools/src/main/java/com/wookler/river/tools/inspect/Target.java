package com.wookler.river.tools.inspect;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.OfflineQueue;
import com.wookler.river.core.log.QueueIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A queue's directory that is being created. Its identity is written last: without it no queue
 * opens an incomplete directory. If it is closed before that, all of it is deleted.
 */
final class Target implements AutoCloseable {
  private final Path directory;
  private final boolean existed;
  private boolean done;

  private Target(Path directory, boolean existed) {
    this.directory = directory;
    this.existed = existed;
  }

  /**
   * Begins a directory, which must be absent or empty.
   *
   * @param from what is read meanwhile
   * @throws ConfigurationException it is neither, or lies in {@code from}, or its name cannot be a
   *     queue's
   */
  static Target begin(Path path, Path from) throws IOException {
    WrongDirectoryErrors.refuseWithin(path, from);
    Path directory = path.toAbsolutePath().normalize();
    try {
      OfflineQueue.checkName(String.valueOf(directory.getFileName()));
    } catch (ConfigurationException e) {
      throw new ConfigurationException(directory + ": " + e.getMessage(), e);
    }
    boolean existed = Files.exists(directory, LinkOption.NOFOLLOW_LINKS);
    if (existed) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw new ConfigurationException(directory + " is there and no directory");
      }
      try (Stream<Path> files = Files.list(directory)) {
        if (files.findAny().isPresent()) {
          throw new ConfigurationException(directory + " is not empty; nothing was touched");
        }
      }
    }
    Target target = new Target(directory, existed);
    try {
      DurableFiles.createDirectories(directory);
      DurableFiles.write(directory.resolve(QueueIdentity.UNFINISHED), new byte[0]);
      DurableFiles.createDirectories(target.log());
    } catch (IOException e) {
      target.close();
      throw e;
    }
    return target;
  }

  Path log() {
    return directory.resolve("log");
  }

  Path subscribers() {
    return directory.resolve("subscribers");
  }

  Path directory() {
    return directory;
  }

  void finish(UUID queue) throws IOException {
    String name = String.valueOf(directory.getFileName());
    new QueueIdentity(queue, name, TimeSource.system().wallTime().toString(), Set.of())
        .write(directory.resolve(QueueIdentity.FILE));
    Files.delete(directory.resolve(QueueIdentity.UNFINISHED));
    done = true;
  }

  @Override
  public void close() throws IOException {
    if (done) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!existed || !file.equals(directory)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (UncheckedIOException e) { // out of the walk
      throw e.getCause();
    }
  }
}
