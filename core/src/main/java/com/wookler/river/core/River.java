package com.wookler.river.core;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Env;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.common.utils.ParallelWork;
import com.wookler.river.core.message.QueueClosedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All queues of one configuration file, also those that another {@link QueueEngine} keeps, and what
 * a {@link RiverExtension} starts beside them, opened together and closed in one order. If the file
 * has an {@code <env>} and none was created yet, it is created first and shut down and forgotten
 * last. Thread-safe.
 */
public final class River implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(River.class);

  private final Path file;
  private final ReentrantLock changing = new ReentrantLock();
  private volatile Map<String, MessageQueue<?>> queues; // written under the lock

  @GuardedBy("changing")
  private Map<String, List<String>> subscribers = Map.of(); // of each queue, in the file

  /** Those that other engines keep; set before this is used. */
  private final Map<String, QueueEngine.EngineQueue> elsewhere = new LinkedHashMap<>();

  private final List<AutoCloseable> extensions = new ArrayList<>();
  private final @Nullable Env env; // if it was created here
  private final AtomicBoolean closed = new AtomicBoolean();

  private River(Path file, Map<String, MessageQueue<?>> queues, @Nullable Env env) {
    this.file = file;
    this.queues = queues;
    this.env = env;
  }

  /**
   * Opens every {@code <queue>} under the root of the file; all or none.
   *
   * @throws ConfigurationException the file is wrong, naming line, element and parameter
   * @throws com.wookler.river.common.errors.RiverException a queue cannot be opened
   */
  public static River open(Path file) {
    ConfigNode root = ConfigParser.parse(file);
    if (root.children("queue").isEmpty()) {
      throw root.error("has no <queue>");
    }
    boolean ownsEnv = root.child("env").isPresent() && Env.find().isEmpty();
    Env env = ownsEnv ? Env.create(file, root.name()) : null;
    Map<String, MessageQueue<?>> queues = new LinkedHashMap<>();
    River river = new River(file, Collections.unmodifiableMap(queues), env);
    try {
      List<QueueConfig<?>> configs = QueueXml.readAll(root);
      Map<String, QueueEngine.Plan> plans = Engines.readAll(root);
      configs.forEach(config -> queues.put(config.name(), new MessageQueue<>(config)));
      river.remember(configs);
      ParallelWork.forEach("RIVER-open", List.copyOf(queues.values()), MessageQueue::open);
      queues.values().forEach(MessageQueue::attach);
      plans.forEach((name, plan) -> river.elsewhere.put(name, plan.start()));
      river.extend(root);
      return river;
    } catch (Throwable e) {
      river.closeAll().addTo(e);
      throw e;
    }
  }

  /**
   * Opens a view of a queue that reads only: see {@link QueueView}. The queue may be open, in
   * another process or this one, be closed, or have been killed.
   *
   * @param directory {@code <queue.directory>/<queue>}
   * @param backup {@code <backup.directory>/<queue>}, where blocks are that have left the log
   * @throws ConfigurationException it is not the directory of a queue, or the backup has files, but
   *     none of this queue
   */
  public static QueueView openReadOnly(Path directory, Path backup) {
    return QueueView.open(directory, backup);
  }

  /** Opens a view in the same way, of the log alone. */
  public static QueueView openReadOnly(Path directory) {
    return QueueView.open(directory, null);
  }

  private void remember(List<QueueConfig<?>> configs) {
    changing.lock();
    try {
      subscribers = QueueXml.subscribers(configs);
    } finally {
      changing.unlock();
    }
  }

  private void extend(ConfigNode root) {
    Map<String, String> missing =
        new HashMap<>(Map.of("outbox", "river-jdbc", "kafka-forward", "river-kafka"));
    for (RiverExtension extension : ServiceLoader.load(RiverExtension.class)) {
      missing.remove(extension.element());
      for (ConfigNode element : root.children(extension.element())) {
        extensions.add(extension.start(element, root, this));
      }
    }
    missing.forEach(
        (element, module) -> {
          if (root.child(element).isPresent()) {
            throw root.error(
                "has <" + element + ">, which needs the module " + module + " on the class path");
          }
        });
  }

  /**
   * Returns the queues that this process keeps by name, in the order of the file; those that a
   * reload opened come last.
   */
  public Map<String, MessageQueue<?>> queues() {
    return queues;
  }

  /** Returns the names of the queues that other engines keep, in the order of the file. */
  public Set<String> elsewhere() {
    return Collections.unmodifiableSet(elsewhere.keySet());
  }

  /**
   * Returns a queue. Its data has the type that the file's converter makes; the caller must know
   * it.
   *
   * @throws ConfigurationException there is none of this name, or another engine keeps it
   */
  @SuppressWarnings("unchecked")
  public <M> MessageQueue<M> queue(String name) {
    MessageQueue<?> queue = queues.get(name);
    if (elsewhere.containsKey(name)) {
      throw new ConfigurationException(
          "the queue '"
              + name
              + "' is kept by another engine (attribute engine), which has a publisher, and"
              + " reactors in the file, and nothing else; use River.publisher");
    }
    if (queue == null) {
      throw new ConfigurationException(
          "there is no queue '" + name + "'; the file has " + queues.keySet());
    }
    return (MessageQueue<M>) queue;
  }

  /**
   * Returns what publishes into a queue, whichever engine keeps it: an application that has this,
   * and its reactors in the file, changes the engine in the file. Its data has the type that the
   * file's converter makes; the caller must know it.
   *
   * @throws ConfigurationException there is none of this name
   */
  @SuppressWarnings("unchecked")
  public <M> Publisher<M> publisher(String name) {
    QueueEngine.EngineQueue other = elsewhere.get(name);
    return other == null
        ? this.<M>queue(name).publisher()
        : (Publisher<M>) (Publisher<?>) other.publisher();
  }

  /**
   * Reads the file again, opens queues and subscribers that are new in it, and changes the options
   * that may change while a queue runs. What is left out in the file has its default again. An own
   * strategy in {@code <recycle>}, a converter, processors, the environment, queues of other
   * engines and elements of extensions stay as they are; so do queues and subscribers that the file
   * no longer has, and {@code <defaults>} for subscribers that are created later. All is checked
   * first; if something fails nothing has changed, and empty new queues that were open are deleted.
   *
   * @throws ConfigurationException the file is wrong, naming line, element and parameter
   * @throws com.wookler.river.common.errors.RiverException the file cannot be read, a queue cannot
   *     be opened, or this is closed
   */
  @CanIgnoreReturnValue
  public ReloadResult reload() {
    return reload(name -> {});
  }

  /**
   * Reads the file again, as {@link #reload()}.
   *
   * @param checkNew is called with the name of each queue that is new, before anything changes, and
   *     may throw: then nothing changes
   */
  @CanIgnoreReturnValue
  public ReloadResult reload(Consumer<String> checkNew) {
    changing.lock();
    try {
      if (closed.get()) {
        throw new QueueClosedException("the queues of " + file + " are closed");
      }
      ConfigNode root = ConfigParser.parse(file);
      Engines.refuseChange(root, queues.keySet(), elsewhere.keySet());
      XmlReload reload = new XmlReload(root, queues, subscribers);
      ReloadResult result = reload.apply(checkNew);
      queues = Collections.unmodifiableMap(reload.queues());
      subscribers = reload.names();
      LOG.info("{} was read again: {}", file, result);
      return result;
    } finally {
      changing.unlock();
    }
  }

  /**
   * Closes what extensions started, the reactors of other engines' queues, the queues of this
   * process with their reactors, last opened first, then the queues of other engines, into which
   * reactors may publish until they end, and the environment if it was created here. Idempotent.
   * Whatever fails, the rest is closed all the same.
   *
   * @throws com.wookler.river.common.errors.RiverException the first failure of a queue
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    FirstFailure failure;
    changing.lock(); // a reload that is under way ends first
    try {
      failure = closeAll();
    } finally {
      changing.unlock();
    }
    failure.rethrow();
  }

  private FirstFailure closeAll() {
    FirstFailure failure = new FirstFailure();
    Collections.reverse(extensions);
    extensions.forEach(extension -> failure.run(extension::close));
    elsewhere.values().forEach(queue -> failure.run(queue::closeReactors));
    List<MessageQueue<?>> reversed = new ArrayList<>(queues.values());
    Collections.reverse(reversed);
    reversed.forEach(queue -> failure.run(queue::close));
    elsewhere.values().forEach(queue -> failure.run(queue::close));
    if (env != null && Env.find().filter(present -> present == env).isPresent()) {
      Env.reset(); // so that a file can be opened again
    }
    return failure;
  }
}
