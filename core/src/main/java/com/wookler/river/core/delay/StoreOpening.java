package com.wookler.river.core.delay;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.RecordFile;
import com.wookler.river.core.log.SequentialReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the files of waiting messages, after a crash or damage too. */
final class StoreOpening {
  private static final Logger LOG = LoggerFactory.getLogger(StoreOpening.class);
  private static final int BUFFER_BYTES = 64 << 10;

  private final DelayContext context;
  private final Path directory;
  private final List<WaitingRebuild.Lost> lost = new ArrayList<>();

  /**
   * What was found.
   *
   * @param copied messages with a re-enqueued copy in the log that the state does not count
   * @param known messages that are not to be collected again from the log
   * @param lost what files have lost, and the log or a backup may have
   * @param repaired whether the files differ from what the state says
   */
  record Opened(
      TimerState state,
      long safeCollected,
      List<Bucket> buckets,
      Set<Long> copied,
      Set<Long> known,
      List<WaitingRebuild.Lost> lost,
      boolean repaired) {}

  private StoreOpening(DelayContext context) {
    this.context = context;
    this.directory = context.directory();
  }

  /**
   * Creates the directory and files, on the device, for messages published from a sequence on. What
   * it cannot complete it deletes: an opening would call it damaged.
   */
  static void create(Path directory, UUID identity, long collected) throws IOException {
    DurableFiles.createDirectories(directory);
    try {
      TimerState.writeFirst(directory, identity, collected, 1, List.of());
    } catch (IOException e) {
      for (Path file : Directories.list(directory, name -> true)) {
        Files.deleteIfExists(file);
      }
      throw e;
    }
  }

  /** Returns whether there is a state, or files without one. */
  static boolean exists(Path directory) throws IOException {
    return Files.exists(TimerState.path(directory, 0))
        || Files.exists(TimerState.path(directory, 1))
        || !files(directory).isEmpty();
  }

  static Opened open(DelayContext context) throws IOException {
    return new StoreOpening(context).open();
  }

  private Opened open() throws IOException {
    TimerState.Look look = TimerState.look(directory, context.identity());
    look.faults().forEach(fault -> LOG.warn("Queue {}: {}", context.queue(), fault));
    TimerState newest = look.newest();
    if (newest == null) {
      return rebuild();
    }
    boolean repaired = !look.faults().isEmpty();
    List<Bucket> buckets = new ArrayList<>();
    for (int i = 0; i < newest.files().size(); i++) {
      boolean isLast = i + 1 == newest.files().size();
      Bucket bucket =
          bucket(newest.files().get(i), isLast ? Key.LAST : newest.files().get(i + 1).from());
      if (bucket == null) {
        repaired = true;
      } else {
        buckets.add(bucket);
      }
    }
    deleteOthers(newest, look.before() == null ? newest : look.before());
    long safe = look.before() == null ? newest.collected() : look.before().collected();
    Set<Long> copies = copiesFrom(newest.copied());
    return new Opened(
        newest, Math.min(safe, newest.collected()), buckets, copies, copies, lost, repaired);
  }

  /** Returns the messages of which the log has a re-enqueued copy from a sequence on. */
  private Set<Long> copiesFrom(long from) {
    Set<Long> copies = new HashSet<>();
    SequentialReader.Damaged report = (sequence, first) -> context.queueParts().passOver(sequence);
    try (SequentialReader reader = new SequentialReader(context.log(), report)) {
      reader.readAll(
          from,
          message -> {
            if (message.terms() != null && message.terms().origin() != null) {
              copies.add(message.terms().origin().sequence());
            }
          });
    }
    return copies;
  }

