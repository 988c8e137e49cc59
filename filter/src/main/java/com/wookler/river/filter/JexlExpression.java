package com.wookler.river.filter;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.FilterExpression;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A filter expression, compiled by JEXL; counts the messages over which it fails. */
final class JexlExpression implements FilterExpression {
  private static final int MAX_LENGTH = 10_000; // characters
  private static final int MAX_QUOTED = 200;
  private static final Logger LOG = LoggerFactory.getLogger(JexlExpression.class);

  private final String text;
  private final JexlCondition condition;
  private final LongAdder failures = new LongAdder();

  JexlExpression(String text) {
    this.text = checked(text);
    this.condition = JexlCondition.compile(text);
    condition.requireCondition(text);
  }

  static String checked(String text) {
    if (text.isBlank() || text.length() > MAX_LENGTH) {
      throw new ConfigurationException(
          "a filter expression of " + text.length() + " characters; 1 to 10000 are allowed");
    }
    return text;
  }

  @Override
  public boolean matches(@Nullable String key, Map<String, byte[]> headers, Object data) {
    try {
      Object answer = condition.evaluate(new Fields(key, headers, data), value -> value);
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
  static String oneLine(Throwable e) {
    String text = String.valueOf(e.getMessage()).replaceAll("\\p{Cntrl}", " ");
    return text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + " …";
  }

  @Override
  public long failures() {
    return failures.sum();
  }

  @Override
  public String text() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof JexlExpression that && text.equals(that.text);
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
