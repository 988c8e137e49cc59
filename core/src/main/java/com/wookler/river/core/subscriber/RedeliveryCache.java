package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.ConfigurationException;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps messages that were delivered again, in case they are yet again: in the user's Ehcache, or
 * in a small one for all queues of the JVM that have none. It may forget anything at any time; the
 * log stays the truth. Thread-safe.
 *
 * <p>What an earlier opening of a queue has put is never read: the log may have lost it with the
 * power, and given its sequence to another message.
 */
public interface RedeliveryCache extends AutoCloseable {
  /** Returns the bytes put for this message, or null. */
  byte @Nullable [] get(UUID queue, long sequence);

  /** Offers the bytes of a message; they may be dropped. */
  void put(UUID queue, long sequence, byte[] message);

  /** Ends the user's cache, or this share in the built-in one. Idempotent. */
  @Override
  void close();

  /** Returns a share in the built-in cache, which is made at the first use. */
  static RedeliveryCache builtIn() {
    return new BuiltInRedeliveryCache();
  }

  /**
   * Returns the cache that an Ehcache 3 file defines.
   *
   * @throws ConfigurationException it defines none that fits, or Ehcache is not on the class path
   */
  static RedeliveryCache of(Path file) {
    try {
      return new EhcacheRedeliveryCache(file);
    } catch (NoClassDefFoundError e) {
      throw new ConfigurationException(
          "ehcache.config: "
              + file
              + " needs Ehcache, which is not on the class path ("
              + e.getMessage()
              + " is missing); add org.ehcache:ehcache with the classifier jakarta,"
              + " javax.cache:cache-api and org.glassfish.jaxb:jaxb-runtime, or leave"
              + " ehcache.config out: there is a cache without it",
          e);
    }
  }
}
