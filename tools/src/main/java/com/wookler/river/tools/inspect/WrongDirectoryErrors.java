package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.core.backup.BackupFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The errors for directories that hold neither a queue nor backups, or the wrong one of both. */
final class WrongDirectoryErrors {
  private static final int MOST_NAMES = 10;

  private WrongDirectoryErrors() {}

  /** Returns the error for a directory without queue and backups; names those one level below. */
  static ConfigurationException neither(Path directory) throws IOException {
    return Files.isDirectory(directory)
        ? new ConfigurationException(
            directory + " holds neither a queue nor backups" + below(directory))
        : new ConfigurationException(directory + " is not a directory");
  }

  /** Returns the error for a directory without a queue; there may be backups. */
  static ConfigurationException noQueue(Path directory) throws IOException {
    return Files.isDirectory(directory) && holdsBackups(directory)
        ? new ConfigurationException(directory + " holds backups, and no queue")
        : neither(directory);
  }

  /** Refuses what is to hold a queue's backups, and is no directory. */
  static void refuseMissing(Path backup) {
    if (!Files.isDirectory(backup)) {
      throw new ConfigurationException(backup + " is not a directory");
    }
  }

  /** Refuses a directory without a backup of a queue; a damaged one may be of it. */
  static void refuseWithoutBackups(Path backup, UUID queue) throws IOException {
    refuseMissing(backup);
    BackupFiles files = BackupFiles.scan(backup);
    boolean has =
        files.blocks().stream().anyMatch(stored -> stored.block().queue().equals(queue))
            || files.unexpected().stream().anyMatch(BackupFiles.UnexpectedFile::isBackup);
    if (!has) {
      throw new ConfigurationException(
          backup + " holds no backup of queue " + queue + below(backup));
    }
  }

  /** Refuses to write to a directory that is the one that is read, or lies in it. */
  static void refuseWithin(Path target, Path from) throws IOException {
    if (real(target).startsWith(real(from))) {
      throw new ConfigurationException(target + " lies in " + from);
    }
  }

  /** Returns the real path, of which the last parts need not exist. */
  private static Path real(Path path) throws IOException {
    Path absolute = path.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    return Files.exists(absolute) || parent == null
        ? absolute.toRealPath()
        : real(parent).resolve(absolute.getFileName());
  }

  /** Returns whether there are backups, intact or not. */
  static boolean holdsBackups(BackupFiles files) {
    return !files.blocks().isEmpty()
        || files.unexpected().stream().anyMatch(BackupFiles.UnexpectedFile::isBackup);
  }

  private static boolean holdsBackups(Path directory) throws IOException {
    return holdsBackups(BackupFiles.scan(directory));
  }

  private static String below(Path directory) throws IOException {
    List<String> queues = new ArrayList<>();
    List<String> backups = new ArrayList<>();
    for (Path entry : Directories.list(directory, name -> true)) {
      if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        continue;
      }
      if (QueueDirectory.is(entry)) {
        queues.add(String.valueOf(entry.getFileName()));
      } else if (mayHoldBackups(entry)) {
        backups.add(String.valueOf(entry.getFileName()));
      }
    }
    String found = names("queues", queues) + names("backups of", backups);
    return found.isEmpty() ? "" : found + "; name one of them";
  }

  private static boolean mayHoldBackups(Path entry) {
    try {
      return holdsBackups(entry);
    } catch (IOException e) {
      return false; // this directory was not asked for
    }
  }

  private static String names(String what, List<String> names) {
    if (names.isEmpty()) {
      return "";
    }
    int more = names.size() - MOST_NAMES;
    String first = String.join(", ", names.subList(0, Math.min(MOST_NAMES, names.size())));
    return "; below it are " + what + " " + first + (more > 0 ? " and " + more + " more" : "");
  }
}
