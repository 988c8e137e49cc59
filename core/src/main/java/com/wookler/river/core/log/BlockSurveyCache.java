package com.wookler.river.core.log;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The surveys of blocks with damage that were made last. Thread-safe; while one is made, others
 * wait.
 */
final class BlockSurveyCache {
  private static final int KEPT = 4; // one takes 16 bytes a document

  /** By block number, the one used last at the end. Guarded by this. */
  private final Map<Integer, BlockSurvey> kept = new LinkedHashMap<>(8, 0.75f, true);

  /** Returns what is known of the block, if that says something of the sequence; else null. */
  synchronized @Nullable BlockSurvey known(Block block, long sequence) {
    BlockSurvey survey = kept.get(block.number());
    return survey != null && survey.covers(sequence) ? survey : null;
  }

  /**
   * Returns what took the message; looks through the block if that is not known. Null: it is there.
   */
  synchronized @Nullable Damage damageOf(
      Block block, long sequence, LogSettings settings, long nextSequence) throws IOException {
    BlockSurvey survey = known(block, sequence);
    if (survey == null || survey.holds(sequence)) { // then damaged since
      survey = make(block, settings, nextSequence);
    }
    return survey.damageOf(sequence);
  }

  /** Looks through a block as it is now. */
  synchronized BlockSurvey make(Block block, LogSettings settings, long nextSequence)
      throws IOException {
    BlockSurvey survey = BlockSurvey.of(block, settings, nextSequence);
    kept.put(block.number(), survey);
    if (kept.size() > KEPT) {
      kept.remove(kept.keySet().iterator().next());
    }
    return survey;
  }
}
