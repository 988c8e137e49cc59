package com.wookler.river.core;

import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.RetryBackoff;
import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.keys.KeyIndex;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the last message with a key, of a queue with {@code queue.index.keys}, and keeps the index
 * up to date in the background, on a serial executor of its own. Thread-safe.
 */
final class LatestByKey implements ManagedTask, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LatestByKey.class);
  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final Duration QUIET = Duration.ofHours(1); // a stepped clock looks again
  private static final int STEPS = 16; // then other queues have their turn

  private final String queue;
  private final LoggedKeys source;
  private final LoggedKeys tail; // for conditions, under the append lock: the index uses it never
  private final KeyIndex index;
  private final KeySearch search;
  private final WorkerPool.Serial worker;
  private final TimeSource time;
  private final SharedTaskManager tasks;
  private final AtomicBoolean working = new AtomicBoolean();
  private volatile boolean stopped;
  private volatile boolean merges = true; // whether there may be something to merge
  private final RetryBackoff retry; // confined to the serial executor, but for isTime

  private LatestByKey(
      QueueConfig<?> config,
      DataDirectory directory,
      LoggedKeys source,
      LoggedKeys tail,
      Lookup lookup,
      WorkerPool.Serial worker) {
    this.queue = config.name();
    this.time = config.time();
    this.source = source;
    this.tail = tail;
    this.search = new KeySearch(source, lookup);
    this.worker = worker;
    this.retry = new RetryBackoff(time);
    this.index = KeyIndex.open(directory.keys(), queue, directory.identity(), source);
    this.tasks = SharedTaskManager.acquire(time);
    tasks.manager().add(this);
  }

  /** Opens the index, and begins to follow the log on a serial executor for this alone. */
  static LatestByKey open(
      QueueConfig<?> config,
      DataDirectory directory,
      BlockLog log,
      @Nullable Backup backup,
      Lookup lookup,
      WorkerPool.Serial worker) {
    LoggedKeys source = new LoggedKeys(config.name(), log, backup);
    LoggedKeys tail = new LoggedKeys(config.name(), log, backup);
    try {
      return new LatestByKey(config, directory, source, tail, lookup, worker);
    } catch (Throwable e) {
      FirstFailure.closeAfter(e, source);
      FirstFailure.closeAfter(e, tail);
      throw e;
    }
  }

  /** Returns the index that a queue has, and fails if it has none. */
  static LatestByKey of(@Nullable LatestByKey keys, String queue) {
    if (keys == null) {
      throw new ConfigurationException(
          "queue " + queue + " has no index of keys: set queue.index.keys, or keyIndex(true)");
    }
    return keys;
  }

  /** Returns the last message with this key, of those published before the call. */
  Optional<StoredMessage> latest(String key) {
    return search.latest(key, find(key));
  }

  /** Returns the first messages with this key from a sequence on that are wanted. */
  List<StoredMessage> read(String key, long from, int max, Predicate<StoredMessage> wanted) {
    return search.read(key, from, find(key), max, wanted);
  }

  private long find(String key) {
    try {
      return index.find(key);
    } catch (IllegalStateException e) {
      throw new QueueClosedException("queue " + queue + " is closed", e);
    }
  }

  /**
   * Returns the condition that the last message with this key is this one, or that it has none that
   * {@code isThere}.
   */
  KeyCondition expects(String key, long expected, Predicate<StoredMessage> isThere) {
    long end = source.end();
    Optional<StoredMessage> found = latest(key);
    if (expected == KeyCondition.NONE) {
      found = found.filter(isThere);
    }
    long last = found.map(StoredMessage::sequence).orElse(KeyCondition.NONE);
    KeyCondition condition = new KeyCondition(queue, key, expected, tail, last, end);
    condition.follow(source.end()); // so that there is little to read under the append lock
    return condition;
  }

  /**
   * Returns the last message with this key after a sequence; null if there is none. It costs a read
   * only where the index has one.
   */
  @Nullable StoredMessage lastAfter(String key, long sequence) {
    long found = index.find(key);
    return found <= sequence ? null : search.latest(key, found).orElse(null);
  }

  @Override
  public String name() {
    return "KEYS-" + queue;
  }

  @Override
  public Duration interval() {
    return INTERVAL;
  }

  @Override
  public Duration quiet() {
    return merges || index.isBehind() ? INTERVAL : QUIET;
  }

  @Override
  public boolean step() {
    if ((merges || index.isBehind()) && retry.isTime() && working.compareAndSet(false, true)) {
      worker.execute(this::work);
    }
    return false;
  }

  private void work() {
    boolean more = false;
    try {
      more = indexSome() && !stopped;
      retry.succeeded();
    } catch (RuntimeException | Error e) {
      LOG.warn(
          "Queue {}: its index of keys stays behind; next try in {} s", queue, retry.failed(), e);
    } finally {
      working.set(more);
    }
    if (more) {
      worker.execute(this::work);
    }
  }

  private boolean indexSome() {
    for (int i = 0; i < STEPS; i++) {
      if (stopped) {
        return false;
      }
      if (!index.index()) {
        return merge();
      }
    }
    merge();
    return true;
  }

  private boolean merge() {
    merges = false; // before: a block that leaves meanwhile says that there is more
    boolean more = true;
    try {
      more = index.merge();
    } finally {
      if (more) {
        merges = true;
      }
    }
    return more;
  }

  void leave(int block) {
    source.leave(block);
    tail.leave(block);
    merges = true; // its entries in the index can be dropped
  }

  @Override
  public void close() {
    stopped = true;
    tasks.manager().remove(this);
    tasks.close();
    worker.drain();
    try {
      index.close();
    } finally {
      source.close();
      tail.close();
    }
  }
}
