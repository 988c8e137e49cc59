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

  public boolean holds(long sequence) {
    return sequence >= block.firstSequence() && sequence < block.endSequence();
  }

  /** Returns whether it has the same messages; bytes may differ: recovery adds an end mark. */
  boolean isOf(Seal seal) {
    return block.queue().equals(seal.queue())
        && block.block() == seal.block()
        && block.firstSequence() == seal.firstSequence()
        && block.messages() == seal.messages()
        && block.digest() == seal.digest();
  }

  /** Returns whether it is a backup of the same block, perhaps with other content. */
  public boolean isSameBlock(StoredBlock other) {
    Seal seal = other.block;
    return block.queue().equals(seal.queue())
        && block.block() == seal.block()
        && block.firstSequence() == seal.firstSequence()
        && block.messages() == seal.messages()
        && block.lost() == seal.lost();
  }
}
