package com.wookler.river.core.subscriber;

import com.wookler.river.core.filter.FilterExpression;
import java.util.function.Predicate;

/**
 * A filter expression over deliveries. It reads the bytes as they are stored, where there are any:
 * the converter has nothing to do for what it refuses. Thread-safe; never throws.
 *
 * @param expression over each delivery
 * @param <M> type of the data
 */
public record DeliveryFilter<M>(FilterExpression expression) implements Predicate<Delivery<M>> {
  /**
   * Returns the filter of an expression.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException see {@link
   *     FilterExpression#parse}
   */
  public static <M> DeliveryFilter<M> of(String expression) {
    return new DeliveryFilter<>(FilterExpression.parse(expression));
  }

  @Override
  public boolean test(Delivery<M> delivery) {
    byte[] bytes = delivery.bytes();
    return expression.matches(
        delivery.key(), delivery.headers(), bytes == null ? delivery.data() : bytes);
  }
}
