package com.wookler.river.test;

import com.wookler.river.core.message.MessageConverter;

/** Says that a queue has defaults, and a converter by its type. */
final class DefaultSettings implements QueueSettings<Object> {
  @Override
  public MessageConverter<Object> converter() {
    throw new UnsupportedOperationException("chosen by the type of the parameter");
  }
}
