package com.wookler.river.core;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.Env;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.common.utils.ParallelWork;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * All queues of one configuration file, and what a {@link RiverExtension} starts beside them,
 * opened together and closed in one order. If the file has an {@code <env>} and none was created
 * yet, it is created first and shut down and forgotten last. Thread-safe.
 */
public final class River implements AutoCloseable {
  private final Path file;
  private final Map<String, MessageQueue<?>> queues;
  private final List<AutoCloseable> extensions = new ArrayList<>();
  private final @Nullable Env env; // if it was created here
  private final AtomicBoolean closed = new AtomicBoolean();

  private River(Path file, Map<String, MessageQueue<?>> queues, @Nullable Env env) {
    this.file = file;
    this.queues = Collections.unmodifiableMap(queues);
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
    River river = new River(file, queues, env);
    try {
      configured(root).forEach(queue -> queues.put(queue.name(), queue));
      ParallelWork.forEach("RIVER-open", List.copyOf(queues.values()), MessageQueue::open);
      queues.values().forEach(MessageQueue::attach);
      river.extend(root);
      return river;
    } catch (Throwable e) {
      river.closeAll().addTo(e);
      throw e;
    }
  }

  private void extend(ConfigNode root) {
    List<String> missing = new ArrayList<>(List.of("outbox"));
    for (RiverExtension extension : ServiceLoader.load(RiverExtension.class)) {
      missing.remove(extension.element());
      for (ConfigNode element : root.children(extension.element())) {
        extensions.add(extension.start(element, root, this));
      }
    }
    if (missing.stream().anyMatch(name -> root.child(name).isPresent())) {
      throw root.error("has an <outbox>, which needs the module river-jdbc on the class path");
    }
  }

  /** Reads all before one is started: a mistake in the last must not leave the others open. */
  private static List<MessageQueue<?>> configured(ConfigNode root) {
    List<MessageQueue<?>> queues = new ArrayList<>();
    for (ConfigNode node : root.children("queue")) {
      MessageQueue<Object> queue = new MessageQueue<>();
      queue.configure(node);
      for (MessageQueue<?> other : queues) {
        if (other.name().equalsIgnoreCase(queue.name())) {
          throw node.error("there are two queues of the name " + queue.name());
        }
      }
      queues.add(queue);
    }
    return queues;
  }

  /** Returns the queues by name, in the order of the file. */
  public Map<String, MessageQueue<?>> queues() {
    return queues;
  }

  /**
   * Returns a queue. Its data has the type that the file's converter makes; the caller must know
   * it.
   *
   * @throws ConfigurationException there is none of this name
   */
  @SuppressWarnings("unchecked")
  public <M> MessageQueue<M> queue(String name) {
    MessageQueue<?> queue = queues.get(name);
    if (queue == null) {
      throw new ConfigurationException(
          "there is no queue '" + name + "'; the file has " + queues.keySet());
    }
    return (MessageQueue<M>) queue;
  }

  /**
   * Reads the file again, and changes the options of queues and subscribers that may change while
   * they run. What is left out in the file has its default again. An own strategy in {@code
   * <recycle>}, a converter, processors and the environment stay as they are.
   *
   * @return what the file has otherwise, a sentence each; it takes effect when the file is opened
   *     again
   * @throws ConfigurationException the file is wrong, naming line, element and parameter; nothing
   *     has changed
   */
  @CanIgnoreReturnValue
  public List<String> reload() {
    return new XmlReload(ConfigParser.parse(file), queues).apply();
  }

  /**
   * Closes what extensions started, then the queues, last opened first, then the environment if it
   * was created here. Idempotent. Whatever fails, the rest is closed all the same.
   *
   * @throws com.wookler.river.common.errors.RiverException the first failure of a queue
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    closeAll().rethrow();
  }

  private FirstFailure closeAll() {
    FirstFailure failure = new FirstFailure();
    Collections.reverse(extensions);
    extensions.forEach(extension -> failure.run(extension::close));
    List<MessageQueue<?>> reversed = new ArrayList<>(queues.values());
    Collections.reverse(reversed);
    reversed.forEach(queue -> failure.run(queue::close));
    if (env != null && Env.find().filter(present -> present == env).isPresent()) {
      Env.reset(); // so that a file can be opened again
    }
    return failure;
  }
}
