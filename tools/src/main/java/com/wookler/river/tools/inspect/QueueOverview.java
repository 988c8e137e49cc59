package com.wookler.river.tools.inspect;

import com.wookler.river.ack.journal.LedgerLook;
import com.wookler.river.common.Micros;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.keys.KeyIndex;
import com.wookler.river.core.delay.DelayFiles;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The content of a queue's directory, also while the queue is open; nothing is changed. Of sealed
 * blocks only the seal is read.
 *
 * @param directory of the queue
 * @param id identity of the queue; null if it is unknown
 * @param name of the queue when it was made, created when, and the format of its directory; empty
 *     where {@code queue.json} is damaged
 * @param created see there
 * @param format see there
 * @param blocks oldest first
 * @param subscribers by name
 * @param quarantined files and directories of damaged or discarded data
 * @param delayed messages that wait for their time in files of their own
 */
public record QueueOverview(
    Path directory,
    @Nullable UUID id,
    String name,
    String created,
    int format,
    List<BlockLine> blocks,
    List<SubscriberLine> subscribers,
    List<Path> quarantined,
    long delayed) {

  /** In the name of a directory of discarded data. */
  private static final String DISCARDED = ".discarded-";

  /** Copies the lists. */
  public QueueOverview {
    blocks = List.copyOf(blocks);
    subscribers = List.copyOf(subscribers);
    quarantined = List.copyOf(quarantined);
  }

  /** The state of a block. */
  public enum State {
    /** Being appended to, or the last one of a queue that is closed. */
    ACTIVE,
    /** Closed, and not sealed yet. */
    CLOSED,
    /** Closed, forced, and described by its seal. */
    SEALED,
    /** Its file is missing or damaged, or may be another queue's. */
    DAMAGED
  }

  /**
   * A block.
   *
   * @param number of it
   * @param state of it
   * @param firstSequence of its first message
   * @param messages that it holds
   * @param bytes of its file that are in use
   * @param first publish time of its first message; null without one
   * @param last publish time of its last message; null without one
   */
  public record BlockLine(
      int number,
      State state,
      long firstSequence,
      long messages,
      long bytes,
      @Nullable Instant first,
      @Nullable Instant last) {}

  /**
   * A subscriber.
   *
   * @param name of it
   * @param ack whether it acknowledges
   * @param lowWatermark the lowest sequence that it has not completed
   * @param position the next sequence that was never delivered
   * @param completedAbove completed messages above the low watermark
   * @param unfinished delivered and not completed: in flight, or to be delivered again
   * @param lag messages of the log that it has not completed
   * @param generation of its acknowledgements; 0 without
   * @param fault what is wrong with its files; empty if nothing is
   */
  public record SubscriberLine(
      String name,
      boolean ack,
      long lowWatermark,
      long position,
      long completedAbove,
      long unfinished,
      long lag,
      long generation,
      String fault) {}

  /** Returns the sequence of the oldest message; 0 without blocks. */
  public long firstSequence() {
    return blocks.isEmpty() ? 0 : blocks.get(0).firstSequence();
  }

  /** Returns the sequence that the next message gets, as far as the blocks show. */
  public long nextSequence() {
    return endOf(blocks);
  }

  private static long endOf(List<BlockLine> blocks) {
    return blocks.stream().mapToLong(b -> b.firstSequence() + b.messages()).max().orElse(0);
  }

  /**
   * Reads a directory.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException it is no queue's directory
   */
  public static QueueOverview of(Path path) throws IOException {
    QueueDirectory directory = QueueDirectory.of(path);
    Optional<UUID> queue = directory.queue();
    List<BlockLine> blocks = new ArrayList<>();
    List<SubscriberLine> subscribers = new ArrayList<>();
    LogFiles files = directory.files();
    if (queue.isPresent()) {
      for (Map.Entry<Integer, Path> entry : files.blocks().entrySet()) {
        block(entry, files, queue.get()).ifPresent(blocks::add);
      }
      long end = endOf(blocks);
      long first = blocks.isEmpty() ? 0 : blocks.get(0).firstSequence();
      for (Path subscriber : SubscriberFiles.list(directory.subscribers())) {
        if (!SubscriberFiles.isLeftover(subscriber)) {
          subscribers.add(subscriber(subscriber, queue.get(), first, end));
        }
      }
    }
    Optional<QueueIdentity> identity = directory.identity();
    return new QueueOverview(
        path,
        queue.orElse(null),
        identity.map(QueueIdentity::name).orElse(""),
        identity.map(QueueIdentity::created).orElse(""),
        identity.isPresent() ? QueueIdentity.FORMAT : 0,
        blocks,
        subscribers,
        quarantined(path, files),
        queue.isPresent() ? DelayFiles.look(path, queue.get(), false).waiting() : 0);
  }

  private static Optional<BlockLine> block(
      Map.Entry<Integer, Path> entry, LogFiles files, UUID queue) throws IOException {
    int number = entry.getKey();
    try {
      Optional<Seal> seal = files.seal(number);
      return Optional.of(
          seal.isPresent() ? sealed(seal.get()) : unsealed(number, entry.getValue(), queue));
    } catch (NoSuchFileException e) {
      return Optional.empty(); // it has left the log meanwhile
    }
  }

  private static BlockLine sealed(Seal seal) {
    return new BlockLine(
        seal.block(),
        State.SEALED,
        seal.firstSequence(),
        seal.messages(),
        seal.bytes(),
        Micros.toInstant(seal.firstMicros()),
        Micros.toInstant(seal.lastMicros()));
  }

  private static BlockLine unsealed(int number, Path file, UUID queue) throws IOException {
    BlockFile block = new BlockFile(number, file);
    long first = block.start().map(BlockStart::firstSequence).orElse(ContentCheck.UNKNOWN);
    ContentCheck check = new ContentCheck(queue, number, first, (sequence, offset, what) -> {});
    BlockFile.End end = block.walk(check);
    boolean some = check.messages() > 0;
    State state = end.ending() == BlockWalk.Ending.CLOSED ? State.CLOSED : State.ACTIVE;
    return new BlockLine(
        number,
        check.damages() > 0 ? State.DAMAGED : state,
        Math.max(0, first),
        check.messages(),
        end.offset(),
        some ? Micros.toInstant(check.firstMicros()) : null,
        some ? Micros.toInstant(check.lastMicros()) : null);
  }

  private static SubscriberLine subscriber(Path directory, UUID queue, long first, long end)
      throws IOException {
    SubscriberFiles files = SubscriberFiles.of(directory, queue);
    String fault = files.fault() == null ? "" : files.fault();
    try {
      LedgerLook look = files.look(first);
      if (!look.damaged().isEmpty()) {
        fault = look.damaged().get(0).toString();
      }
      return new SubscriberLine(
          files.name(),
          look.ack(),
          look.lowWatermark(),
          look.deliveredEnd(),
          look.completedAbove(),
          look.unfinished(),
          Math.max(0, end - look.lowWatermark() - look.completedAbove()),
          look.generation(),
          fault);
    } catch (RiverException e) { // a newer version
      return new SubscriberLine(
          files.name(), false, 0, 0, 0, 0, 0, 0, String.valueOf(e.getMessage()));
    }
  }

  private static List<Path> quarantined(Path path, LogFiles files) throws IOException {
    List<Path> aside = new ArrayList<>(files.others());
    Path base = path.toAbsolutePath().getParent();
    String prefix = path.toAbsolutePath().getFileName() + DISCARDED;
    if (base != null) {
      aside.addAll(Directories.list(base, name -> name.startsWith(prefix)));
    }
    for (Path subscriber : SubscriberFiles.list(path.resolve("subscribers"))) {
      aside.addAll(Directories.list(subscriber, DurableFiles::isQuarantined));
    }
    aside.addAll(KeyIndex.quarantined(path.resolve("keys")));
    aside.sort(null);
    return aside;
  }
}
