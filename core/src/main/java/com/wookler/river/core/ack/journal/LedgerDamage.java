package com.wookler.river.core.ack.journal;

import java.nio.file.Path;

/**
 * A file of a subscriber that is damaged.
 *
 * @param file or the directory, if it is none of them in particular
 * @param what the rest of a sentence that begins with the file
 */
public record LedgerDamage(Path file, String what) {
  static LedgerDamage missing(Path file) {
    return new LedgerDamage(file, "is damaged: it is missing or empty");
  }

  @Override
  public String toString() {
    return file + " " + what;
  }
}
