package com.wookler.river.core.log.files;

import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * The names of a block's files: {@code b00000042.cq4}, {@code b00000042.seal}, {@code
 * b00000042.precreated}.
 */
public final class BlockName {
  private static final String DATA = ".cq4";
  private static final String SEAL = ".seal";
  public static final String AHEAD = ".precreated";

  private static final String MISPLACED = DATA + ".misplaced";
  private static final char PREFIX = 'b';
  private static final int LEAST_DIGITS = 8;
  private static final int MOST_DIGITS = 10;

  private BlockName() {}

  /** Returns the name without ending: {@code b00000042}. */
  public static String of(int block) {
    String digits = Integer.toString(block);
    return PREFIX + "0".repeat(Math.max(0, LEAST_DIGITS - digits.length())) + digits;
  }

  public static Path data(Path log, int block) {
    return log.resolve(of(block) + DATA);
  }

  public static Path seal(Path log, int block) {
    return log.resolve(of(block) + SEAL);
  }

  /** Returns the file of a block of this log that is made ahead. */
  public static Path ahead(Path log, int block) {
    return log.resolve(of(block) + AHEAD);
  }

  /** Returns the name of a block's data file that a recovery found under another's name. */
  public static Path misplaced(Path log, int block) {
    return log.resolve(of(block) + MISPLACED);
  }

  public static OptionalInt number(Path file) {
    return number(file, DATA);
  }

  /** Returns whether the store takes this file for a block, whatever else is its name. */
  static boolean isData(Path file) {
    return String.valueOf(file.getFileName()).endsWith(DATA);
  }

  public static OptionalInt sealNumber(Path file) {
    return number(file, SEAL);
  }

  /** Returns the block whose data file was moved to this name. */
  public static OptionalInt misplacedNumber(Path file) {
    return number(file, MISPLACED);
  }

  /** Returns the number in a name of that ending; by hand, as an opening asks for each file. */
  private static OptionalInt number(Path file, String ending) {
    String name = String.valueOf(file.getFileName());
    int digits = name.length() - ending.length() - 1;
    if (digits < LEAST_DIGITS
        || digits > MOST_DIGITS
        || name.charAt(0) != PREFIX
        || !name.endsWith(ending)) {
      return OptionalInt.empty();
    }
    long number = 0;
    for (int i = 1; i <= digits; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return OptionalInt.empty();
      }
      number = 10 * number + digit;
    }
    return number <= Integer.MAX_VALUE ? OptionalInt.of((int) number) : OptionalInt.empty();
  }
}
