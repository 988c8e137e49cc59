package com.wookler.river.ack.journal;

import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.RecoveryReport;
import com.wookler.river.ack.Ring;
import com.wookler.river.ack.journal.Generations.Numbered;
import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state of a subscriber that acknowledges from its files: the newest sound snapshot, then
 * each log from its number on. Confined to the thread that opens the ledger.
 *
 * <p>Every entry has its own check, and is true whatever happened to the others; so valid entries
 * after a damaged one are used, and only the damaged ones are lost. The header of a log has the low
 * watermark at its beginning, which replaces what was lost below it. What is lost is delivered
 * again; nothing is ever taken for completed that was not.
 */
final class Recovery {
  // with more logs than this beyond what its entries need, an opening writes the state
  private static final int LONG_CHAIN = 4;

  private final Generations generations;
  private final LedgerFiles files;
  private final Cursor.@Nullable Content cursor;
  private final List<LedgerDamage> damaged = new ArrayList<>();
  private final boolean repairs;
  private final boolean byKey;
  private final Replay replay;
  private boolean created = true;
  private boolean based;
  private long base;
  private long newest;
  private long lastLog;
  private int continued = -1; // records of the last log, if it can be continued
  private int logs;
  private long records;
  private int torn;

  private Recovery(
      LedgerFiles files,
      Generations generations,
      InitialPosition origin,
      Cursor.@Nullable Content cursor,
      boolean byKey,
      boolean repairs) {
    this.files = files;
    this.generations = generations;
    this.byKey = byKey;
    this.cursor = cursor;
    this.repairs = repairs;
    this.replay = new Replay(origin.earliest(), byKey);
  }

  /** What was found: the state, the beginning of the journal, the report, and each damage. */
  record Found(
      Ring ring, FileJournal.Start start, RecoveryReport report, List<LedgerDamage> damaged) {}

  /**
   * Reads files that did not change since they were listed, and quarantines what is damaged; {@code
   * cursor} is null if there is none, {@code byKey} says whether the ledger is by key.
   */
  static Found run(
      LedgerFiles files,
      Generations generations,
      InitialPosition origin,
      Cursor.@Nullable Content cursor,
      boolean byKey)
      throws IOException {
    return new Recovery(files, generations, origin, cursor, byKey, true).find(origin);
  }

  /** Reads what is there, and changes nothing. */
  static Found look(LedgerFiles files, InitialPosition origin) throws IOException {
    Cursor.Content cursor = files.cursor();
    boolean byKey = cursor != null && cursor.kind() == Cursor.BY_KEY;
    Generations generations = new Generations(files.directory(), files.owner());
    return new Recovery(files, generations, origin, cursor, byKey, false).find(origin);
  }

  private Found find(InitialPosition origin) throws IOException {
    loadSnapshot(files.numbered());
    replayLogs(files.numbered());
    readCursor(origin.made());
    return conclude(origin);
  }

  private void loadSnapshot(List<Numbered> found) throws IOException {
    for (int i = found.size() - 1; i >= 0; i--) {
      Numbered file = found.get(i);
      if (file.corrupt()) {
        created = false;
        newest = Math.max(newest, file.generation());
      } else if (!file.log()) {
        created = false;
        newest = Math.max(newest, file.generation());
        if (!based && Snapshot.read(file, files.snapshot(file), files.owner(), replay)) {
          based = true;
          base = file.generation();
        } else if (!based) {
          quarantine(file.path(), "is damaged; the one before is used");
        }
      }
    }
  }

  private void replayLogs(List<Numbered> found) throws IOException {
    for (Numbered file : found) {
      if (!file.log() || file.corrupt()) {
        continue;
      }
      AckLogFile log = files.log(file);
      if (log.shape() == AckLogFile.Shape.UNUSED) {
        if (repairs) {
          generations.recycleLog(file.path());
        }
        continue;
      }
      created = false;
      newest = Math.max(newest, file.generation());
      if (file.generation() >= base) {
        replay(log, file.path());
      }
      lastLog = file.generation();
      continued = log.continued();
    }
    if (cursor != null && cursor.generation() > lastLog && cursor.generation() >= base) {
      damaged.add(LedgerDamage.missing(generations.log(cursor.generation())));
    }
  }

  private void replay(AckLogFile log, Path path) throws IOException {
    AckLog.Header header = log.header();
    // The snapshot of the same generation has more of the same moment.
    if (header != null && log.generation() > base) {
      begin(header);
    }
    logs++;
    int good = log.visit(replay);
    records += good;
    if (log.shape() == AckLogFile.Shape.TORN) {
      torn++;
    } else if (log.shape() == AckLogFile.Shape.DAMAGED) {
      quarantine(path, "is damaged; its " + good + " sound records are used");
    }
  }

  private void begin(AckLog.Header header) {
    if (header.previous() > lastLog && header.previous() >= base) {
      damaged.add(LedgerDamage.missing(generations.log(header.previous())));
    }
    if (header.restart()) {
      replay.restart(header.lowWatermark());
    } else {
      replay.lowWatermark(header.lowWatermark());
    }
    based = true;
  }

  private void readCursor(boolean made) throws IOException {
    Path path = generations.directory().resolve(Cursor.NAME);
    if (cursor != null) {
      created = false;
      newest = Math.max(newest, cursor.generation());
      replay.deliveredEnd(cursor.position());
      torn += cursor.slots() == 1 || !cursor.named() ? 1 : 0; // then a log may be missing
      if (!cursor.sound()) {
        quarantine(path, "is damaged; made again from the other files");
      }
    } else if (made || logs > 0 || newest > 1) { // else killed while it was being made
      damaged.add(
          new LedgerDamage(path, "is damaged: it is missing; made again from the other files"));
    }
  }

  private Found conclude(InitialPosition origin) {
    if (created) {
      replay.restart(origin.start());
    } else if (!based) {
      damaged.add(
          new LedgerDamage(
              generations.directory(),
              "is damaged: nothing sound in it, delivering again from " + origin.earliest()));
    }
    long entries = replay.deliveredEnd() - replay.lowWatermark();
    boolean rewrite = created || !damaged.isEmpty() || logs > LONG_CHAIN + entries / AckLog.RECORDS;
    boolean continues =
        !rewrite
            && continued >= 0
            && newest == lastLog
            && cursor != null
            && cursor.generation() == lastLog;
    long generation = continues ? lastLog : newest + 1;
    Ring ring = replay.complete();
    RecoveryReport report =
        new RecoveryReport(
            created && !origin.made(),
            replay.lowWatermark(),
            replay.deliveredEnd(),
            replay.completedEnd(),
            generation,
            base,
            logs,
            records,
            replay.postponed(),
            torn,
            damaged.stream().map(LedgerDamage::toString).toList());
    long end = byKey ? 0 : replay.deliveredEnd(); // which then is not kept
    int records = continues ? continued : -1;
    var start = new FileJournal.Start(generation, records, lastLog, end, rewrite);
    return new Found(ring, start, report, damaged);
  }

  private void quarantine(Path path, String what) throws IOException {
    if (!repairs) {
      damaged.add(new LedgerDamage(path, what));
      return;
    }
    Path aside = DurableFiles.quarantine(path);
    damaged.add(new LedgerDamage(path, what + "; kept as " + aside.getFileName()));
  }
}
