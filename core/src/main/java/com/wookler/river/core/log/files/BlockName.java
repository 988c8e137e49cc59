package com.wookler.river.core.log.files;

import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a block's files: {@code b00000042.cq4}, {@code b00000042.seal}, {@code
 * b00000042.precreated}.
 */
public final class BlockName {
  private static final String DATA = ".cq4";
  private static final String SEAL = ".seal";
  public static final String AHEAD = ".precreated";

  private static final Pattern DATA_NAME = Pattern.compile("b(\\d{8,10})\\.cq4");
  private static final Pattern SEAL_NAME = Pattern.compile("b(\\d{8,10})\\.seal");
  private static final Pattern MISPLACED_NAME = Pattern.compile("b(\\d{8,10})\\.cq4\\.misplaced");

  private BlockName() {}

  /** Returns the name without ending: {@code b00000042}. */
  public static String of(int block) {
    String digits = Integer.toString(block);
    return "b" + "0".repeat(Math.max(0, 8 - digits.length())) + digits;
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
    return log.resolve(of(block) + DATA + ".misplaced");
  }

  public static OptionalInt number(Path file) {
    return number(DATA_NAME, file);
  }

  public static OptionalInt sealNumber(Path file) {
    return number(SEAL_NAME, file);
  }

  /** Returns the block whose data file was moved to this name. */
  public static OptionalInt misplacedNumber(Path file) {
    return number(MISPLACED_NAME, file);
  }

  private static OptionalInt number(Pattern pattern, Path file) {
    Matcher name = pattern.matcher(String.valueOf(file.getFileName()));
    if (!name.matches()) {
      return OptionalInt.empty();
    }
    long number = Long.parseLong(name.group(1));
    return number <= Integer.MAX_VALUE ? OptionalInt.of((int) number) : OptionalInt.empty();
  }
}
