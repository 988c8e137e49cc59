package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.HostedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How the data of the messages of an answer is written.
 *
 * @param preview bytes, and characters of a text, after which data is cut
 * @param text makes text of data that is none, and returns null where only the bytes are known;
 *     null if none is wanted
 * @param textBytes the size of all texts together after which there are no more
 */
record DataView(int preview, @Nullable Function<byte[], @Nullable String> text, long textBytes) {
  /** All bytes, and only them: what consumers get. */
  static final DataView BYTES = new DataView(Integer.MAX_VALUE, null, 0);

  /** Returns the view of those who look at messages of a queue. */
  static DataView of(HostedQueue<?> queue, int preview, long textBytes) {
    return new DataView(preview, queue::text, textBytes);
  }
}
