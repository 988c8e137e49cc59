package com.wookler.river.ack.journal;

import java.nio.file.Path;

/** A damaged file, or the directory, and what is wrong: the rest of a sentence after its name. */
public record LedgerDamage(Path file, String what) {
  static LedgerDamage missing(Path file) {
    return new LedgerDamage(file, "is damaged: it is missing or empty");
  }

  @Override
  public String toString() {
    return file + " " + what;
  }
}
