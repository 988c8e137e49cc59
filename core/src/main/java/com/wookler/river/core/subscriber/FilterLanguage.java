package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.ServiceLoader;

/**
 * Compiles filter expressions. Found by {@link java.util.ServiceLoader}; the module river-filter
 * has one.
 */
public interface FilterLanguage {
  /**
   * Returns the language that is on the class path.
   *
   * @throws ConfigurationException there is none
   */
  static FilterLanguage find() {
    return ServiceLoader.load(FilterLanguage.class)
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "filter expressions need com.wookler.river:river-filter, which is not on the"
                        + " class path"));
  }

  /**
   * Compiles an expression.
   *
   * @throws ConfigurationException naming the column, from 1, and what is wrong there
   */
  FilterExpression compile(String text);

  /**
   * Compiles an expression of which the value counts.
   *
   * @throws ConfigurationException as {@link #compile}
   */
  ValueExpression value(String text);
}
