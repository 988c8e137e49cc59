package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.removed.RemovedFiles;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.log.SideFiles;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The messages of a log, including those in blocks that were quarantined as damaged. */
record LogSource(QueueDirectory directory, UUID queue) implements MessageSource {
  static LogSource of(Path path) throws IOException {
    QueueDirectory directory = QueueDirectory.of(path);
    if (directory.queue().isEmpty()) {
      throw new ConfigurationException(
          String.format(
              "the queue of %s is unknown: %s: %s", path, QueueIdentity.FILE, directory.fault()));
    }
    return new LogSource(directory, directory.queue().get());
  }

  @Override
  public String name() {
    return directory.identity().map(QueueIdentity::name).orElse("");
  }

  @Override
  public SequenceRanges removed() throws IOException {
    return RemovedFiles.removed(directory.path(), queue);
  }

  @Override
  public @Nullable Path subscribers() {
    return Files.isDirectory(directory.subscribers()) ? directory.subscribers() : null;
  }

  /** A block: its file, what was quarantined of it, and its first and last sequence if known. */
  private record Piece(int number, List<Path> files, long first, long end, long bytes) {}

  @Override
  public void walk(long from, long to, Sink sink, Progress progress) throws IOException {
    SideFiles notes = SideFiles.of(directory.log(), queue);
    List<Piece> pieces = pieces(directory.files());
    progress.total(pieces.stream().mapToLong(Piece::bytes).sum());
    Tracker tracker = new Tracker(directory.log(), from, to, sink);
    pieces.stream()
        .mapToLong(Piece::first)
        .filter(first -> first >= 0)
        .findFirst()
        .ifPresent(tracker::begins);
    for (int i = 0; i < pieces.size() && !tracker.done(); i++) {
      Piece piece = pieces.get(i);
      long next = i + 1 < pieces.size() ? pieces.get(i + 1).first() : ContentCheck.UNKNOWN;
      long end = Math.max(piece.end(), next);
      if (end == ContentCheck.UNKNOWN || end > tracker.expected()) {
        walk(piece, tracker);
        tracker.reaches(end);
      }
      progress.done(piece.bytes());
    }
    if (tracker.expected() < notes.end()) {
      tracker.enter(notes.marks(), Finding.UNKNOWN);
      tracker.damaged(Finding.UNKNOWN, "the log held them once");
      tracker.reaches(Math.min(notes.end(), to + 1));
    }
  }

  private void walk(Piece piece, Tracker tracker) throws IOException {
    for (Path file : piece.files()) {
      tracker.enter(file, piece.number());
      BlockFile block = new BlockFile(piece.number(), file);
      MessageWalk walk = new MessageWalk(queue, piece.number(), tracker);
      try {
        boolean grows = piece.end() == ContentCheck.UNKNOWN;
        BlockFile.End end = grows ? block.walk(walk) : block.walkClosed(walk);
        if (end.ending() == BlockWalk.Ending.BROKEN && !tracker.done()) {
          tracker.damaged(end.offset(), "the block breaks off here");
          block.behind(end.offset(), queue, walk);
        }
      } catch (NoSuchFileException e) {
        tracker.damaged(Finding.UNKNOWN, "its file has left the log meanwhile");
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }
    if (piece.files().isEmpty()) {
      tracker.enter(directory.log(), piece.number());
      tracker.damaged(Finding.UNKNOWN, "its data file is missing");
    }
  }

  private List<Piece> pieces(LogFiles files) throws IOException {
    SortedMap<Integer, List<Path>> data = new TreeMap<>();
    files.blocks().forEach((number, file) -> add(data, number, file));
    files.damaged().forEach((number, file) -> add(data, number, file));
    int oldest = data.isEmpty() ? Integer.MAX_VALUE : data.firstKey();
    files.seals().keySet().stream()
        .filter(number -> number > oldest) // older ones are of blocks that have left the log
        .forEach(number -> data.computeIfAbsent(number, none -> new ArrayList<>()));
    List<Piece> pieces = new ArrayList<>();
    for (Map.Entry<Integer, List<Path>> entry : data.entrySet()) {
      pieces.add(piece(entry.getKey(), entry.getValue(), files.seal(entry.getKey())));
    }
    return pieces;
  }

  private static void add(SortedMap<Integer, List<Path>> data, int number, Path file) {
    data.computeIfAbsent(number, none -> new ArrayList<>()).add(file);
  }

  private static Piece piece(int number, List<Path> files, Optional<Seal> seal) throws IOException {
    if (seal.isPresent()) {
      Seal of = seal.get();
      return new Piece(number, files, of.firstSequence(), of.endSequence(), of.bytes());
    }
    long first = ContentCheck.UNKNOWN;
    for (Path file : files) {
      try {
        first =
            new BlockFile(number, file)
                .start()
                .filter(origin -> origin.block() == number)
                .map(BlockStart::firstSequence)
                .orElse(first);
      } catch (NoSuchFileException e) {
        // it has left the log meanwhile
      }
    }
    long bytes = files.stream().mapToLong(file -> file.toFile().length()).sum();
    return new Piece(number, files, first, ContentCheck.UNKNOWN, bytes);
  }
}
