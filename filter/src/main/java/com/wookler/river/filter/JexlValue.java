package com.wookler.river.filter;

import com.wookler.river.core.subscriber.ValueExpression;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An expression of which the value counts, compiled by JEXL. */
final class JexlValue implements ValueExpression {
  private static final int STEPS_A_PART = 10;

  private final String text;
  private final JexlCondition expression;

  JexlValue(String text) {
    this.text = JexlExpression.checked(text);
    this.expression = JexlCondition.compile(text);
  }

  @Override
  public String text() {
    return text;
  }

  @Override
  public @Nullable Object value(@Nullable String key, Map<String, byte[]> headers, Object data) {
    try {
      return expression.evaluate(new Fields(key, headers, data), JexlValue::plain);
    } catch (RuntimeException | StackOverflowError e) { // of a text that nests deeply
      throw new IllegalArgumentException(JexlExpression.oneLine(e), e);
    }
  }

  /** Copies a value into what JSON has, and counts its parts; refuses anything else. */
  private static @Nullable Object plain(@Nullable Object value) {
    if (value == null || value instanceof Boolean || value instanceof Number) {
      return value;
    }
    if (value instanceof CharSequence characters) {
      Effort.current().spend(characters.length());
      return characters.toString();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((name, part) -> copy.put(String.valueOf(name), counted(part)));
      return copy;
    }
    if (value instanceof List<?> || value instanceof Set<?>) {
      List<@Nullable Object> copy = new ArrayList<>();
      ((Iterable<?>) value).forEach(part -> copy.add(counted(part)));
      return copy;
    }
    if (value.getClass().isArray()) {
      return plain(asList(value));
    }
    throw new IllegalArgumentException(
        "it gives " + value.getClass().getSimpleName() + ", which is no value");
  }

  private static @Nullable Object counted(@Nullable Object part) {
    Effort.current().spend(STEPS_A_PART);
    return plain(part);
  }

  private static List<@Nullable Object> asList(Object array) {
    List<@Nullable Object> parts = new ArrayList<>();
    for (int i = 0; i < Array.getLength(array); i++) {
      parts.add(Array.get(array, i));
    }
    return parts;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof JexlValue that && text.equals(that.text);
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
