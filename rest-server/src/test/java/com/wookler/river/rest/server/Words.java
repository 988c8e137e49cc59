package com.wookler.river.rest.server;

import com.wookler.river.core.message.MessageConverter;
import java.nio.charset.StandardCharsets;

/** Takes single words. */
public final class Words implements MessageConverter<String> {
  @Override
  public byte[] toBytes(String data) {
    return data.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String fromBytes(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (text.indexOf(' ') >= 0) {
      throw new IllegalArgumentException("more than one word");
    }
    return text;
  }
}
