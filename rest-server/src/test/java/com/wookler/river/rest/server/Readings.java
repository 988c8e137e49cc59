package com.wookler.river.rest.server;

import com.wookler.river.core.message.MessageConverter;
import java.nio.ByteBuffer;

/** Stores numbers as eight bytes, and shows them as JSON; negative ones it cannot show. */
public final class Readings implements MessageConverter<Long> {
  @Override
  public byte[] toBytes(Long data) {
    return ByteBuffer.allocate(Long.BYTES).putLong(data).array();
  }

  @Override
  public Long fromBytes(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }

  @Override
  public String toText(byte[] bytes) {
    long reading = fromBytes(bytes);
    if (reading < -1) {
      throw new IllegalArgumentException("no reading: " + reading);
    }
    return reading == -1 ? "half a pair: \uD83D" : "{\"reading\":" + reading + "}";
  }
}
