package com.wookler.river.rest.server;

import com.wookler.river.core.message.MessageConverter;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Stores numbers as eight bytes, and shows them as JSON; negative ones it cannot show. What it is
 * to show it overwrites.
 */
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
    Arrays.fill(bytes, (byte) -1);
    if (reading == -4) {
      throw new NoClassDefFoundError("Reading");
    }
    if (reading == -3) {
      throw new StackOverflowError();
    }
    if (reading == -2) {
      throw new IllegalArgumentException("no reading: " + reading);
    }
    return reading == -1 ? "half a pair: \uD83D" : "{\"reading\":" + reading + "}";
  }
}
