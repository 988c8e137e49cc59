package com.wookler.river.core.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.backup.BackupFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a directory is refused with that is not the one that was meant. */
final class WrongDirectoryErrors {
  private static final int MOST_NAMES = 10;

  private WrongDirectoryErrors() {}

  /** It holds neither a queue nor backups. Says what lies one level below. */
  static ConfigurationException neither(Path directory) throws IOException {
    return Files.isDirectory(directory)
        ? new ConfigurationException(
            directory + " holds neither a queue nor backups" + below(directory))
        : new ConfigurationException(directory + " is not a directory");
  }

  /** It holds no queue; there may be backups. */
  static ConfigurationException noQueue(Path directory) throws IOException {
    return Files.isDirectory(directory) && holdsBackups(directory)
        ? new ConfigurationException(directory + " holds backups, and no queue")
        : neither(directory);
  }

  /** Returns whether there are backups, sound or not. */
  static boolean holdsBackups(BackupFiles files) {
    return !files.blocks().isEmpty() || files.odd().stream().anyMatch(BackupFiles.Odd::isBackup);
  }

  private static boolean holdsBackups(Path directory) throws IOException {
    return holdsBackups(BackupFiles.scan(directory));
  }

  private static String below(Path directory) throws IOException {
    List<String> queues = new ArrayList<>();
    List<String> backups = new ArrayList<>();
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(
            directory, entry -> Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))) {
      for (Path entry : all) {
        if (QueueDirectory.is(entry)) {
          queues.add(String.valueOf(entry.getFileName()));
        } else if (mayHoldBackups(entry)) {
          backups.add(String.valueOf(entry.getFileName()));
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    String told = told("queues", queues) + told("backups of", backups);
    return told.isEmpty() ? "" : told + "; name one of them";
  }

  private static boolean mayHoldBackups(Path entry) {
    try {
      return holdsBackups(entry);
    } catch (IOException e) {
      return false; // nobody asked for it
    }
  }

  private static String told(String what, List<String> names) {
    if (names.isEmpty()) {
      return "";
    }
    names.sort(null);
    int more = names.size() - MOST_NAMES;
    String first = String.join(", ", names.subList(0, Math.min(MOST_NAMES, names.size())));
    return "; below it are " + what + " " + first + (more > 0 ? " and " + more + " more" : "");
  }
}
