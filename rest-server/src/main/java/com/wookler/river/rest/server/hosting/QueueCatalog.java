package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues that a server offers: those that the application gives it, which stay the
 * application's, and those that requests make, which are there again when it is started again.
 * Thread-safe; making and removing blocks.
 */
public final class QueueCatalog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QueueCatalog.class);

  /** A repeated request has the same id as the first one. */
  public static final Duration DEDUPLICATE = Duration.ofMinutes(10);

  /** A publish does not hold a request for longer. */
  public static final Duration LONGEST_BLOCK = Duration.ofSeconds(30);

  private final Path directory;
  private final @Nullable Path backups;
  private final SettingsFiles files;
  private final ConcurrentSkipListMap<String, HostedQueue<?>> queues =
      new ConcurrentSkipListMap<>(String.CASE_INSENSITIVE_ORDER);
  private final ReentrantLock changing = new ReentrantLock();

  @GuardedBy("changing")
  private boolean closed;

  /**
   * Opens those that requests have made before.
   *
   * @param directory base of the queues that are made here
   * @param backups base of their backups; null: none can have one
   */
  public QueueCatalog(Path directory, @Nullable Path backups) {
    this.directory = directory;
    this.backups = backups;
    this.files = new SettingsFiles(directory);
    try {
      files.all().forEach((name, settings) -> queues.put(name, reopen(name, settings)));
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /** A queue of the application; it closes it itself, after the server. */
  public <M> void add(MessageQueue<M> queue, MessageConverter<M> converter) {
    if (queues.putIfAbsent(queue.name(), new HostedQueue<>(queue, converter, null)) != null) {
      throw new RiverException("the server has a queue '" + queue.name() + "' already");
    }
  }

  private HostedQueue<byte[]> reopen(String name, Settings settings) {
    try {
      return open(name, settings);
    } catch (RequestException e) {
      throw new RiverException(
          "queue %s in %s cannot have the settings that it has: %s %s"
              .formatted(name, directory, e.field(), e.detail()),
          e);
    }
  }

  private HostedQueue<byte[]> open(String name, Settings settings) {
    MessageConverter<byte[]> bytes = MessageConverter.bytes();
    MessageQueue.Builder<byte[]> builder =
        MessageQueue.builder(name, bytes).settings(complete(settings)).directory(directory);
    if (settings.isGiven(QueueOptions.BACKUP_RETENTION)) {
      if (backups == null) {
        throw RequestException.field(
            "backup", "this server keeps no backups: it has no server.backup.directory");
      }
      builder.set(QueueOptions.BACKUP_DIRECTORY, backups);
    }
    return new HostedQueue<>(RequestException.checked("body", builder::open), bytes, settings);
  }

  /** The settings with the server's own defaults and bounds. */
  private static Settings complete(Settings settings) {
    if (settings.get(QueueOptions.FULL_TIMEOUT).compareTo(LONGEST_BLOCK) > 0) {
      throw RequestException.field("whenFull.timeout", "is more than " + Text.of(LONGEST_BLOCK));
    }
    return settings.isGiven(QueueOptions.DEDUPLICATE)
        ? settings
        : settings.with(QueueOptions.DEDUPLICATE, DEDUPLICATE);
  }

  /** All, by name. */
  public List<HostedQueue<?>> all() {
    return new ArrayList<>(queues.values());
  }

  /** The queue of this name, or null. Names differ by more than case. */
  public @Nullable HostedQueue<?> find(String name) {
    HostedQueue<?> found = queues.get(name);
    return found == null || !found.queue().name().equals(name) ? null : found;
  }

  /**
   * A queue, and whether it was made just now.
   *
   * @param made now
   */
  public record Made(HostedQueue<?> queue, boolean made) {}

  /** The queue with these settings, made if need be; blocks. */
  public Made make(String name, Settings settings) {
    changing.lock();
    try {
      ensureOpen();
      HostedQueue<?> there = queues.get(name);
      if (there != null) {
        check(name, settings, there);
        return new Made(there, false);
      }
      HostedQueue<byte[]> opened = open(name, settings);
      try {
        files.write(name, settings); // a queue without it is not there after a restart
      } catch (RuntimeException e) {
        close(opened.queue()); // and not removed: its directory may be older than this request
        throw e;
      }
      queues.put(name, opened);
      LOG.info("Queue {} was made by a request: {}", name, SettingsJson.QUEUE.given(settings));
      return new Made(opened, true);
    } finally {
      changing.unlock();
    }
  }

  private static void check(String name, Settings settings, HostedQueue<?> there) {
    String known = there.queue().name();
    if (!known.equals(name)) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT,
          "there is a queue '" + known + "', the same name but for case");
    }
    Settings has = there.settings();
    if (has == null) {
      throw configuredByTheServer(name);
    }
    if (!complete(settings).equals(complete(has))) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT, "queue " + name + " has other settings");
    }
  }

  /**
   * Changes what is given of the settings of a queue that a request has made; blocks.
   *
   * @throws RequestException an option cannot change while the queue runs
   */
  public void change(HostedQueue<?> queue, Settings asked) {
    changing.lock();
    try {
      ensureOpen();
      String name = queue.queue().name();
      Settings before = queue.settings();
      if (before == null) {
        throw configuredByTheServer(name);
      }
      Settings after = before.withGiven(asked);
      boolean keepsBackups = before.isGiven(QueueOptions.BACKUP_RETENTION);
      if (after.isGiven(QueueOptions.BACKUP_RETENTION) != keepsBackups) {
        throw RequestException.of(
            RequestException.Reason.CONFLICT, "queue " + name + " was made without a backup");
      }
      change(queue, before, after);
      try {
        files.write(name, after);
      } catch (RuntimeException e) {
        change(queue, after, before);
        throw e;
      }
      LOG.info("Queue {} was changed by a request: {}", name, SettingsJson.QUEUE.given(asked));
    } finally {
      changing.unlock();
    }
  }

  private static void change(HostedQueue<?> queue, Settings before, Settings after) {
    Settings from = complete(before);
    Settings to = complete(after);
    HostedQueue.conflicting(() -> queue.queue().reconfigure(changes -> changes.set(from, to)));
    queue.settings(after);
  }

  private static RequestException configuredByTheServer(String name) {
    return RequestException.of(
        RequestException.Reason.CONFLICT,
        "queue " + name + " is configured by the server's own settings");
  }

  /** Removes a queue that a request has made; blocks. */
  public void delete(HostedQueue<?> queue, boolean force) {
    changing.lock();
    try {
      ensureOpen();
      String name = queue.queue().name();
      if (queue.settings() == null) {
        throw configuredByTheServer(name);
      }
      if (!force && !isDrained(queue.queue())) {
        throw RequestException.of(
            RequestException.Reason.CONFLICT,
            "queue " + name + " has messages that are not finished; force=true removes them too");
      }
      if (queues.remove(name, queue)) {
        queue.remove();
        queue.queue().delete(); // before its settings: what a kill leaves of it is found again
        files.delete(name);
        LOG.info("Queue {} was removed by a request", name);
      }
    } finally {
      changing.unlock();
    }
  }

  private static boolean isDrained(MessageQueue<?> queue) {
    List<String> subscribers = queue.subscriberNames();
    if (queue.stats().delayed() > 0) {
      return false;
    }
    return subscribers.isEmpty()
        ? queue.stats().messages() == 0
        : subscribers.stream().allMatch(name -> queue.subscriber(name).stats().lag() == 0);
  }

  @GuardedBy("changing")
  private void ensureOpen() {
    if (closed) {
      throw RequestException.later(
          RequestException.Reason.UNAVAILABLE, "the server is stopping", 5);
    }
  }

  /** Closes those that it has made. */
  @Override
  public void close() {
    changing.lock();
    try {
      closed = true;
      for (HostedQueue<?> queue : queues.values()) {
        if (queue.settings() != null) {
          close(queue.queue());
        }
      }
    } finally {
      changing.unlock();
    }
  }

  private static void close(MessageQueue<?> queue) {
    try {
      queue.close();
    } catch (RuntimeException e) {
      LOG.error("Queue {} does not close well", queue.name(), e);
    }
  }
}
