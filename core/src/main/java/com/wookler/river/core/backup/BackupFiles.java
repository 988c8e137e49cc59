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

  /** Scans a directory, {@code <backup.directory>/<queue>}. Links in it are not followed. */
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

  /**
   * Reads all of one backup and compares every message, the counts and the digest with its seal;
   * {@code progress} gets the compressed bytes read. A missing or unreadable file is damage too.
   */
  public static Verification verify(Path zst, LongConsumer progress) {
    int named = BackupLayout.numberOf(zst);
    try {
      BackupSeal seal = BackupSeal.read(BackupLayout.sealOf(zst));
      BackupScan.checkName(zst, seal);
      try (FrameFile file = new FrameFile(zst)) {
        return new Verifier(zst, seal.block(), progress).verify(file, seal.frames(), seal.length());
      }
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

  /** Shows the documents of a backup in order, from the frame on that holds a sequence. */
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
    BackupSeal seal = BackupSeal.read(BackupLayout.sealOf(stored.file()));
    int first = seal.frames().indexOf(seal.holding(from));
    try (FrameFile file = new FrameFile(stored.file())) {
      for (Frame frame : seal.frames().subList(first, seal.frames().size())) {
        if (isEnough.getAsBoolean()) {
          return;
        }
        String what = file.walk(frame, visitor);
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
