package com.wookler.river.examples.utils;

import com.wookler.river.core.message.MessageConverter;

/**
 * Converts strings to UTF-8. Used as {@code queue.message.converter} in the examples'
 * configuration.
 */
public final class StringMessageConverter implements MessageConverter<String> {
  private final MessageConverter<String> utf8 = MessageConverter.utf8();

  @Override
  public byte[] toBytes(String data) {
    return utf8.toBytes(data);
  }

  @Override
  public String fromBytes(byte[] bytes) {
    return utf8.fromBytes(bytes);
  }
}
