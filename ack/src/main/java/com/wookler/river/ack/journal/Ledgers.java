package com.wookler.river.ack.journal;

import com.wookler.river.ack.AckLedger;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.ack.RecoveryReport;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens ledgers. */
public final class Ledgers {
  private static final Logger LOG = LoggerFactory.getLogger(Ledgers.class);

  private Ledgers() {}

  /**
   * Opens the ledger of a subscriber that acknowledges, or makes it.
   *
   * <p>Damage is no reason to fail: the file is quarantined as {@code .damaged}, named in a warning
   * and in {@link Ledger#recovery()}, and leads to redelivery. So is a cursor of another kind.
   *
   * @param files of the subscriber, which were not changed since they were listed
   * @param owner of the files; what another wrote counts as damaged
   * @param origin its position if the disk has none
   * @param flusher runs, in order and on threads that are never interrupted, the writing of
   *     snapshots; it must not wait for the subscriber's lock. A snapshot is forced: to keep the
   *     order "log before acknowledgements", force the log before running it
   * @throws RiverException if the directory cannot be used, or a newer River wrote it
   */
  public static Ledger withAck(
      LedgerFiles files, Owner owner, Limits limits, InitialPosition origin, Executor flusher) {
    Path directory = files.directory();
    try {
      int kind = limits.byKey() ? Cursor.BY_KEY : Cursor.WITH_ACK;
      Cursor.Content content = files.cursor(kind);
      Generations generations = new Generations(directory, owner);
      Recovery.Found found = Recovery.run(files, generations, origin, content, limits.byKey());
      log(directory, found.report());
      FileJournal.Start start = found.start();
      if (start.snapshotted()) {
        generations.writeSnapshot(
            Snapshot.of(found.ring(), start.deliveredEnd()), start.generation());
        generations.prune();
      }
      // The cursor comes last: a subscriber without one is still being made.
      Cursor cursor = openCursor(directory, owner, kind, content, start.deliveredEnd());
      try {
        FileJournal journal = new FileJournal(generations, cursor, found.ring(), start, flusher);
        return new AckLedger(limits, found.ring(), journal, found.report());
      } catch (IOException e) {
        cursor.close();
        throw e;
      }
    } catch (IOException e) {
      throw cannotOpen(directory, e);
    }
  }

  /** Opens or makes the ledger of a subscriber without acknowledgement, like {@link #withAck}. */
  public static Ledger withoutAck(LedgerFiles files, Owner owner, InitialPosition origin) {
    Path directory = files.directory();
    try {
      Cursor.Content content = files.cursor(Cursor.WITHOUT_ACK);
      RecoveryReport report = recoverPosition(files, origin, content);
      log(directory, report);
      Cursor cursor =
          openCursor(directory, owner, Cursor.WITHOUT_ACK, content, report.lowWatermark());
      return new PositionLedger(cursor, report);
    } catch (IOException e) {
      throw cannotOpen(directory, e);
    }
  }

  private static RecoveryReport recoverPosition(
      LedgerFiles files, InitialPosition origin, Cursor.@Nullable Content content)
      throws IOException {
    Path path = files.directory().resolve(Cursor.NAME);
    String quarantined = Cursor.NAME + DurableFiles.DAMAGED;
    boolean nothing =
        content == null && files.names().stream().noneMatch(name -> name.startsWith(quarantined));
    long lowWatermark = nothing ? origin.start() : origin.earliest();
    boolean created = nothing && !origin.made();
    int torn = 0;
    List<String> damaged = List.of();
    if (content != null && content.slots() > 0) {
      lowWatermark = content.position();
      torn = 2 - content.slots();
    }
    if (content != null && !content.sound()) {
      String kept = "; kept as " + DurableFiles.quarantine(path);
      damaged = List.of(path + " is damaged; delivering from " + lowWatermark + kept);
    } else if (content == null && !created) {
      damaged = List.of(path + " is damaged: it is missing; delivering from " + lowWatermark);
    }
    return new RecoveryReport(
        created, lowWatermark, lowWatermark, lowWatermark, 0, 0, 0, 0, 0, torn, damaged);
  }

  private static Cursor openCursor(
      Path directory, Owner owner, int kind, Cursor.@Nullable Content content, long position)
      throws IOException {
    if (content == null || !content.sound()) {
      return Cursor.create(directory, owner, kind, position);
    }
    Cursor cursor = Cursor.open(directory, owner, content);
    if (content.position() < position) {
      cursor.store(position);
    }
    return cursor;
  }

  private static void log(Path directory, RecoveryReport report) {
    for (String line : report.damaged()) {
      LOG.warn("Acknowledgements: {}", line);
    }
    if (report.torn() > 0) {
      LOG.info(
          "Acknowledgements in {}: {} unfinished tails were cut, as after a kill or a power loss",
          directory,
          report.torn());
    }
  }

  private static RiverException cannotOpen(Path directory, IOException e) {
    return new RiverException("cannot open the subscriber's directory " + directory, e);
  }
}
