package com.wookler.river.core.log.recovery;

import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.files.Seal;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A block as a recovery found it, or leaves it.
 *
 * @param seal what it holds; not written yet if the block has none
 * @param file its data file
 * @param contentBytes of its messages with their envelopes
 */
public record RecoveredBlock(Seal seal, Path file, long contentBytes) {
  static RecoveredBlock of(Seal seal, Path file) {
    return new RecoveredBlock(seal, file, Math.max(0, seal.bytes() - ChronicleHeader.BYTES));
  }

  /** Returns an empty block that has no file yet. */
  static RecoveredBlock none(UUID queue, int number, long firstSequence, Path file) {
    return new RecoveredBlock(new Seal(queue, number, firstSequence, 0, 0, 0, 0, 0, 0, 0), file, 0);
  }

  int number() {
    return seal.block();
  }

  long firstSequence() {
    return seal.firstSequence();
  }

  long endSequence() {
    return seal.endSequence();
  }

  long messages() {
    return seal.messages();
  }

  long documents() {
    return seal.documents();
  }

  /** Returns the offset after its last document. */
  long end() {
    return seal.bytes();
  }
}
