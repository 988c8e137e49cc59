package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.HostedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How the data of messages is written.
 *
 * @param preview bytes after which data is cut
 * @param text makes text of data that is none; returns null where only the bytes are known
 */
record DataView(int preview, Function<byte[], @Nullable String> text) {
  /** All bytes, and only them: what consumers get. */
  static final DataView BYTES = new DataView(Integer.MAX_VALUE, bytes -> null);

  /** Returns the view of those who look at messages of a queue. */
  static DataView of(HostedQueue<?> queue, int preview) {
    return new DataView(preview, queue::text);
  }
}