  private @Nullable Bucket bucket(TimerState.Line line, Key to) throws IOException {
    Path path = DelayedRecord.FILES.path(directory, line.number());
    Path kept = path;
    try {
      RecordFile file = DelayedRecord.open(directory, context.identity(), line.number());
      if (file.size() > line.bytes()) { // a run that was ended did not count it
        file.cut(line.bytes());
        file.close();
      }
      return new Bucket(line.from(), file, line.bytes(), line.records());
    } catch (DamagedException e) {
      LOG.warn("Queue {}: {}", context.queue(), e.getMessage());
      kept = DurableFiles.quarantine(path);
    } catch (NoSuchFileException e) {
      LOG.warn("Queue {}: damaged: {} is missing", context.queue(), path);
    }
    lost.add(new WaitingRebuild.Lost(kept, line.from(), to, line.records(), 0, line.bytes()));
    return null;
  }

  private void deleteOthers(TimerState one, TimerState other) throws IOException {
    Set<Path> named = new HashSet<>();
    for (TimerState state : List.of(one, other)) {
      state.files().forEach(line -> named.add(DelayedRecord.FILES.path(directory, line.number())));
    }
    for (Path file : files(directory)) {
      if (!named.contains(file)) {
        Files.delete(file); // left by a crash
      }
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    return Directories.list(
        directory,
        name -> DelayedRecord.FILES.isName(name) || name.endsWith(DurableFiles.TEMPORARY));
  }

  /**
   * Begins again without a state: all messages of the files of which the log has no copy wait, and
   * all of the log are collected. Messages that were delivered long ago may be delivered again;
   * none that waits is left out.
   */
  private Opened rebuild() throws IOException {
    LOG.warn(
        "Queue {}: damaged: {} has no state; messages that were delayed may be delivered again",
        context.queue(),
        directory);
    DurableFiles.createDirectories(directory);
    long first = context.log().firstSequence();
    Set<Long> known = copiesFrom(first);
    List<Path> old = files(directory);
    long number = 1 + old.stream().mapToLong(StoreOpening::number).max().orElse(0);
    RecordFile target = DelayedRecord.create(directory, context.identity(), number);
    Bucket bucket = new Bucket(Key.FIRST, target, DelayedRecord.HEADER_BYTES, 0);
    // messages of blocks in backups: nothing says which of them the files held
    lost.add(new WaitingRebuild.Lost(directory, Key.FIRST, Key.LAST, 0, 0, 0));
    BucketAppender appender = new BucketAppender(bucket, ByteBuffer.allocate(BUFFER_BYTES));
    List<Path> damaged = new ArrayList<>();
    for (Path file : old) {
      if (!copy(file, appender, known)) {
        damaged.add(file);
      }
    }
    appender.force();
    appender.commit();
    TimerState state =
        TimerState.writeFirst(
            directory, context.identity(), first, number + 1, List.of(bucket.line()));
    for (Path file : old) {
      if (damaged.contains(file)) {
        DurableFiles.quarantine(file);
      } else {
        Files.delete(file);
      }
    }
    return new Opened(state, first, List.of(bucket), Set.of(), known, lost, true);
  }

  private static long number(Path file) {
    return file.toString().endsWith(DurableFiles.TEMPORARY) ? 0 : DelayedRecord.FILES.number(file);
  }

  /** Copies the messages of a file that are not known; returns false if its header is damaged. */
  private boolean copy(Path path, BucketAppender into, Set<Long> known) throws IOException {
    long number = number(path);
    if (number == 0) {
      return true;
    }
    try (RecordFile file = DelayedRecord.open(directory, context.identity(), number);
        RecordFile.Reader records = file.reader()) {
      DelayedRecord.scan(
          file,
          file.size(),
          (time, sequence, offset, length) -> {
            if (known.add(sequence)) {
              into.add(records.record(offset));
            }
          });
      return true;
    } catch (DamagedException e) {
      LOG.warn("Queue {}: {}", context.queue(), e.getMessage());
      lost.add(
          new WaitingRebuild.Lost(path, Key.FIRST, Key.LAST, 1, 0, Files.size(path))); // or more
      return false;
    }
  }
}
