package com.wookler.river.core.backup;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.files.BlockName;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names the files under the backup directory of a queue: {@code yyyy/MM/dd/b00000042.cq4.zst} and
 * {@code b00000042.seal} beside it; or {@code b00000042-2.cq4.zst} and so on, where an earlier
 * queue of the same name has left a backup of that name.
 */
final class BackupLayout {
  static final String DATA = ".cq4.zst";
  static final String SEAL = ".seal";

  private static final Pattern STEM = Pattern.compile("b(\\d{8,10})(-\\d{1,9})?");
  private static final Pattern FOLDER =
      Pattern.compile("\\d{4}(/(0[1-9]|1[0-2])(/(0[1-9]|[12]\\d|3[01]))?)?");
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("uuuu/MM/dd", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Path directory;

  BackupLayout(Path directory) {
    this.directory = target(directory);
  }

  /** Returns the target of a link, because links below the directory are not followed. */
  private static Path target(Path directory) {
    try {
      return Files.isSymbolicLink(directory) ? directory.toRealPath() : directory;
    } catch (IOException e) {
      return directory; // its target is missing: the first backup fails with that
    }
  }

  Path directory() {
    return directory;
  }

  static Path sealOf(Path zst) {
    return other(zst, DATA, SEAL);
  }

  static Path dataOf(Path seal) {
    return other(seal, SEAL, DATA);
  }

  private static Path other(Path file, String ending, String wanted) {
    String name = name(file);
    String stem = name.endsWith(ending) ? name.substring(0, name.length() - ending.length()) : name;
    return file.resolveSibling(stem + wanted);
  }

  /** Returns the number of the block in a name with this ending; empty in any other name. */
  static OptionalInt block(Path file, String ending) {
    String name = name(file);
    if (!name.endsWith(ending)) {
      return OptionalInt.empty();
    }
    Matcher stem = STEM.matcher(name.substring(0, name.length() - ending.length()));
    if (!stem.matches()) {
      return OptionalInt.empty();
    }
    long number = Long.parseLong(stem.group(1));
    return number <= Integer.MAX_VALUE ? OptionalInt.of((int) number) : OptionalInt.empty();
  }

  /** Returns the number of the block in the name of a backup; -1 if it is not a backup's. */
  static int numberOf(Path zst) {
    return block(zst, DATA).orElse(-1);
  }

  /** Returns whether a crash can have left this file half written. */
  static boolean isTemporary(Path file) {
    return block(file, DATA + DurableFiles.TEMPORARY).isPresent()
        || block(file, SEAL + DurableFiles.TEMPORARY).isPresent()
        || block(file, SEAL + DurableFiles.TEMPORARY + DurableFiles.TEMPORARY).isPresent();
  }

  /** Returns whether this is the folder of a year, a month or a day. */
  boolean isDateFolder(Path folder) {
    String relative = directory.relativize(folder).toString();
    return FOLDER.matcher(relative.replace('\\', '/')).matches();
  }

  /** Creates the folder of a day, so that it survives a power loss. */
  Path makeFolder(long micros) throws IOException {
    long seconds = Math.floorDiv(micros, TimeUnit.SECONDS.toMicros(1));
    Path folder = directory.resolve(DAY.format(Instant.ofEpochSecond(seconds)));
    DurableFiles.createDirectories(folder);
    force(folder);
    return folder;
  }

  /** Forces the entries of a day's folder and of those above it, the queue's included. */
  void force(@Nullable Path folder) throws IOException {
    Path queue = directory.toAbsolutePath();
    Path at = folder == null ? null : folder.toAbsolutePath();
    while (at != null && at.startsWith(queue)) {
      DurableFiles.forceDirectory(at);
      at = at.getParent();
    }
  }

  /** Returns a name in the folder that no file has yet. */
  static Path freeName(Path folder, int block) {
    String stem = BlockName.of(block);
    Path zst = folder.resolve(stem + DATA);
    for (int i = 2; isTaken(zst); i++) {
      zst = folder.resolve(stem + "-" + i + DATA);
    }
    return zst;
  }

  private static boolean isTaken(Path zst) {
    return Files.exists(zst, LinkOption.NOFOLLOW_LINKS)
        || Files.exists(sealOf(zst), LinkOption.NOFOLLOW_LINKS);
  }

  /** Deletes a backup: its data first, since what has a seal and no data is a leftover. */
  static void delete(Path zst) throws IOException {
    Files.deleteIfExists(zst);
    Files.deleteIfExists(sealOf(zst));
  }

  /** Removes the folder of a day, then of its month and year, as far as they are empty. */
  void removeEmpty(@Nullable Path day) throws IOException {
    Path folder = day;
    while (folder != null && !folder.equals(directory) && folder.startsWith(directory)) {
      try {
        Files.delete(folder);
      } catch (NoSuchFileException e) {
        // the one above may be empty all the same
      } catch (DirectoryNotEmptyException e) {
        return;
      }
      folder = folder.getParent();
    }
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }
}
