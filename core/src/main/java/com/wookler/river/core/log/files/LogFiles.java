package com.wookler.river.core.log.files;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.chronicle.BlockStore;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The files of a log's directory, sorted out by their names; nothing is opened.
 *
 * @param blocks data files by block
 * @param seals by block
 * @param passing what the next opening deletes: half made files, and the store's own metadata
 * @param sideFiles what is kept beside the blocks
 * @param others all the rest: what was quarantined, and what is not River's
 */
public record LogFiles(
    SortedMap<Integer, Path> blocks,
    SortedMap<Integer, Path> seals,
    List<Path> passing,
    List<Path> sideFiles,
    List<Path> others) {

  private static final int MOST_BETWEEN = 10_000; // a stray name must not cost an hour
  private static final Set<String> SIDE_FILES = Set.of(LogMarks.NAME, Gaps.NAME, ClockSteps.NAME);

  public static LogFiles none() {
    return new LogFiles(
        new TreeMap<>(), new TreeMap<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
  }

  public static LogFiles list(Path directory) throws IOException {
    LogFiles files = none();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      all.forEach(files::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return files;
  }

  /** Lists a directory in use: looks up each block between others, which a listing may miss. */
  public static LogFiles listLive(Path directory) throws IOException {
    LogFiles files = list(directory);
    TreeSet<Integer> known = new TreeSet<>(files.blocks.keySet());
    known.addAll(files.seals.keySet());
    int before = known.isEmpty() ? 0 : known.first();
    for (int number : known) {
      for (int between = Math.max(before, number - MOST_BETWEEN); between <= number; between++) {
        Path data = BlockName.data(directory, between);
        if (!files.blocks.containsKey(between) && Files.exists(data)) {
          files.blocks.put(between, data);
        }
      }
      before = number;
    }
    return files;
  }

  /** Returns the seal of a block; empty if it has none that is valid, or has left the log. */
  public Optional<Seal> seal(int block) throws IOException {
    Path file = seals.get(block);
    try {
      return file == null ? Optional.empty() : Optional.of(BlockFile.seal(file, block));
    } catch (DamagedException | NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Returns those of the others that hold a block which was quarantined because it is damaged. */
  public SortedMap<Integer, Path> damaged() {
    SortedMap<Integer, Path> damaged = new TreeMap<>();
    for (Path file : others) {
      String name = String.valueOf(file.getFileName());
      if (DurableFiles.isQuarantined(name)) {
        Path data = Path.of(DurableFiles.unquarantined(name));
        BlockName.number(data).ifPresent(number -> damaged.put(number, file));
      }
    }
    return damaged;
  }

  /** Returns those of the others that keep the store from opening: it takes them for blocks. */
  public List<Path> misnamed() {
    return others.stream().filter(BlockName::isData).toList();
  }

  private void add(Path file) {
    String name = String.valueOf(file.getFileName());
    OptionalInt block = BlockName.number(file);
    OptionalInt seal = BlockName.sealNumber(file);
    if (name.endsWith(BlockName.AHEAD)
        || name.endsWith(DurableFiles.TEMPORARY)
        || name.equals(BlockStore.METADATA)) {
      passing.add(file);
    } else if (block.isPresent()) {
      blocks.put(block.getAsInt(), file);
    } else if (seal.isPresent()) {
      seals.put(seal.getAsInt(), file);
    } else if (SIDE_FILES.contains(name)) {
      sideFiles.add(file);
    } else {
      others.add(file);
    }
  }
}
