package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.ShownText;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the data of the messages of an answer is written.
 *
 * @param preview bytes, and characters of a text, after which data is cut
 * @param text makes text of binary data; null if none is wanted
 * @param decoding makes text of data that is valid UTF-8, as the bytes of a binary schema may be;
 *     null if none is wanted, or there is no decoder
 * @param textBytes the size of all texts together after which there are no more
 */
record DataView(
    int preview, @Nullable TextMaker text, @Nullable TextMaker decoding, long textBytes) {
  /** All bytes, and only them: what consumers get. */
  static final DataView BYTES = new DataView(Integer.MAX_VALUE, null, null, 0);

  /** Makes text of a message's data. */
  interface TextMaker {
    ShownText of(Map<String, byte[]> headers, byte[] data);
  }

  /** Returns the view of those who look at messages of a queue. */
  static DataView of(HostedQueue<?> queue, int preview, long textBytes) {
    return new DataView(
        preview, queue::text, queue.hasDecoders() ? queue::decoded : null, textBytes);
  }
}
