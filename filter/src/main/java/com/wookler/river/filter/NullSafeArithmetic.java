package com.wookler.river.filter;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.commons.jexl3.JexlArithmetic;
import org.apache.commons.jexl3.JexlOperator;
import org.jspecify.annotations.Nullable;

/**
 * JEXL's operators, except for missing values: these equal null only, are not less or more than
 * anything, not even another missing value, and what is computed with them is missing too. Work
 * that can take long is counted by {@link Effort}.
 */
final class NullSafeArithmetic extends JexlArithmetic {
  private static final int STEPS_A_PART = 10;

  NullSafeArithmetic() {
    super(true);
  }

  /** Returns false, because JEXL would refuse missing values otherwise. */
  @Override
  public boolean isStrict(JexlOperator operator) {
    return false;
  }

  @Override
  protected JexlArithmetic createWithOptions(boolean strict, MathContext context, int scale) {
    return this;
  }

  @Override
  public @Nullable Object add(@Nullable Object left, @Nullable Object right) {
    if (left == null || right == null) {
      return null;
    }
    Object sum = super.add(left, right);
    if (sum instanceof String text) {
      Effort.current().spend(text.length());
    }
    return sum;
  }

  @Override
  public @Nullable Object subtract(@Nullable Object left, @Nullable Object right) {
    return left == null || right == null ? null : super.subtract(left, right);
  }

  @Override
  public @Nullable Object multiply(@Nullable Object left, @Nullable Object right) {
    return left == null || right == null ? null : super.multiply(left, right);
  }

  @Override
  public @Nullable Object divide(@Nullable Object left, @Nullable Object right) {
    return left == null || right == null ? null : super.divide(left, right);
  }

  @Override
  public @Nullable Object mod(@Nullable Object left, @Nullable Object right) {
    return left == null || right == null ? null : super.mod(left, right);
  }

  @Override
  public @Nullable Object negate(@Nullable Object value) {
    return value == null ? null : super.negate(value);
  }

  @Override
  public @Nullable Object positivize(@Nullable Object value) {
    return value == null ? null : super.positivize(value);
  }

  @Override
  public boolean lessThan(@Nullable Object left, @Nullable Object right) {
    return areThere(left, right) && super.lessThan(left, right);
  }

  @Override
  public boolean lessThanOrEqual(@Nullable Object left, @Nullable Object right) {
    return areThere(left, right) && super.lessThanOrEqual(left, right);
  }

  @Override
  public boolean greaterThan(@Nullable Object left, @Nullable Object right) {
    return areThere(left, right) && super.greaterThan(left, right);
  }

  @Override
  public boolean greaterThanOrEqual(@Nullable Object left, @Nullable Object right) {
    return areThere(left, right) && super.greaterThanOrEqual(left, right);
  }

  @Override
  public Boolean startsWith(@Nullable Object left, @Nullable Object right) {
    return areThere(left, right) && Boolean.TRUE.equals(super.startsWith(left, right));
  }

  @Override
  public Boolean endsWith(@Nullable Object left, @Nullable Object right) {
    return areThere(left, right) && Boolean.TRUE.equals(super.endsWith(left, right));
  }

  @Override
  public boolean equals(@Nullable Object left, @Nullable Object right) {
    return areThere(left, right) ? super.equals(left, right) : left == right;
  }

  /** Returns whether neither is missing; counts their parts, which the caller reads. */
  private static boolean areThere(@Nullable Object left, @Nullable Object right) {
    if (left == null || right == null) {
      return false;
    }
    weigh(left);
    weigh(right);
    return true;
  }

  /** Counts steps for each part of lists and objects. */
  private static void weigh(@Nullable Object value) {
    if (value instanceof List<?> list) {
      Effort.current().spend((long) STEPS_A_PART * list.size());
      list.forEach(NullSafeArithmetic::weigh);
    } else if (value instanceof Map<?, ?> map) {
      Effort.current().spend((long) STEPS_A_PART * map.size());
      map.values().forEach(NullSafeArithmetic::weigh);
    }
  }

  /** Returns false for a missing value, as a condition of that value alone is. */
  @Override
  public boolean toBoolean(@Nullable Object value) {
    return value != null && super.toBoolean(value);
  }

  /** Uses this class's equality, so that [1.0] contains 1. */
  @Override
  public Boolean contains(@Nullable Object container, @Nullable Object value) {
    if (container == null || value == null || !areThere(container, value)) {
      return false;
    }
    if (container instanceof List || container instanceof Set) {
      return ((Collection<?>) container).stream().anyMatch(element -> equals(element, value));
    }
    if (container instanceof Collection<?> range) {
      return isInRange(range, value);
    }
    if (container instanceof Pattern pattern) {
      return matches(pattern.pattern(), value);
    }
    if (container instanceof String text) {
      return matches(text, value);
    }
    if (container.getClass().isArray()) {
      for (int i = 0; i < Array.getLength(container); i++) {
        if (equals(Array.get(container, i), value)) {
          return true;
        }
      }
      return false;
    }
    return Boolean.TRUE.equals(super.contains(container, value));
  }

  /** Returns whether a range contains a value, without iterating, which could take for ever. */
  private boolean isInRange(Collection<?> range, Object value) {
    long number = toLong(value);
    boolean isOfInts = range.iterator().next() instanceof Integer;
    return equals(number, value) && (!isOfInts || number == (int) number) && range.contains(number);
  }

  private static boolean matches(String pattern, Object value) {
    return Effort.current().patterns().matches(pattern, value.toString());
  }

  @Override
  protected BigInteger toBigInteger(boolean strict, Object value) {
    Effort.number(value);
    return super.toBigInteger(strict, value);
  }

  @Override
  protected BigDecimal toBigDecimal(boolean strict, Object value) {
    Effort.number(value);
    return super.toBigDecimal(strict, value);
  }
}
