package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.Locale;

/**
 * The rule for names of queues and subscribers, which are directories and parts of addresses.
 *
 * <p>1 to 64 letters, digits, {@code . _ -} of ASCII, the first one no dot or hyphen. The endings
 * {@code .dead} and {@code .discarded-…} are River's own. Names that differ only in case are the
 * same name, because on some file systems they are the same directory.
 */
public final class Names {
  static final String DEAD = ".dead";

  private static final int LONGEST = 64;

  private Names() {}

  /** Returns a name; throws {@link ConfigurationException} if it breaks the rule. */
  public static String check(String kind, String name) {
    if (!isAllowed(name)) {
      throw new ConfigurationException(
          "the %s name '%s' breaks the rule: 1 to 64 of A-Z a-z 0-9 . _ -, not starting with . or -"
              .formatted(kind, printable(name)));
    }
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.endsWith(DEAD) || lower.contains(DataDirectory.DISCARDED)) {
      throw new ConfigurationException(
          "the %s name '%s' is reserved: .dead and .discarded- are River's own endings"
              .formatted(kind, name));
    }
    return name;
  }

  private static boolean isAllowed(String name) {
    boolean allowed = !name.isEmpty() && name.length() <= LONGEST;
    for (int i = 0; allowed && i < name.length(); i++) {
      char at = name.charAt(i);
      allowed =
          (at >= 'A' && at <= 'Z')
              || (at >= 'a' && at <= 'z')
              || (at >= '0' && at <= '9')
              || at == '_'
              || (i > 0 && (at == '.' || at == '-'));
    }
    return allowed;
  }

  /** Checks the name that a queue's parameter gives of another one; the error names both. */
  static void check(String queue, String param, String name) {
    try {
      check("queue", name);
    } catch (ConfigurationException e) {
      throw new ConfigurationException("queue " + queue + ": " + param + ": " + e.getMessage(), e);
    }
  }

  private static String printable(String name) {
    String shown = name.length() > 80 ? name.substring(0, 80) + "…" : name;
    return shown.replaceAll("\\p{Cntrl}", "?");
  }
}
