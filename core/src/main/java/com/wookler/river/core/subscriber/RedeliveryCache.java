package com.wookler.river.core.subscriber;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps messages that were delivered again, in case they are yet again; the log stays the truth.
 *
 * <p>Thread-safe. May forget anything at any time.
 */
public interface RedeliveryCache {
  /** Returns the bytes put for this message, or null. */
  byte @Nullable [] get(UUID queue, long sequence);

  /** Offers the bytes of a message; they may be dropped. */
  void put(UUID queue, long sequence, byte[] message);
}
