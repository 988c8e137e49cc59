package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.removed.RemovedFiles;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.common.utils.Require;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.log.files.BlockCursor;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A live, read-only view of a queue that another process may have open: its messages in order, with
 * those that are published meanwhile. It takes no lock and writes nothing, so the queue does not
 * notice it and waits for nothing, least of all before it recycles, archives or removes a block.
 * What has left the log is read from the backup. See {@link River#openReadOnly}.
 *
 * <p>It shows what is whole, with valid checksums, durable or not. A delayed message is at both of
 * its places; one that was removed, erased or compacted is left out. Not thread-safe.
 */
public final class QueueView implements AutoCloseable {
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final int LIST_EVERY = 64; // idle looks: a block may be followed by no next number
  private static final int MOST = 100; // files in a row that are replaced before they are open

  private final Path directory;
  private final Path log;
  private final @Nullable Path backup;
  private final UUID queue;
  private final DocumentReader reader;
  private final Deque<Read> ready = new ArrayDeque<>();
  private List<StoredBlock> archived = List.of(); // as it was seen last
  private @Nullable BlockCursor cursor;
  private int least; // the lowest block to look for
  private int idle;
  private int moved; // files in a row
  private long next; // to be read
  private boolean counts; // whether what is missing before the first message is counted
  private long missed;

  /** A message that was read ahead, with what was missed before it. */
  private record Read(StoredMessage message, long missed) {}

  /**
   * What one look at the files has found.
   *
   * @param sequence the next one that a file holds; {@link Long#MAX_VALUE} if none does
   * @param block of the log that holds it, unless a backup does
   */
  private record Place(long sequence, int block, @Nullable StoredBlock stored) {}

  private QueueView(Path directory, @Nullable Path backup, UUID queue) {
    this.directory = directory;
    this.log = directory.resolve("log");
    this.backup = backup;
    this.queue = queue;
    this.reader = new DocumentReader(queue);
  }

  /** See {@link River#openReadOnly(Path, Path)}. */
  static QueueView open(Path directory, @Nullable Path backup) {
    try {
      Optional<UUID> id =
          Files.isDirectory(directory) ? QueueIdentity.look(directory).id() : Optional.empty();
      String none = directory + " is not the directory of a queue";
      UUID queue = id.orElseThrow(() -> new ConfigurationException(none));
      BackupFiles found = backup == null ? null : BackupFiles.scan(backup);
      if (found != null && found.isForeignTo(queue)) {
        throw new ConfigurationException(
            "%s has no backup of the queue in %s; the directory <backup.directory>/%s is meant"
                .formatted(backup, directory, directory.getFileName()));
      }
      return new QueueView(directory, backup, queue);
    } catch (IOException e) {
      throw new RiverException("cannot look into " + directory + ": " + e, e);
    }
  }

  /** Returns the sequence of the next message, or a lower one: what is between is left out. */
  public long position() {
    return ready.isEmpty() ? next : ready.getFirst().message.sequence();
  }

  /** Continues at a sequence; what is missing from there on counts as {@link #missed}. */
  public void moveTo(long sequence) {
    close();
    ready.clear();
    next = Math.max(0, sequence);
    counts = true;
  }

  /**
   * Returns how many sequences before {@link #position} it has passed over because their messages
   * were in no file any more when it came there, or are damaged; not those before the oldest
   * message where it has begun there.
   */
  public long missed() {
    return ready.isEmpty() ? missed : ready.getFirst().missed;
  }

  /**
   * Returns up to {@code max} of the messages that follow; none if nothing follows now.
   *
   * @param max 1 or more
   * @throws RiverException a file cannot be read; the next call tries again
   */
  public List<StoredMessage> poll(int max) {
    Require.positive(max, "max");
    List<StoredMessage> found = new ArrayList<>();
    try {
      while (found.isEmpty() && (!ready.isEmpty() || fill(max))) {
        SequenceRanges removed =
            ready.isEmpty() ? SequenceRanges.NONE : RemovedFiles.removed(directory, queue);
        while (!ready.isEmpty() && found.size() < max) {
          StoredMessage message = ready.removeFirst().message;
          if (!Terms.isErased(message.terms()) && !message.isIn(removed)) {
            found.add(message);
          }
        }
      }
      return found;
    } catch (IOException e) {
      throw new RiverException("cannot read queue " + directory + ": " + e, e);
    }
  }

  /** Returns messages as {@link #poll(int)} does, and waits so long while nothing follows. */
  public List<StoredMessage> poll(int max, Duration timeout) throws InterruptedException {
    TimeSource time = TimeSource.system();
    long wait = (timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout).toNanos();
    long start = time.nanoTime();
    List<StoredMessage> found = poll(max);
    long left = wait;
    while (found.isEmpty() && left > 0) {
      time.park(this, Math.min(left, IDLE_NANOS));
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      found = poll(max);
      left = wait - (time.nanoTime() - start);
    }
    return found;
  }

  /** Reads until {@code max} messages are ready; returns whether any was read or passed over. */
  private boolean fill(int max) throws IOException {
    boolean any = false;
    while (ready.size() < max && step(max)) {
      any = true;
    }
    return any;
  }

  /** Reads the next document, or goes to the block in which it is; false if there is none now. */
  private boolean step(int max) throws IOException {
    BlockCursor current = cursor;
    if (current == null) {
      return locate(max);
    }
    if (current.next(this::take)) {
      return true;
    }
    boolean replaced = !current.isCurrent();
    if (!replaced && !isFollowed(current)) {
      return false;
    }
    if (current.next(this::take)) { // appended just before another block was begun
      return true;
    }
    close();
    least = replaced ? current.block() : current.block() + 1;
    return true;
  }

  private boolean isFollowed(BlockCursor current) throws IOException {
    Path following = BlockName.data(log, current.block() + 1);
    if (Files.exists(following)) {
      return start(current.block() + 1, following).isPresent();
    }
    idle++;
    if (idle % LIST_EVERY != 0 && !current.isClosed()) {
      return false;
    }
    for (Map.Entry<Integer, Path> at : blocks(current.block() + 1).entrySet()) {
      if (start(at.getKey(), at.getValue()).isPresent()) {
        return true;
      }
    }
    return false;
  }

  private Map<Integer, Path> blocks(int from) throws IOException {
    return LogFiles.listLive(log).blocks().tailMap(from);
  }

  /** Returns the start of a block; empty if it has left the log, or is being made. */
  private Optional<BlockStart> start(int block, Path file) throws IOException {
    try {
      return new BlockFile(block, file).start().filter(start -> start.queue().equals(queue));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Opens the block with the next message, or reads that from a backup. */
  private boolean locate(int max) throws IOException {
    Place place = look();
    if (place.sequence > next) { // two looks must have missed it: its file may be on the move
      long seen = place.sequence;
      archived = List.of();
      place = look();
      long first = Math.min(seen, place.sequence);
      if (first == Long.MAX_VALUE) {
        return false;
      }
      if (first > next) {
        pass(first);
        return true;
      }
    }
    try {
      if (place.stored == null) {
        cursor = new BlockCursor(place.block, BlockName.data(log, place.block));
      } else {
        read(place.stored, max);
      }
      moved = 0;
    } catch (NoSuchFileException | FileNotFoundException e) { // left for the backup, or expired
      close();
      archived = List.of();
      if (++moved == MOST) {
        moved = 0;
        throw e;
      }
    }
    return true;
  }

  /** Looks where the next message is: in the log, and then in the backup, for which it leaves. */
  private Place look() throws IOException {
    int chosen = -1;
    long first = Long.MAX_VALUE;
    for (Map.Entry<Integer, Path> at : blocks(least).entrySet()) {
      Optional<BlockStart> start = start(at.getKey(), at.getValue());
      if (start.isPresent()) {
        if (chosen >= 0 && start.get().firstSequence() > next) {
          break;
        }
        chosen = at.getKey();
        first = start.get().firstSequence();
      }
    }
    StoredBlock stored = first > next ? stored(first) : null;
    long sequence = stored == null ? first : stored.block().firstSequence();
    return new Place(Math.max(next, sequence), chosen, stored);
  }

  /**
   * Returns the backup with the next message, or with those after it below an end; null if none.
   */
  private @Nullable StoredBlock stored(long end) throws IOException {
    if (backup == null || !Files.isDirectory(backup)) {
      return null;
    }
    Optional<StoredBlock> holding = archived.stream().filter(each -> each.holds(next)).findFirst();
    if (holding.isEmpty()) {
      archived =
          BackupFiles.scan(backup).blocks().stream()
              .filter(each -> each.block().queue().equals(queue))
              .toList();
      holding =
          archived.stream()
              .filter(each -> each.block().endSequence() > next)
              .filter(each -> each.block().firstSequence() < end)
              .findFirst();
    }
    return holding.orElse(null);
  }

  /** Reads messages of a backup from the next one on. */
  private void read(StoredBlock stored, int max) throws IOException {
    try {
      BackupFiles.walk(
          stored,
          next,
          (offset, document, length) -> {
            boolean unused = take(document, length, stored.block().block());
          },
          (offset, what) -> {},
          () -> ready.size() >= max);
    } catch (DamagedException e) {
      // of the seal: what it holds is missed
    }
    if (ready.size() < max) {
      pass(stored.block().endSequence());
    }
  }

  /** Takes the messages of a document from the next one on; returns false if it is not valid. */
  private boolean take(byte[] document, int length, int block) {
    List<StoredMessage> found = new ArrayList<>();
    try {
      reader.open(document, length, block);
      while (reader.hasNext() && !reader.isRemoved()) { // by compaction
        found.add(reader.next());
      }
    } catch (DamagedException e) {
      return false;
    }
    long end = reader.firstSequence() + reader.count();
    if (end > next) {
      pass(reader.firstSequence());
      found.stream()
          .filter(message -> message.sequence() >= next)
          .forEach(message -> ready.add(new Read(message, missed)));
      if (reader.isLost()) { // in a power loss
        pass(end);
      }
      next = end;
      counts = true;
    }
    return true;
  }

  /** Goes to a sequence; what is before it is missed. */
  private void pass(long sequence) {
    if (sequence > next) {
      missed += counts ? sequence - next : 0;
      next = sequence;
    }
  }

  /** Closes the file that is being read; a later call opens it again. */
  @Override
  public void close() {
    BlockCursor open = cursor;
    cursor = null;
    least = 0;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw new RiverException("cannot close a file of queue " + directory + ": " + e, e);
      }
    }
  }
}
