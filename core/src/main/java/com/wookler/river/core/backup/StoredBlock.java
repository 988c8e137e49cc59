package com.wookler.river.core.backup;

import com.wookler.river.core.log.files.Seal;
import java.nio.file.Path;

/**
 * One backup.
 *
 * @param file its {@code .zst} file
 * @param block what it holds
 * @param madeMicros when it was made, microseconds since 1970
 * @param length of the {@code .zst} file
 */
public record StoredBlock(Path file, Seal block, long madeMicros, long length) {
  static StoredBlock of(Path file, BackupSeal seal) {
    return new StoredBlock(file, seal.block(), seal.madeMicros(), seal.length());
  }

  /** Returns whether this message is in it. */
  public boolean holds(long sequence) {
    return sequence >= block.firstSequence() && sequence < block.endSequence();
  }

  /**
   * Returns whether the same messages are in it. Bytes don't count: after a recovery a block ends
   * with its end mark, before that with its last message.
   */
  boolean isOf(Seal seal) {
    return block.queue().equals(seal.queue())
        && block.block() == seal.block()
        && block.firstSequence() == seal.firstSequence()
        && block.messages() == seal.messages()
        && block.digest() == seal.digest();
  }
}
