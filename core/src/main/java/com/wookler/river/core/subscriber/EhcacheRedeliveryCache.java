package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.ConfigurationException;
import java.net.MalformedURLException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.ehcache.Cache;
import org.ehcache.CacheManager;
import org.ehcache.config.CacheConfiguration;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.ehcache.config.units.EntryUnit;
import org.ehcache.xml.XmlConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps messages that were delivered again, in case they are yet again, in a bounded Ehcache: the
 * user's own, or one small built-in for all queues of the JVM that have none. It may forget
 * anything at any time; the log stays the truth. Thread-safe.
 *
 * <p>Keys are {@code <queue UUID>/<opening>/<sequence>}. The opening is random: a cache that the
 * user keeps on disk may hold a message that the log lost with the power, and whose sequence
 * another one has now. What earlier openings left is never read again, and evicted in time. The
 * user's file must define one cache with key type {@code java.lang.String} and value type {@code
 * [B}. The built-in one is made when the first message is delivered again, keeps up to 1,024
 * messages of up to 16 KB on the heap, and ends with the last queue that used it.
 *
 * <p>Loaders, writers and synchronous listeners of the user's cache run inside a poll, under the
 * subscriber's lock: they hold up all consumers of the subscriber, and must not call the queue.
 */
public final class EhcacheRedeliveryCache implements AutoCloseable {
  private static final String ALIAS = "river";
  private static final long BUILT_IN_ENTRIES = 1_024;
  private static final int BUILT_IN_MESSAGE_BYTES = 16 << 10; // so that it holds 16 MB at most

  private static final Object SHARED_LOCK = new Object();

  @GuardedBy("SHARED_LOCK")
  private static @Nullable CacheManager shared;

  @GuardedBy("SHARED_LOCK")
  private static int sharedUsers;

  private final @Nullable Path file;
  private final UUID opening = UUID.randomUUID();

  @GuardedBy("this")
  private @Nullable CacheManager manager;

  @GuardedBy("this")
  private @Nullable Cache<String, byte[]> cache;

  @GuardedBy("this")
  private boolean closed;

  private EhcacheRedeliveryCache(@Nullable Path file) {
    this.file = file;
  }

  /** Returns a share in the built-in cache, made at the first use. */
  public static EhcacheRedeliveryCache builtIn() {
    return new EhcacheRedeliveryCache(null);
  }

  /** Returns the cache that an Ehcache 3 file defines; throws if it has none that fits. */
  public static EhcacheRedeliveryCache of(Path file) {
    EhcacheRedeliveryCache made = new EhcacheRedeliveryCache(file);
    made.open();
    return made;
  }

  private synchronized @Nullable Cache<String, byte[]> open() {
    if (cache == null && !closed) {
      if (file == null) {
        manager = joinShared();
        cache = manager.getCache(ALIAS, String.class, byte[].class);
      } else {
        openFile(file);
      }
    }
    return cache;
  }

  @GuardedBy("this")
  private void openFile(Path path) {
    if (!Files.isReadable(path)) {
      throw new ConfigurationException(
          "ehcache.config: there is no readable file " + path.toAbsolutePath());
    }
    try {
      XmlConfiguration xml = new XmlConfiguration(path.toUri().toURL());
      CacheManager made = CacheManagerBuilder.newCacheManager(xml);
      made.init();
      String alias = fitting(xml.getCacheConfigurations());
      if (alias == null) {
        made.close();
        throw new ConfigurationException(
            "ehcache.config: "
                + path
                + " defines no cache with key-type java.lang.String and value-type [B");
      }
      manager = made;
      cache = made.getCache(alias, String.class, byte[].class);
    } catch (MalformedURLException | RuntimeException e) {
      if (e instanceof ConfigurationException known) {
        throw known;
      }
      throw new ConfigurationException(
          "ehcache.config: cannot use " + path + ": " + e.getMessage(), e);
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

  private static CacheManager joinShared() {
    synchronized (SHARED_LOCK) {
      CacheManager joined = shared;
      if (joined == null) {
        joined =
            CacheManagerBuilder.newCacheManagerBuilder()
                .withCache(
                    ALIAS,
                    CacheConfigurationBuilder.newCacheConfigurationBuilder(
                        String.class,
                        byte[].class,
                        ResourcePoolsBuilder.newResourcePoolsBuilder()
                            .heap(BUILT_IN_ENTRIES, EntryUnit.ENTRIES)))
                .build(true);
        shared = joined;
      }
      sharedUsers++;
      return joined;
    }
  }

  private static void leaveShared() {
    synchronized (SHARED_LOCK) {
      if (--sharedUsers == 0 && shared != null) {
        shared.close();
        shared = null;
      }
    }
  }

  /** Returns the bytes put for this message, or null. */
  byte @Nullable [] get(UUID queue, long sequence) {
    Cache<String, byte[]> open = open();
    return open == null ? null : open.get(key(queue, sequence));
  }

  /** Offers the bytes of a message; they may be dropped. */
  void put(UUID queue, long sequence, byte[] message) {
    Cache<String, byte[]> open = open();
    if (open != null && (file != null || message.length <= BUILT_IN_MESSAGE_BYTES)) {
      open.put(key(queue, sequence), message);
    }
  }

  private String key(UUID queue, long sequence) {
    return queue + "/" + opening + "/" + sequence;
  }

  /** Ends the user's cache, or this share in the built-in one. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    CacheManager open = manager;
    manager = null;
    cache = null;
    if (open == null) {
      return;
    }
    if (file == null) {
      leaveShared();
    } else {
      open.close();
    }
  }
}
