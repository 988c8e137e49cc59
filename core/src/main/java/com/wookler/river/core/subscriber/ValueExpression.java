package com.wookler.river.core.subscriber;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Computes a value from a message by an expression in the language of {@link FilterExpression},
 * such as {@code {'customer': json.customer, 'total': json.price * json.count}}. Immutable and
 * thread-safe. Needs {@code com.wookler.river:river-filter} on the class path.
 */
public interface ValueExpression {
  /**
   * Compiles an expression of at most 10,000 characters.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException as {@link
   *     FilterExpression#parse}
   */
  static ValueExpression parse(String text) {
    return FilterLanguage.find().value(Objects.requireNonNull(text, "text"));
  }

  /** Returns the expression as it was given. */
  String text();

  /**
   * Returns the value for a message of these parts: null, a boolean, a number, a text, or lists and
   * maps of these.
   *
   * @param data bytes or a text: JSON
   * @throws IllegalArgumentException it has none, saying why in one short line
   */
  @Nullable Object value(@Nullable String key, Map<String, byte[]> headers, Object data);
}
