package com.wookler.river.core.subscriber;

import com.wookler.river.common.config.Durations;
import com.wookler.river.common.errors.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How long a message waits before it is delivered again, by how often it was delivered; immutable.
 *
 * <p>It applies where the caller gives no delay: after a timeout, {@link Delivery#nack()} and
 * {@link Delivery#fail(Throwable)}, the last as {@link #afterFailure} says. As text, in XML: {@code
 * none}, {@code fixed 5ss}, {@code list 1ss 5ss 30ss}, {@code exponential 1ss 5mm}, or {@code
 * exponential 1ss 5mm 2.0 0.2} with factor and jitter.
 *
 * <p>A wait that has begun continues while its subscriber is closed, or killed, as {@link
 * Delivery#nack(java.time.Duration)} says. One after a timeout has begun when a poll or
 * housekeeping has noticed that, at most a fraction of a second later. What is in flight when the
 * subscriber is closed comes at once when it is opened again.
 */
public sealed interface Backoff {
  /** No wait: available again at once. */
  static Backoff none() {
    return Steps.NONE;
  }

  /** Returns the same wait each time. */
  static Backoff fixed(Duration delay) {
    return new Steps(List.of(delay));
  }

  /** One wait after another; the last one from then on. */
  static Backoff list(Duration... delays) {
    return list(Arrays.asList(delays));
  }

  /** Waits each of these times once, one after the other, and the last one from then on. */
  static Backoff list(List<Duration> delays) {
    if (delays.isEmpty()) {
      throw new ConfigurationException("a backoff that is a list needs at least one delay");
    }
    return new Steps(delays);
  }

  /** Doubling from the first to the longest, each up to a fifth shorter at random. */
  static Backoff exponential(Duration first, Duration longest) {
    return exponential(first, longest, 2, 0.2);
  }

  /**
   * Growing from the first to the longest.
   *
   * @param factor from one wait to the next, 1 to 100
   * @param jitter what part of a wait, 0 to 1, may be taken off at random, so that what failed
   *     together does not come again together
   */
  static Backoff exponential(Duration first, Duration longest, double factor, double jitter) {
    return new Exponential(first, longest, factor, jitter);
  }

  /**
   * Reads a backoff as {@code toString} writes it.
   *
   * @throws ConfigurationException it is none; the message says what is allowed
   */
  static Backoff parse(String text) {
    if ("none".equals(text)) {
      return none();
    }
    String[] words = text.trim().split("\\s+");
    try {
      List<Duration> delays = new ArrayList<>();
      for (int i = 1; i < Math.min(words.length, 3) || (i < words.length && isList(words)); i++) {
        delays.add(Durations.parse(words[i]));
      }
      return switch (words[0].toLowerCase(Locale.ROOT) + "/" + words.length) {
        case "none/1" -> none();
        case "fixed/2" -> fixed(delays.get(0));
        case "exponential/3" -> exponential(delays.get(0), delays.get(1));
        case "exponential/5" ->
            exponential(
                delays.get(0),
                delays.get(1),
                Double.parseDouble(words[3]),
                Double.parseDouble(words[4]));
        default -> {
          if (isList(words)) {
            yield list(delays);
          }
          throw new IllegalArgumentException("unknown form");
        }
      };
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(
          "is '"
              + text
              + "'; allowed are: none; fixed 5ss; list 1ss 5ss 30ss; exponential 1ss 5mm, perhaps"
              + " with factor and jitter, 2.0 0.2",
          e);
    }
  }

  private static boolean isList(String[] words) {
    return words[0].equalsIgnoreCase("list");
  }

  /**
   * Returns the milliseconds to wait, equal for equal sequence and attempt. {@code attempt} is 1 or
   * more.
   */
  long millis(long sequence, int attempt);

  /**
   * Returns the wait of a message that was processed and is to be processed again: where there is
   * no backoff, none after the first attempt, then one that doubles from a millisecond to a second.
   * A processor that fails over a message each time would keep its processor core locked otherwise.
   */
  default long afterFailure(long sequence, int attempt) {
    long wait = millis(sequence, attempt);
    return wait > 0 || attempt < 2 ? wait : Math.min(1_000, 1L << Math.min(10, attempt - 2));
  }

  private static Duration checked(Duration delay) {
    if (delay.isNegative() || delay.compareTo(Duration.ofDays(366)) > 0) {
      throw new ConfigurationException(
          "a delay of " + delay + " in a backoff; 0 to 366 days are allowed");
    }
    return delay;
  }

  /** See {@link Backoff#list}. */
  record Steps(List<Duration> delays) implements Backoff {
    private static final Steps NONE = new Steps(List.of());

    public Steps {
      delays = List.copyOf(delays);
      delays.forEach(Backoff::checked);
    }

    @Override
    public long millis(long sequence, int attempt) {
      return delays.isEmpty() ? 0 : delays.get(Math.min(attempt, delays.size()) - 1).toMillis();
    }

    @Override
    public String toString() {
      if (delays.isEmpty()) {
        return "none";
      }
      return (delays.size() == 1 ? "fixed " : "list ")
          + delays.stream().map(Duration::toString).collect(Collectors.joining(" "));
    }
  }

  /** See {@link Backoff#exponential(Duration, Duration, double, double)}. */
  record Exponential(Duration first, Duration longest, double factor, double jitter)
      implements Backoff {
    public Exponential {
      checked(first);
      checked(longest);
      if (first.isZero() || longest.compareTo(first) < 0) {
        throw new ConfigurationException(
            "an exponential backoff from "
                + first
                + " to "
                + longest
                + "; the first must be positive, the longest not shorter");
      }
      if (!(factor >= 1 && factor <= 100 && jitter >= 0 && jitter <= 1)) {
        throw new ConfigurationException(
            "an exponential backoff with factor "
                + factor
                + " and jitter "
                + jitter
                + "; 1 to 100, and 0 to 1 are allowed");
      }
    }

    @Override
    public long millis(long sequence, int attempt) {
      double grown = first.toMillis() * Math.pow(factor, attempt - 1.0);
      double bounded = Math.min(grown, (double) longest.toMillis());
      return Math.max(1, (long) (bounded * (1 - jitter * chance(sequence, attempt))));
    }

    /** Returns a number from 0 to 1, spread evenly. */
    private static double chance(long sequence, int attempt) {
      long mixed = (sequence * 31 + attempt) * 0x9E3779B97F4A7C15L;
      mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
      mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
      return (double) ((mixed ^ (mixed >>> 31)) >>> 11) * 0x1.0p-53;
    }

    @Override
    public String toString() {
      return "exponential " + first + " " + longest + " " + factor + " " + jitter;
    }
  }
}
