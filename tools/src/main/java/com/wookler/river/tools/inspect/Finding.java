package com.wookler.river.tools.inspect;

import java.nio.file.Path;

/**
 * One damage, or one note, of a verification.
 *
 * @param severity whether it is damage
 * @param file or directory
 * @param block number, {@link #UNKNOWN} if it is about none
 * @param sequence the first message that it touches, {@link #UNKNOWN} if that is not known
 * @param offset the byte of the block, uncompressed; {@link #UNKNOWN} if that is not known
 * @param what one sentence
 */
public record Finding(
    Severity severity, Path file, int block, long sequence, long offset, String what) {
  /** The value of an unknown block, sequence or offset. */
  public static final int UNKNOWN = -1;

  /** Whether anything is wrong. */
  public enum Severity {
    /** Something is not as it was written. */
    DAMAGE,
    /** Worth knowing and no damage: what a crash leaves, what was quarantined before. */
    NOTE
  }

  static Finding damage(Path file, String what) {
    return new Finding(Severity.DAMAGE, file, UNKNOWN, UNKNOWN, UNKNOWN, what);
  }

  static Finding note(Path file, String what) {
    return new Finding(Severity.NOTE, file, UNKNOWN, UNKNOWN, UNKNOWN, what);
  }

  /** Returns whether something is not as it was written. */
  public boolean isDamage() {
    return severity == Severity.DAMAGE;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(isDamage() ? "damaged: " : "note: ").append(file);
    part(text, ", block ", block);
    part(text, ", sequence ", sequence);
    part(text, ", byte ", offset);
    return text.append(": ").append(what).toString();
  }

  private static void part(StringBuilder text, String name, long value) {
    if (value != UNKNOWN) {
      text.append(name).append(value);
    }
  }
}
