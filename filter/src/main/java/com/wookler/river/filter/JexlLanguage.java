package com.wookler.river.filter;

import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.FilterLanguage;
import com.wookler.river.core.subscriber.ValueExpression;

/** Compiles filter expressions by JEXL; see {@link FilterExpression} for what they may say. */
public final class JexlLanguage implements FilterLanguage {
  @Override
  public FilterExpression compile(String text) {
    return new JexlExpression(text);
  }

  @Override
  public ValueExpression value(String text) {
    return new JexlValue(text);
  }
}
