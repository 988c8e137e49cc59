package com.wookler.river.common.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Lists the entries of directories. */
public final class Directories {
  private Directories() {}

  /** Returns the entries whose names match, sorted; none if there is no such directory. */
  public static List<Path> list(Path directory, Predicate<String> name) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(
            directory, entry -> name.test(String.valueOf(entry.getFileName())))) {
      all.forEach(found::add);
    } catch (NoSuchFileException | NotDirectoryException e) {
      return found;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    found.sort(null);
    return found;
  }
}
