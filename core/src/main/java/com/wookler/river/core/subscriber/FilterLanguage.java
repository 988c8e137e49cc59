package com.wookler.river.core.subscriber;

/** Compiles filter expressions; {@link java.util.ServiceLoader} finds the one of river-filter. */
public interface FilterLanguage {
  /**
   * Compiles an expression.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException naming the column, from 1, and
   *     what is wrong there
   */
  FilterExpression compile(String text);
}
