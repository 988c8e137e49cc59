package com.wookler.river.reactor.processors;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The data of messages as bytes, where the user has said nothing about it. */
final class MessageBytes {
  private MessageBytes() {}

  /** An array of bytes as it is, anything else as its text. */
  static byte[] of(Object data) {
    return data instanceof byte[] bytes ? bytes : data.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** The same with a line end. */
  static byte[] line(Object data) {
    byte[] bytes = of(data);
    byte[] line = Arrays.copyOf(bytes, bytes.length + 1);
    line[bytes.length] = '\n';
    return line;
  }
}
