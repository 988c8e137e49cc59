package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.ConfigurationException;
import java.net.MalformedURLException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.ehcache.Cache;
import org.ehcache.CacheManager;
import org.ehcache.config.CacheConfiguration;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.xml.XmlConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * The user's own cache, which an Ehcache 3 file defines: the first with key type {@code
 * java.lang.String} and value type {@code [B}. The only class that sees Ehcache, which need not be
 * on the class path for others.
 *
 * <p>Keys are {@code <queue UUID>/<opening>/<sequence>}. The opening is random: a cache that is
 * kept on disk may hold what an earlier one left, which is never read again, and evicted in time.
 *
 * <p>Loaders, writers and synchronous listeners of the cache run inside a poll, under the
 * subscriber's lock: they hold up all consumers of the subscriber, and must not call the queue.
 */
final class EhcacheRedeliveryCache implements RedeliveryCache {
  private final UUID opening = UUID.randomUUID();

  @GuardedBy("this")
  private @Nullable CacheManager manager;

  private final Cache<String, byte[]> cache;

  /** Opens the cache of a file; throws if it has none that fits. */
  EhcacheRedeliveryCache(Path file) {
    try {
      XmlConfiguration xml = new XmlConfiguration(file.toUri().toURL());
      CacheManager made = CacheManagerBuilder.newCacheManager(xml);
      made.init();
      String alias = fitting(xml.getCacheConfigurations());
      if (alias == null) {
        made.close();
        throw new ConfigurationException(
            "ehcache.config: "
                + file
                + " defines no cache with key-type java.lang.String and value-type [B");
      }
      manager = made;
      cache = made.getCache(alias, String.class, byte[].class);
    } catch (ConfigurationException e) {
      throw e;
    } catch (MalformedURLException | RuntimeException e) {
      throw new ConfigurationException(
          "ehcache.config: cannot use " + file + ": " + e.getMessage(), e);
    }
  }

  private static @Nullable String fitting(Map<String, CacheConfiguration<?, ?>> configurations) {
    for (Map.Entry<String, CacheConfiguration<?, ?>> entry : configurations.entrySet()) {
      if (entry.getValue().getKeyType() == String.class
          && entry.getValue().getValueType() == byte[].class) {
        return entry.getKey();
      }
    }
    return null;
  }

  private synchronized boolean isOpen() {
    return manager != null;
  }

  @Override
  public byte @Nullable [] get(UUID queue, long sequence) {
    return isOpen() ? cache.get(key(queue, sequence)) : null;
  }

  @Override
  public void put(UUID queue, long sequence, byte[] message) {
    if (isOpen()) {
      cache.put(key(queue, sequence), message);
    }
  }

  private String key(UUID queue, long sequence) {
    return queue + "/" + opening + "/" + sequence;
  }

  @Override
  public synchronized void close() {
    CacheManager open = manager;
    manager = null;
    if (open != null) {
      open.close();
    }
  }
}
