package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
 * text. Needs {@code com.wookler.river:river-filter} on the class path.
 */
public interface FilterExpression extends Predicate<Message<?>> {
  /**
   * Compiles an expression of at most 10,000 characters; a number, a text or a key alone is none.
   *
   * @throws ConfigurationException naming the column, from 1, and what is wrong there; or
   *     river-filter is not on the class path
   */
  static FilterExpression parse(String text) {
    return FilterLanguage.find().compile(Objects.requireNonNull(text, "text"));
  }

  /** Returns the expression as it was given. */
  String text();

  /**
   * Returns whether a message of these parts matches; never throws.
   *
   * @param data bytes or a text: JSON; anything else has the fields that Jackson would write
   */
  boolean matches(@Nullable String key, Map<String, byte[]> headers, Object data);

  /** Returns how many messages did not match because the expression failed over them. */
  long failures();

  /** Returns whether the message matches; never throws. */
  @Override
  default boolean test(Message<?> message) {
    return matches(message.key(), message.headers(), message.data());
  }

  /**
   * Returns whether the message of a delivery matches; never throws. Its bytes are read as they are
   * stored, where it has them: the converter has nothing to do for what does not match.
   */
  default boolean matches(Delivery<?> delivery) {
    byte[] bytes = delivery.bytes();
    return matches(delivery.key(), delivery.headers(), bytes == null ? delivery.data() : bytes);
  }
}
