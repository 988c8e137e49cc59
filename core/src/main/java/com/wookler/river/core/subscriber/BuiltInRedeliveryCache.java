package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A share in the cache of all queues of the JVM that have none of their own: up to 1,024 messages
 * of up to 16 KB on the heap, of which the one that was used least recently leaves first. It ends
 * with the last share that used it.
 */
final class BuiltInRedeliveryCache implements RedeliveryCache {
  private static final int ENTRIES = 1_024;
  private static final int MESSAGE_BYTES = 16 << 10; // so that it holds 16 MB at most
  private static final Object LOCK = new Object();

  @GuardedBy("LOCK")
  private static @Nullable Map<Key, byte[]> shared;

  @GuardedBy("LOCK")
  private static int users;

  private final UUID opening = UUID.randomUUID();

  @GuardedBy("LOCK")
  private boolean joined;

  @GuardedBy("LOCK")
  private boolean closed;

  private record Key(UUID queue, UUID opening, long sequence) {}

  private static final class Recent extends LinkedHashMap<Key, byte[]> {
    private static final long serialVersionUID = 1L;

    Recent() {
      super(ENTRIES, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Key, byte[]> eldest) {
      return size() > ENTRIES;
    }
  }

  @Override
  public byte @Nullable [] get(UUID queue, long sequence) {
    synchronized (LOCK) {
      return shared == null || !joined ? null : shared.get(new Key(queue, opening, sequence));
    }
  }

  @Override
  public void put(UUID queue, long sequence, byte[] message) {
    if (message.length > MESSAGE_BYTES) {
      return;
    }
    synchronized (LOCK) {
      if (closed) {
        return;
      }
      Map<Key, byte[]> all = shared;
      if (all == null) {
        all = new Recent();
        shared = all;
      }
      if (!joined) {
        joined = true;
        users++;
      }
      all.put(new Key(queue, opening, sequence), message);
    }
  }

  @Override
  public void close() {
    synchronized (LOCK) {
      closed = true;
      if (joined) {
        joined = false;
        users--;
      }
      if (users == 0) {
        shared = null;
      }
    }
  }
}
