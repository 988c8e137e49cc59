package com.wookler.river.core.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Names the files of one kind by their numbers: {@code ids-000000000001} and so on.
 *
 * @param prefix of their names
 */
public record NumberedFiles(String prefix) {
  /** Returns the name of a file. */
  public String name(long number) {
    return String.format("%s%012d", prefix, number);
  }

  /** Returns whether this is the name of such a file. */
  public boolean isName(String name) {
    return name.startsWith(prefix) && name.substring(prefix.length()).matches("\\d{12,18}");
  }

  /** Returns the files of a directory by their numbers; none if there is no such directory. */
  public NavigableMap<Long, Path> list(Path directory) throws IOException {
    NavigableMap<Long, Path> found = new TreeMap<>();
    for (Path file : Directories.list(directory, this::isName)) {
      found.put(number(file), file);
    }
    return found;
  }

  /** Returns the number of such a file. */
  public long number(Path file) {
    return Long.parseLong(String.valueOf(file.getFileName()).substring(prefix.length()));
  }
}
