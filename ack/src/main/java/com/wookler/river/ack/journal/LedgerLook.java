package com.wookler.river.ack.journal;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.RecoveryReport;
import com.wookler.river.ack.Ring;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The progress of a subscriber, by a look at its files that changes nothing; also while the queue
 * is open.
 *
 * @param ack whether it acknowledges
 * @param created whether there is nothing of it yet
 * @param lowWatermark the lowest sequence that it has not completed
 * @param deliveredEnd the next sequence that was never delivered, nor any above it
 * @param completedAbove completed messages above the low watermark
 * @param generation of the log of acknowledgements that the next opening uses
 * @param quarantined files that an opening found damaged and kept
 * @param damaged what an opening would find damaged now
 */
public record LedgerLook(
    boolean ack,
    boolean created,
    long lowWatermark,
    long deliveredEnd,
    long completedAbove,
    long generation,
    List<Path> quarantined,
    List<LedgerDamage> damaged) {

  private static final int TRIES = 5;
  private static final long BETWEEN_NANOS = Duration.ofMillis(20).toNanos();

  public LedgerLook {
    quarantined = List.copyOf(quarantined);
    damaged = List.copyOf(damaged);
  }

  /** Returns how many messages were delivered, or wait for their key, and are not completed. */
  public long unfinished() {
    return Math.max(0, deliveredEnd - lowWatermark - completedAbove);
  }

  /**
   * Looks at a subscriber's directory, whose owner may write meanwhile: damage counts only if it is
   * seen again. {@code origin} is its position if the files have none.
   */
  public static LedgerLook at(Path directory, Owner owner, boolean ack, InitialPosition origin)
      throws IOException {
    LedgerLook look = null;
    for (int i = 0; i < TRIES; i++) {
      try {
        LedgerLook again = of(LedgerFiles.list(directory, owner), ack, origin);
        if (again.damaged.isEmpty() || (look != null && look.damaged.equals(again.damaged))) {
          return again;
        }
        look = again;
      } catch (NoSuchFileException e) {
        if (i == TRIES - 1) {
          throw e; // not a file that its owner has just taken out of use
        }
      }
      LockSupport.parkNanos(directory, BETWEEN_NANOS);
    }
    return look == null ? of(LedgerFiles.list(directory, owner), ack, origin) : look;
  }

  /**
   * Looks once at files that did not change since they were listed; {@code origin} is the
   * subscriber's position if they have none.
   */
  public static LedgerLook of(LedgerFiles files, boolean ack, InitialPosition origin)
      throws IOException {
    return ack ? withAck(files, origin) : withoutAck(files, origin);
  }

  private static LedgerLook withAck(LedgerFiles files, InitialPosition origin) throws IOException {
    Cursor.Content cursor = files.cursor();
    Recovery.Found look = Recovery.look(files, origin);
    RecoveryReport report = look.report();
    List<LedgerDamage> damaged = new ArrayList<>(look.damaged());
    if (cursor != null && cursor.kind() == Cursor.WITHOUT_ACK) {
      damaged.add(otherKind(files.directory()));
    }
    Ring ring = look.ring();
    return new LedgerLook(
        true,
        report.created(),
        ring.lowWatermark(),
        report.deliveredEnd(),
        ring.count(EntryState.COMPLETED),
        report.generation(),
        files.quarantined(),
        damaged);
  }

  private static LedgerLook withoutAck(LedgerFiles files, InitialPosition origin)
      throws IOException {
    Path directory = files.directory();
    Cursor.Content cursor = files.cursor();
    List<LedgerDamage> damaged = new ArrayList<>();
    if (cursor == null && origin.made()) {
      damaged.add(LedgerDamage.missing(directory.resolve(Cursor.NAME)));
    } else if (cursor != null && !cursor.sound()) {
      damaged.add(new LedgerDamage(directory.resolve(Cursor.NAME), "is damaged"));
    } else if (cursor != null && cursor.kind() != Cursor.WITHOUT_ACK) {
      damaged.add(otherKind(directory));
    }
    long position = origin.start();
    if (cursor != null) {
      position = cursor.slots() > 0 ? cursor.position() : origin.earliest();
    }
    boolean created = cursor == null && !origin.made();
    return new LedgerLook(false, created, position, position, 0, 0, files.quarantined(), damaged);
  }

  private static LedgerDamage otherKind(Path directory) {
    return new LedgerDamage(
        directory.resolve(Cursor.NAME), "is damaged: it is not of a subscriber of this kind");
  }
}
