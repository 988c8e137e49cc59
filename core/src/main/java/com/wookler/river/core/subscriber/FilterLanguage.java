package com.wookler.river.core.subscriber;

/**
 * Compiles filter expressions. Found by {@link java.util.ServiceLoader}; the module river-filter
 * has one.
 */
public interface FilterLanguage {
  /**
   * Compiles an expression.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException naming the column, from 1, and
   *     what is wrong there
   */
  FilterExpression compile(String text);
}
