package com.wookler.river.core.log;

import com.wookler.river.core.log.files.Gaps;
import java.nio.file.Path;

/**
 * Messages in a row that a block has lost to damage, a backup, or a file of delayed messages.
 *
 * @param block its number; -1: it is no block
 * @param file its data file, or the compressed one where a backup is damaged
 * @param first the first sequence that is lost; -1: unknown, as nothing is left of them
 * @param end the sequence after the last
 * @param from offset of the damaged bytes in the file: where the last valid part before them ends
 * @param to where the next valid part begins, or the block ends
 */
public record Damage(int block, Path file, long first, long end, long from, long to) {
  public long messages() {
    return end - first;
  }

  /** Returns whether it is a gap that an opening has found, which says nothing of any bytes. */
  boolean isGap() {
    return file.endsWith(Gaps.NAME);
  }

  Damage within(long fromSequence, long toSequence) {
    return new Damage(block, file, fromSequence, toSequence, from, to);
  }
}
