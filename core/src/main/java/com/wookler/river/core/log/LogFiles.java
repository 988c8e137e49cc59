package com.wookler.river.core.log;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files of a log's directory, sorted out by their names; nothing is opened.
 *
 * @param blocks data files by block
 * @param seals likewise
 * @param passing what goes at the next opening: half made files, and Chronicle's own metadata
 * @param others all the rest: what was set aside, and what is not River's
 */
public record LogFiles(
    SortedMap<Integer, Path> blocks,
    SortedMap<Integer, Path> seals,
    List<Path> passing,
    List<Path> others) {

  /** Ending of what was set aside because it is damaged. */
  public static final String DAMAGED = ".damaged";

  /** Lists a directory. */
  public static LogFiles list(Path directory) throws IOException {
    LogFiles files =
        new LogFiles(new TreeMap<>(), new TreeMap<>(), new ArrayList<>(), new ArrayList<>());
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      all.forEach(files::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return files;
  }

  private void add(Path file) {
    String name = String.valueOf(file.getFileName());
    if (name.endsWith(BlockName.AHEAD)
        || name.endsWith(DurableFiles.TEMPORARY)
        || name.equals(ChronicleStore.METADATA)) {
      passing.add(file);
    } else if (BlockName.number(file).isPresent()) {
      blocks.put(BlockName.number(file).getAsInt(), file);
    } else if (BlockName.sealNumber(file).isPresent()) {
      seals.put(BlockName.sealNumber(file).getAsInt(), file);
    } else {
      others.add(file);
    }
  }
}
