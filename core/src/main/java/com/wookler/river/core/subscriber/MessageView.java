package com.wookler.river.core.subscriber;

import com.wookler.river.common.Micros;
import com.wookler.river.core.message.MessageConverter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One message as {@link Subscriber#consume} shows it to its handler: verified, and read-only. Valid
 * until the handler returns. One object shows all messages of a call, one after the other; once the
 * call has ended, every method throws {@link IllegalStateException}.
 *
 * <p>Not thread-safe: for the thread that runs the handler.
 */
public interface MessageView {
  /** See {@link Delivery#sequence}. */
  long sequence();

  /** See {@link Delivery#place}. */
  long place();

  /** See {@link Delivery#attempt}. */
  int attempt();

  /** See {@link Delivery#id}. */
  @Nullable String id();

  /** See {@link Delivery#previousFailure}. */
  @Nullable String previousFailure();

  /** Returns when it was published, in microseconds since 1970; makes no object. */
  long publishedMicros();

  /** See {@link Delivery#publishedAt}. */
  default Instant publishedAt() {
    return Micros.toInstant(publishedMicros());
  }

  /** Returns the message's key, or null; makes a text at each call. */
  @Nullable String key();

  /** Returns the value of a header, or null; not to be changed. */
  default byte @Nullable [] header(String name) {
    return headers().get(name);
  }

  /** See {@link Delivery#headers}. */
  Map<String, byte[]> headers();

  /** Returns how many bytes the data has. */
  int length();

  /**
   * Returns the data as it is stored, from the buffer's position up to its limit: use relative
   * reads, or count from its position. Read-only and big-endian, and the same buffer for many
   * messages. It is memory of the subscriber's own, never a mapped file: kept longer, it shows
   * later messages of the call, and is empty after the call; a duplicate of it may show later
   * messages of the subscriber.
   */
  ByteBuffer data();

  /** Copies the data into an array, from an index on. */
  void copyTo(byte[] to, int at);

  /** Returns the data as {@link MessageConverter#fromBuffer} reads it, at each call. */
  <M> M data(MessageConverter<M> converter);

  /**
   * Names this delivery, to acknowledge it later by {@link Subscriber#settle} if the handler
   * answers {@link Action#KEEP}. See {@link Delivery#receipt}.
   */
  String receipt();
}
