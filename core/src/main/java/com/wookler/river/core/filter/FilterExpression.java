package com.wookler.river.core.filter;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Selects messages by an expression.
 *
 * <pre>{@code
 * key == 'EU' && headers.type == 'order' && json.amount > 100
 * }</pre>
 *
 * <p>Three names are known: {@code key}, {@code headers} (each value read as UTF-8) and {@code
 * json}, the message's data read as JSON, at most once a message and only if the expression uses
 * it. Fields are read with a dot or brackets, {@code json.items[0].price}, {@code
 * headers['content-type']}.
 *
 * <p>There are comparisons, {@code &&}, {@code ||}, {@code !}, arithmetic, {@code =~} (matches the
 * whole of a regular expression, or is one of a list), {@code =^} (starts with), {@code =$} (ends
 * with), {@code size(…)} and {@code empty(…)}; no calls of methods, no classes, no assignments, no
 * loops.
 *
 * <p>A missing value is {@code null}: it equals {@code null} only; any other comparison, match or
 * computation with it is not true. A negation is the opposite, so {@code key != 'EU'} accepts a
 * message without a key. A message for which the expression fails, because its data is not JSON or
 * a text is compared with a number, does not match; such messages are counted, and the first is
 * logged.
 *
 * <p>A regular expression is a text after {@code =~} or {@code !~} in the expression, in the syntax
 * of RE2: without look-around and references to groups.
 *
 * <p>The work for a message is limited, whatever the expression and the message are: to 10 million
 * steps of patterns and operators, and to texts of 1,000 characters where a number is read; what
 * needs more fails.
 *
 * <p>Compiled once; immutable except for that count, thread-safe, and equal to one of the same
 * text. Needs {@code org.apache.commons:commons-jexl3} and {@code com.google.re2j:re2j} on the
 * class path.
 */
public final class FilterExpression implements Predicate<Message<?>> {
  /** Longest expression, in characters. */
  public static final int MAX_LENGTH = 10_000;

  private static final int MAX_QUOTED = 200;
  private static final Logger LOG = LoggerFactory.getLogger(FilterExpression.class);

  private final String text;
  private final Condition condition;
  private final LongAdder failures = new LongAdder();

  private FilterExpression(String text, Condition condition) {
    this.text = text;
    this.condition = condition;
  }

  /**
   * Compiles an expression.
   *
   * @throws ConfigurationException naming the column, from 1, and what is wrong there; or JEXL is
   *     not on the class path
   */
  public static FilterExpression parse(String text) {
    Objects.requireNonNull(text, "text");
    if (text.isBlank() || text.length() > MAX_LENGTH) {
      throw new ConfigurationException(
          "a filter expression of " + text.length() + " characters; 1 to 10000 are allowed");
    }
    try {
      return new FilterExpression(text, JexlCondition.compile(text));
    } catch (NoClassDefFoundError e) {
      throw new ConfigurationException(
          "filter expressions need the libraries org.apache.commons:commons-jexl3 and"
              + " com.google.re2j:re2j, which are not both on the class path: "
              + e.getMessage(),
          e);
    }
  }

  /** Returns whether the message matches; never throws. */
  @Override
  public boolean test(Message<?> message) {
    return matches(message.key(), message.headers(), message.data());
  }

  /**
   * Returns whether a message of these parts matches; never throws.
   *
   * @param data bytes or a text: JSON; anything else has the fields that Jackson would write
   */
  public boolean matches(@Nullable String key, Map<String, byte[]> headers, Object data) {
    try {
      Object answer = condition.evaluate(new Fields(key, headers, data));
      if (answer == null || answer instanceof Boolean) {
        return Boolean.TRUE.equals(answer);
      }
      failed("it gives " + answer.getClass().getSimpleName() + ", not true or false");
    } catch (RuntimeException | StackOverflowError e) { // of a text that nests deeply
      failed(oneLine(e));
    }
    return false;
  }

  private void failed(String why) {
    boolean first = failures.sum() == 0; // several threads may log it at the same time
    failures.increment();
    if (first) {
      LOG.warn(
          "The filter expression {} cannot judge a message, which counts as not matching: {}."
              + " Further ones are only counted",
          text,
          why);
    }
  }

  /** Returns the message of an error as a short line, because it may quote parts of the message. */
  private static String oneLine(Throwable e) {
    String text = String.valueOf(e.getMessage()).replaceAll("\\p{Cntrl}", " ");
    return text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + " …";
  }

  /** Returns how many messages did not match because the expression failed over them. */
  public long failures() {
    return failures.sum();
  }

  /** Returns the expression as it was given. */
  public String text() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FilterExpression that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
