package com.wookler.river.core.backup;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * The backups in a directory, of any queue, at one moment. Changes nothing and keeps nothing open.
 *
 * @param blocks those with a valid seal, each queue's together, in the order of their sequences
 * @param unexpected all that is not as River leaves it
 */
public record BackupFiles(List<StoredBlock> blocks, List<UnexpectedFile> unexpected) {
  /** The size of the largest possible block, including its last batch. */
  public static final long MAX_BLOCK_BYTES = 2L << 30;

  /**
   * A file or folder that is not as River leaves it.
   *
   * @param file or folder
   * @param what one sentence about it
   * @param isBackup whether messages may be in it: its seal is damaged or missing
   */
  public record UnexpectedFile(Path file, String what, boolean isBackup) {}

  @FunctionalInterface
  public interface Fault {
    /** Reports that the block cannot be read from an offset of its uncompressed bytes on. */
    void at(long offset, String what);
  }

  public BackupFiles {
    blocks = List.copyOf(blocks);
    unexpected = List.copyOf(unexpected);
  }

  /**
   * Scans a directory, {@code <backup.directory>/<queue>}. Links in it are not followed. A backup
   * that is replaced meanwhile is there under its old name or its new one, or both.
   *
   * @throws IOException it cannot be read, or a folder changes faster than it can be listed
   */
  public static BackupFiles scan(Path directory) throws IOException {
    List<UnexpectedFile> unexpected = new ArrayList<>();
    BackupScan scan =
        new BackupScan(
            new BackupLayout(directory),
            (file, what) ->
                unexpected.add(new UnexpectedFile(file, what, BackupLayout.numberOf(file) >= 0)));
    scan.run();
    for (StoredBlock alone : scan.sealsAlone) {
      unexpected.add(
          new UnexpectedFile(alone.file(), "it is missing, or its removal was cut off", true));
    }
    scan.blocks.sort(
        Comparator.comparing((StoredBlock stored) -> stored.block().queue())
            .thenComparing(stored -> stored.block().firstSequence())
            .thenComparing(StoredBlock::file));
    return new BackupFiles(scan.blocks, unexpected);
  }

  /** Returns whether there are files, but no backup of a queue. */
  public boolean isForeignTo(UUID queue) {
    return !(blocks.isEmpty() && unexpected.isEmpty())
        && blocks.stream().noneMatch(each -> each.block().queue().equals(queue));
  }

  /** Looks again for a backup, perhaps of another name by now; empty if it has been removed. */
  public static Optional<StoredBlock> now(StoredBlock stored) throws IOException {
    List<StoredBlock> same =
        scan(Objects.requireNonNull(stored.file().getParent())).blocks().stream()
            .filter(stored::isSameBlock)
            .toList();
    return same.stream()
        .filter(each -> each.file().equals(stored.file()))
        .findFirst()
        .or(() -> same.stream().findFirst());
  }

  /**
   * Reads all of one backup and compares every message, the counts and the digest with its seal;
   * {@code progress} gets the compressed bytes read. A missing or unreadable file is damage too.
   */
  public static Verification verify(Path zst, LongConsumer progress) {
    int named = BackupLayout.numberOf(zst);
    try (OpenBackup backup = OpenBackup.of(zst)) {
      BackupSeal seal = backup.seal();
      BackupScan.checkName(zst, seal);
      return new Verifier(zst, seal.block(), progress)
          .verify(backup.file(), seal.frames(), seal.length());
    } catch (DamagedException e) {
      return unverified(zst, named, "its seal is of no use: " + ContentCheck.text(e));
    } catch (IOException e) {
      return unverified(zst, named, "cannot be read: " + e);
    }
  }

  private static Verification unverified(Path zst, int block, String what) {
    return new Verification(
        zst, block, -1, -1, 0, List.of(new Verification.Damage(block, -1, -1, what)));
  }

  /**
   * Shows the documents of a backup in order, from the frame on that holds a sequence; those of the
   * backup of another name that has replaced it, if so.
   *
   * @throws java.nio.file.NoSuchFileException it was removed; no document was shown
   * @throws java.io.FileNotFoundException the same
   */
  public static void walk(StoredBlock stored, long from, BlockWalk.Visitor visitor, Fault fault)
      throws IOException {
    walk(stored, from, visitor, fault, () -> false);
  }

  /** Shows the documents in the same way, up to the end of the frame with which it is enough. */
  public static void walk(
      StoredBlock stored,
      long from,
      BlockWalk.Visitor visitor,
      Fault fault,
      BooleanSupplier isEnough)
      throws IOException {
    try (OpenBackup backup = OpenBackup.of(stored)) {
      BackupSeal seal = backup.seal();
      int first = seal.frames().indexOf(seal.holding(from));
      for (Frame frame : seal.frames().subList(first, seal.frames().size())) {
        if (isEnough.getAsBoolean()) {
          return;
        }
        String what = backup.file().walk(frame, visitor);
        if (what != null) {
          fault.at(frame.start(), what);
        }
      }
    }
  }

  /** Writes the block as it was in the log, up to its last document; throws if it is damaged. */
  public static void unpack(StoredBlock stored, OutputStream to) throws IOException {
    BackupSeal seal = BackupReader.seal(stored);
    if (BackupSeal.covered(seal.block()) > MAX_BLOCK_BYTES) {
      throw new DamagedMessageException(
          "damaged: its seal speaks of " + seal.block().bytes() + " bytes, no block has as many");
    }
    try (FrameFile file = new FrameFile(stored.file())) {
      if (file.length() != seal.length()) {
        throw new DamagedMessageException(
            "damaged: the file has " + file.length() + " bytes of " + seal.length());
      }
      for (Frame frame : seal.frames()) {
        String what = file.copy(frame, to);
        if (what != null) {
          throw new DamagedMessageException("damaged: byte " + frame.start() + ": " + what);
        }
      }
    }
  }
}
