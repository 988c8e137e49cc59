package com.wookler.river.rest.server.decoder;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes text of data that people cannot read, such as Protocol Buffers, for queues whose converter
 * does not: those that requests create have none. The server finds decoders by {@link
 * java.util.ServiceLoader} when it starts, and adds the text to messages that are looked at, never
 * to deliveries. What all who may read the queue must not see, a decoder must not return.
 *
 * <p>Must be thread-safe: it is called by the threads that answer requests, with no lock held. It
 * must not wait for long, because there are few of them.
 */
public interface MessageDecoder {
  /**
   * Returns the data as people are to see it, best as JSON, which the console indents; null if this
   * decoder does not know such data, so that the next one is asked. The text is cut after 1,048,576
   * characters. An exception is shown beside the data as {@code textError}, with its message.
   *
   * @param queue the queue's name
   * @param contentType the {@code Content-Type} that the message was published with; null if there
   *     was none
   * @param headers all headers of the message; neither the map nor its values may be changed
   * @param data a copy, which may be changed
   */
  @Nullable String decode(
      String queue, @Nullable String contentType, Map<String, byte[]> headers, byte[] data);
}
