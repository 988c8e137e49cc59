package com.wookler.river.core.backup;

import java.nio.file.Path;
import java.util.List;

/**
 * What the verification of one backup found.
 *
 * @param file the {@code .zst} file
 * @param block number of the block
 * @param firstSequence sequence of the first message that the backup should hold
 * @param lastSequence sequence of the last one; one less than the first if there is none
 * @param messages how many were read and had valid checksums
 * @param damages in the order of the file
 */
public record Verification(
    Path file,
    int block,
    long firstSequence,
    long lastSequence,
    long messages,
    List<Damage> damages) {

  public Verification {
    damages = List.copyOf(damages);
  }

  /** Returns whether the backup has every message as it was published, and nothing else. */
  public boolean ok() {
    return damages.isEmpty();
  }

  /**
   * One difference from what was written.
   *
   * @param block number of the block
   * @param sequence the first message that it touches, -1 if unknown
   * @param offset in the uncompressed bytes of the block, -1 if unknown
   * @param what one sentence
   */
  public record Damage(int block, long sequence, long offset, String what) {
    @Override
    public String toString() {
      return String.format(
          "damaged: block %d, sequence %d, byte %d: %s", block, sequence, offset, what);
    }
  }
}
