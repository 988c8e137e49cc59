package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.common.utils.ParallelWork;
import com.wookler.river.core.Defaults;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueListener;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.ReloadResult;
import com.wookler.river.core.River;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the queues that a server serves: those of the application, which the application owns, and
 * those that requests create, which are reopened when the server restarts. Thread-safe; creating
 * and deleting queues blocks.
 */
public final class QueueCatalog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QueueCatalog.class);
  private static final String QUEUE_FILE = "queue.json";

  /** The default deduplication window of queues that requests create. */
  public static final Duration DEDUPLICATE = Duration.ofMinutes(10);

  /** The longest time that a publish waits for capacity. */
  public static final Duration MAX_BLOCK = Duration.ofSeconds(30);

  private final Path directory;
  private final @Nullable Path backups;
  private final SnapshotDirectory snapshots;
  private final SettingsFiles files;
  private final ConcurrentSkipListMap<String, HostedQueue<?>> queues =
      new ConcurrentSkipListMap<>(String.CASE_INSENSITIVE_ORDER);
  private final Defaults defaults;
  private final MessageDecoders decoders = MessageDecoders.find();
  private final ReentrantLock changing = new ReentrantLock();

  @GuardedBy("changing")
  private @Nullable River river;

  @GuardedBy("changing")
  private Supplier<List<String>> otherSettings = List::of;

  @GuardedBy("changing")
  private boolean closed;

  /**
   * Creates a catalog and reopens the queues that requests created before.
   *
   * @param directory base directory of the queues that requests create
   * @param backups base directory of their backups; null: they cannot have backups
   * @param snapshots where requests may make snapshots of queues
   * @param defaults of them and of their subscribers
   */
  public QueueCatalog(
      Path directory, @Nullable Path backups, SnapshotDirectory snapshots, Defaults defaults) {
    this.defaults = defaults;
    this.directory = directory;
    this.backups = backups;
    this.snapshots = snapshots;
    this.files = new SettingsFiles(directory);
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new ConfigurationException(directory + ", where the queues are to be, is no directory");
    }
    try {
      ParallelWork.forEach(
          "RIVER-open",
          List.copyOf(files.all().entrySet()),
          each -> queues.put(each.getKey(), reopen(each.getKey(), each.getValue())));
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /** Adds a queue of the application, which closes it after the server. */
  public <M> void add(MessageQueue<M> queue, MessageConverter<M> converter) {
    add(queue, converter, SettingsSource.APPLICATION);
  }

  private <M> void add(
      MessageQueue<M> queue, MessageConverter<M> converter, SettingsSource source) {
    HostedQueue<M> hosted = listening(new HostedQueue<>(queue, converter, decoders, source));
    if (queues.putIfAbsent(queue.name(), hosted) != null) {
      throw new RiverException("the server has a queue '" + queue.name() + "' already");
    }
  }

  /**
   * Serves the queues of a file, which the application closes after the server.
   *
   * @param check is called before each reload; it may throw, and then nothing changes, and returns
   *     what else would be otherwise after the next start
   */
  public void serve(River all, Supplier<List<String>> check) {
    changing.lock();
    try {
      for (String name : all.elsewhere()) {
        HostedQueue<?> known = queues.get(name);
        if (known != null) {
          throw new ConfigurationException(
              "the server has a queue '%s', and another engine keeps the queue '%s' of the file"
                  .formatted(known.queue().name(), name));
        }
      }
      river = all;
      otherSettings = check;
      addNew(all);
    } finally {
      changing.unlock();
    }
  }

  /** Warns of queues in the server's directory that it does not serve. */
  public void warnOfOthers() {
    try {
      for (Path other : Directories.list(directory, name -> !queues.containsKey(name))) {
        if (Files.exists(other.resolve(QUEUE_FILE))) {
          LOG.warn(
              "{} is a queue that this server does not serve, as its settings are not in {}:"
                  + " create it with them, or the first publish opens it with default settings",
              other,
              directory.resolve(".server"));
        }
      }
    } catch (IOException e) {
      LOG.warn("Cannot list the queues in {}", directory, e);
    }
  }

  private void addNew(River all) {
    for (MessageQueue<?> queue : all.queues().values()) {
      HostedQueue<?> known = queues.get(queue.name());
      if (known == null || known.queue() != queue) {
        add(queue);
      }
    }
  }

  private <M> void add(MessageQueue<M> queue) {
    add(queue, queue.converter(), SettingsSource.FILE);
  }

  /**
   * Reads the file of the queues again, and serves those that are new in it. Blocks.
   *
   * @throws RequestException there is no file, it is wrong, or a new queue has the name of another
   *     one or cannot be opened; nothing has changed
   */
  public ReloadResult reload() {
    changing.lock();
    try {
      ensureOpen();
      River served = river;
      if (served == null) {
        throw RequestException.of(
            RequestException.Reason.CONFLICT, "the server was not started from a file with queues");
      }
      List<String> later = new ArrayList<>(otherSettings.get());
      ReloadResult result = served.reload(this::ensureNew);
      addNew(served);
      later.addAll(0, result.needsReopening());
      return new ReloadResult(result.changed(), result.added(), later, result.missing());
    } catch (RiverException e) { // also of a new queue that cannot be opened
      throw RequestException.of(RequestException.Reason.CONFLICT, String.valueOf(e.getMessage()));
    } finally {
      changing.unlock();
    }
  }

  private void ensureNew(String name) {
    HostedQueue<?> known = queues.get(name);
    if (known != null && known.queue().state() != QueueState.STOPPED) {
      throw new ConfigurationException(
          "the server has a queue '" + known.queue().name() + "' already, made by a request");
    }
    queues.remove(name); // it was closed
  }

  private HostedQueue<byte[]> reopen(String name, Settings settings) {
    try {
      return open(name, settings);
    } catch (RequestException e) {
      throw new RiverException(
          "the stored settings of queue %s in %s are not valid: %s %s"
              .formatted(name, directory, e.field(), e.detail()),
          e);
    }
  }

  private HostedQueue<byte[]> open(String name, Settings settings) {
    MessageConverter<byte[]> bytes = MessageConverter.bytes();
    MessageQueue.Builder<byte[]> builder =
        MessageQueue.builder(name, bytes)
            .settings(complete(name, settings))
            .defaults(defaults)
            .directory(directory);
    if (settings.isGiven(QueueOptions.BACKUP_RETENTION)) {
      if (backups == null) {
        throw RequestException.field(
            "backup", "this server keeps no backups, because server.backup.directory is not set");
      }
      builder.set(QueueOptions.BACKUP_DIRECTORY, backups);
    }
    return listening(
        new HostedQueue<>(
            RequestException.checked("body", builder::open), bytes, decoders, settings));
  }

  /** Has the catalog forget the queue when it is removed because it was not in use. */
  private <M> HostedQueue<M> listening(HostedQueue<M> hosted) {
    hosted
        .queue()
        .addListener(
            new QueueListener() {
              @Override
              public void queueExpired(Duration unused) {
                forget(hosted);
              }
            });
    return hosted;
  }

  private void forget(HostedQueue<?> expired) {
    changing.lock();
    try {
      String name = expired.queue().name();
      if (queues.remove(name, expired) && expired.settings() != null) {
        files.delete(name);
      }
    } finally {
      changing.unlock();
    }
  }

  /** Returns the settings with the server's defaults, and checks its limits. */
  private Settings complete(String name, Settings settings) {
    if (settings.get(QueueOptions.FULL_TIMEOUT).compareTo(MAX_BLOCK) > 0) {
      throw RequestException.field(
          "whenFull.timeout", "is more than " + ContractFormat.of(MAX_BLOCK));
    }
    Settings all = settings.or(defaults.queue(name));
    if (all.get(QueueOptions.FULL_TIMEOUT).compareTo(MAX_BLOCK) > 0) {
      all = all.with(QueueOptions.FULL_TIMEOUT, MAX_BLOCK);
    }
    return all.isGiven(QueueOptions.DEDUPLICATE)
        ? all
        : all.with(QueueOptions.DEDUPLICATE, DEDUPLICATE);
  }

  /** Returns all queues, ordered by name. */
  public List<HostedQueue<?>> all() {
    return new ArrayList<>(queues.values());
  }

  /** Returns the queue of this name, or null. Names of queues differ in more than case. */
  public @Nullable HostedQueue<?> find(String name) {
    HostedQueue<?> found = queues.get(name);
    return found == null || !found.queue().name().equals(name) ? null : found;
  }

  /** Returns whether there is a directory of a queue of this name, be it served or not. */
  boolean isOnDisk(String name) {
    return Files.exists(directory.resolve(name).resolve(QUEUE_FILE));
  }

  /** Returns the settings that a queue of this name has if a request gives none. */
  Settings defaults(String name) {
    return complete(name, QueueOptions.TABLE.defaults());
  }

  /** A queue, and whether it was created just now. */
  public record Created(HostedQueue<?> queue, boolean created) {}

  /** Returns the queue with these settings, and creates it if it does not exist. Blocks. */
  public Created getOrCreate(String name, Settings settings) {
    return getOrCreate(name, settings, null);
  }

  /**
   * Returns the queue with these settings, and creates it if it does not exist. Blocks.
   *
   * @param expected the version of the settings that it has; null for any, or none
   */
  public Created getOrCreate(String name, Settings settings, @Nullable String expected) {
    changing.lock();
    try {
      ensureOpen();
      HostedQueue<?> existing = queues.get(name);
      if (existing != null) {
        check(name, settings, existing, expected);
        return new Created(existing, false);
      }
      SettingsVersion.checkNone(expected, "queue " + name);
      refuseElsewhere(name);
      HostedQueue<byte[]> opened = open(name, settings);
      try {
        files.write(name, settings); // a queue without this file is not reopened after a restart
      } catch (RuntimeException e) {
        close(opened.queue()); // not deleted: its directory may be older than this request
        throw e;
      }
      queues.put(name, opened);
      LOG.info("Queue {} was created by a request: {}", name, SettingsJson.QUEUE.given(settings));
      return new Created(opened, true);
    } finally {
      changing.unlock();
    }
  }

  @GuardedBy("changing")
  private void refuseElsewhere(String name) {
    if (river != null && river.elsewhere().stream().anyMatch(name::equalsIgnoreCase)) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT,
          "queue "
              + name
              + " is kept by another engine (attribute engine of its <queue>), to which"
              + " the server gives no access");
    }
  }

  private void check(
      String name, Settings settings, HostedQueue<?> existing, @Nullable String expected) {
    String known = existing.queue().name();
    if (!known.equals(name)) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT,
          "there is a queue '" + known + "', whose name differs in case only");
    }
    Settings has = existing.settings();
    if (has == null) {
      throw configuredByServer(name);
    }
    SettingsVersion.check(expected, SettingsJson.QUEUE.given(has));
    if (!complete(name, settings).equals(complete(name, has))) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT, "queue " + name + " has other settings");
    }
  }

  /**
   * Changes the settings that are given of a queue that a request created. Blocks.
   *
   * @param expected the version of the settings before; null for any
   * @throws RequestException an option cannot change while the queue runs
   */
  public void change(HostedQueue<?> queue, Settings asked, @Nullable String expected) {
    changing.lock();
    try {
      ensureOpen();
      String name = queue.queue().name();
      Settings before = queue.settings();
      if (before == null) {
        throw configuredByServer(name);
      }
      SettingsVersion.check(expected, SettingsJson.QUEUE.given(before));
      Settings after = before.withGiven(asked);
      boolean keepsBackups = before.isGiven(QueueOptions.BACKUP_RETENTION);
      if (after.isGiven(QueueOptions.BACKUP_RETENTION) != keepsBackups) {
        throw RequestException.of(
            RequestException.Reason.CONFLICT, "queue " + name + " was created without a backup");
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

  private void change(HostedQueue<?> queue, Settings before, Settings after) {
    Settings from = complete(queue.queue().name(), before);
    Settings to = complete(queue.queue().name(), after);
    queue.change(changes -> changes.set(from, to));
    queue.settings(after);
  }

  private static RequestException configuredByServer(String name) {
    return RequestException.of(
        RequestException.Reason.CONFLICT,
        "queue " + name + " is configured by the server's own settings");
  }

  /** Returns where requests may make snapshots of queues. */
  public SnapshotDirectory snapshots() {
    return snapshots;
  }

  /** Deletes a queue that a request created. Blocks. */
  public void delete(HostedQueue<?> queue, boolean force) {
    delete(queue, force, null);
  }

  /**
   * Deletes a queue that a request created. Blocks.
   *
   * @param expected the version of its settings; null for any
   */
  public void delete(HostedQueue<?> queue, boolean force, @Nullable String expected) {
    changing.lock();
    try {
      ensureOpen();
      String name = queue.queue().name();
      Settings settings = queue.settings();
      if (settings == null) {
        throw configuredByServer(name);
      }
      SettingsVersion.check(expected, SettingsJson.QUEUE.given(settings));
      if (!force && !isCompleted(queue.queue())) {
        throw RequestException.of(
            RequestException.Reason.CONFLICT,
            "queue " + name + " has messages that are not completed; force=true deletes them too");
      }
      List<String> sources = force ? List.of() : forwardingTo(name);
      if (!sources.isEmpty()) {
        throw RequestException.of(
            RequestException.Reason.CONFLICT,
            "queue %s is the target of forwards of %s; end them first, or force=true deletes it"
                .formatted(name, String.join(", ", sources)));
      }
      if (queues.remove(name, queue)) {
        queue.remove();
        queue
            .queue()
            .delete(); // before its settings, so that after a crash in between the queue can be
        // deleted again
        files.delete(name);
        LOG.info("Queue {} was deleted by a request", name);
      }
    } finally {
      changing.unlock();
    }
  }

  private List<String> forwardingTo(String target) {
    return queues.values().stream()
        .filter(each -> each.forwardsTo(target))
        .map(each -> each.queue().name())
        .toList();
  }

  private static boolean isCompleted(MessageQueue<?> queue) {
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

  /** Closes the queues that requests created. */
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
      LOG.error("Cannot close queue {}", queue.name(), e);
    }
  }
}
