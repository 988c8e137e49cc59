package com.wookler.river.core.log;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Caches the last scans of damaged blocks. Thread-safe; while one is made, other threads wait. */
final class BlockScans {
  private static final int KEPT = 4; // one takes 16 bytes a document

  /** By block number, the one used last at the end. Guarded by this. */
  private final Map<Integer, BlockScan> kept = new LinkedHashMap<>(8, 0.75f, true);

  /** Returns the cached scan of the block if it covers the sequence; else null. */
  synchronized @Nullable BlockScan known(Block block, long sequence) {
    BlockScan scan = kept.get(block.number());
    return scan != null && scan.covers(sequence) ? scan : null;
  }

  /** Returns the damage to the message, null if it is valid; scans the block if need be. */
  synchronized @Nullable Damage damageOf(
      Block block, long sequence, LogSettings settings, long nextSequence) throws IOException {
    BlockScan scan = known(block, sequence);
    if (scan == null || scan.holds(sequence)) { // then damaged since
      scan = make(block, settings, nextSequence);
    }
    return scan.damageOf(sequence);
  }

  /** Forgets what is known of a block whose file was replaced. */
  synchronized void forget(int block) {
    kept.remove(block);
  }

  synchronized BlockScan make(Block block, LogSettings settings, long nextSequence)
      throws IOException {
    BlockScan scan = BlockScan.of(block, settings, nextSequence);
    kept.put(block.number(), scan);
    if (kept.size() > KEPT) {
      kept.remove(kept.keySet().iterator().next());
    }
    return scan;
  }
}
