package com.wookler.river.core.backup;

import java.nio.file.Path;
import java.util.List;

/**
 * What a look at every byte of one backup found.
 *
 * @param file the {@code .zst} file
 * @param block number of the block
 * @param firstSequence sequence of the first message that the backup should hold
 * @param lastSequence sequence of the last one; one less than the first if there is none
 * @param messages how many were read and proven by their checksums
 * @param damages everything that is not as it was written, in the order of the file; empty if the
 *     backup is whole
 */
public record Verification(
    Path file,
    int block,
    long firstSequence,
    long lastSequence,
    long messages,
    List<Damage> damages) {

  /** Keeps a copy of the list. */
  public Verification {
    damages = List.copyOf(damages);
  }

  /** Returns whether every message is there as it was published, and nothing else. */
  public boolean ok() {
    return damages.isEmpty();
  }

  /**
   * One place that is not as it was written.
   *
   * @param block number of the block
   * @param sequence the first message that it touches, -1 if that cannot be told
   * @param offset where it is in the block's (uncompressed) bytes, -1 if that cannot be told
   * @param what one sentence without the place
   */
  public record Damage(int block, long sequence, long offset, String what) {
    @Override
    public String toString() {
      return "damaged: block "
          + block
          + ", sequence "
          + sequence
          + ", byte "
          + offset
          + ": "
          + what;
    }
  }
}
