package com.wookler.river.common;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.RiverException;
import java.io.File;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The environment of an application: its configuration, its task manager and its monitor. A JVM has
 * at most one at a time. {@link #create} creates it from the {@code <env>} of a configuration file,
 * {@link #builder} without one, {@link #shutdown} stops it, and {@link #reset} removes it, after
 * which another can be created. Thread-safe.
 *
 * <p>Close queues before the environment: their background work runs on its task manager.
 */
public final class Env {
  private static final AtomicReference<@Nullable Slot> SLOT = new AtomicReference<>();
  private static final String ENCODING = "default.encoding";
  private static final String POOL_SIZE = "executor.pool.size";

  /** Parameters of {@code <env>}. */
  static final List<String> PARAMS = List.of(ENCODING);

  /** Parameters of {@code <task-manager>}. */
  static final List<String> TASK_MANAGER_PARAMS = List.of(POOL_SIZE);

  private static final int MAX_POOL_SIZE = 1_024;

  private final @Nullable ConfigNode config;
  private final Charset encoding;
  private final TaskManager tasks;
  private final Monitor monitor;
  private final AtomicBoolean stopped = new AtomicBoolean();

  private Env(@Nullable ConfigNode config, Charset encoding, TaskManager tasks, Monitor monitor) {
    this.config = config;
    this.encoding = encoding;
    this.tasks = tasks;
    this.monitor = monitor;
  }

  /** Creates the environment, as {@link #create(Path, String)} does. */
  public static Env create(String file, String path) {
    return create(Path.of(file), path);
  }

  /** Creates the environment, as {@link #create(Path, String)} does. */
  public static Env create(File file, String path) {
    return create(file.toPath(), path);
  }

  /**
   * Creates the environment and starts its threads. If this fails, its threads and loggers are
   * closed.
   *
   * @param file the configuration file
   * @param path the path to the element that contains {@code <env>}, from the root, separated by
   *     dots or slashes
   * @throws com.wookler.river.common.errors.ConfigurationException if the configuration cannot be
   *     used
   * @throws RiverException if there is an environment that has not been {@link #reset}
   */
  public static Env create(Path file, String path) {
    return create(file, path, TimeSource.system());
  }

  /**
   * Creates the environment, as {@link #create(Path, String)} does, with another clock; for tests.
   */
  public static Env create(Path file, String path, TimeSource time) {
    return create(file.toString(), () -> start(ConfigParser.parse(file).at(path), time));
  }

  /** Returns a builder of an environment without a configuration file. */
  public static Builder builder() {
    return new Builder();
  }

  private static Env create(String source, Supplier<Env> start) {
    Slot slot = new Slot(source);
    if (!SLOT.compareAndSet(null, slot)) {
      throw new RiverException(
          "Cannot create an environment from %s: there is one already%s; call Env.reset() first"
              .formatted(
                  source,
                  Optional.ofNullable(SLOT.get()).map(is -> " from " + is.source).orElse("")));
    }
    try {
      Env env = start.get();
      slot.env = env;
      return env;
    } catch (Throwable e) {
      SLOT.set(null);
      throw e;
    }
  }

  private static Env start(ConfigNode config, TimeSource time) {
    ConfigNode node = only(config, "env");
    node.allowParams(PARAMS);
    Charset encoding = charset(node);
    MonitorSettings settings = MonitorSettings.from(only(node, "monitor"));
    return start(
        config, encoding, settings, () -> taskManager(only(node, "task-manager"), time), time);
  }

  private static Env start(
      @Nullable ConfigNode config,
      Charset encoding,
      MonitorSettings settings,
      Supplier<TaskManager> manager,
      TimeSource time) {
    TaskManager tasks = null;
    try {
      tasks = manager.get();
      return new Env(config, encoding, tasks, Monitor.start(settings, tasks, time));
    } catch (Throwable e) {
      if (tasks != null) {
        tasks.close();
      }
      settings.closeLoggers();
      throw e;
    }
  }

  private static ConfigNode only(ConfigNode parent, String name) {
    List<ConfigNode> found = parent.children(name);
    if (found.isEmpty()) {
      throw parent.error("there is no <" + name + "> in it");
    }
    if (found.size() > 1) {
      throw found.get(1).error("is there twice; the first is at " + found.get(0).location());
    }
    return found.get(0);
  }

  private static Charset charset(ConfigNode node) {
    Optional<String> name = node.param(ENCODING);
    try {
      return name.map(Charset::forName).orElse(StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw node.error(ENCODING, "'" + name.orElse("") + "' is not a character set of this JVM");
    }
  }

  private static TaskManager taskManager(ConfigNode node, TimeSource time) {
    node.allowParams(TASK_MANAGER_PARAMS);
    node.requireParam(POOL_SIZE);
    int size = node.integer(POOL_SIZE, 1);
    if (size < 1 || size > MAX_POOL_SIZE) {
      throw node.error(POOL_SIZE, "'" + size + "' is not allowed; it must be from 1 to 1024");
    }
    return new TaskManager(node.requireAttribute("name"), size, time);
  }

  /**
   * Returns the environment.
   *
   * @throws RiverException if there is none, or it has been shut down
   */
  public static Env get() {
    return find()
        .orElseThrow(() -> new RiverException("There is no environment; call Env.create() first"));
  }

  /** Returns the environment, if there is one and it has not been shut down. */
  public static Optional<Env> find() {
    Slot slot = SLOT.get();
    return Optional.ofNullable(slot == null ? null : slot.env).filter(env -> !env.stopped.get());
  }

  /**
   * Writes a last report, ends all threads of the environment and waits for them. The environment
   * cannot be used any more, and another one can be created only after {@link #reset}. Does nothing
   * if there is no environment.
   */
  public static void shutdown() {
    find().ifPresent(Env::stop);
  }

  /**
   * Shuts the environment down and removes it, so that another can be created. Does nothing if
   * there is no environment.
   */
  public static void reset() {
    shutdown();
    Slot slot = SLOT.get();
    if (slot != null && slot.env != null) {
      SLOT.compareAndSet(slot, null);
    }
  }

  private void stop() {
    if (!stopped.compareAndSet(false, true)) {
      return;
    }
    try {
      monitor.close();
    } finally {
      tasks.close();
    }
  }

  /**
   * Returns the element at the path that was passed to {@link #create}.
   *
   * @throws RiverException the environment was made by {@link #builder}
   */
  public ConfigNode config() {
    if (config == null) {
      throw new RiverException("The environment was made by Env.builder(): it has no file");
    }
    return config;
  }

  /** Returns the application's character set, {@code default.encoding}; UTF-8 by default. */
  public Charset encoding() {
    return encoding;
  }

  /** Returns the task manager of {@code <task-manager>}. */
  public TaskManager taskmanager() {
    return tasks;
  }

  /** Returns the monitor of {@code <monitor>}. */
  public Monitor monitor() {
    return monitor;
  }

  /**
   * Holds the environment, so that there are never two; {@code env} is null while it is being
   * created.
   */
  private static final class Slot {
    final String source;

    // Volatile: written once by the creating thread, read by all.
    volatile @Nullable Env env;

    Slot(String source) {
      this.source = source;
    }
  }

  /**
   * Collects the settings of an environment without a configuration file. All have defaults. Not
   * thread-safe.
   */
  public static final class Builder {
    private MonitorSettings monitor =
        new MonitorSettings(
            "river",
            MonitorSettings.DEFAULT_WINDOW,
            MonitorSettings.DEFAULT_FREQUENCY,
            false,
            null,
            null);
    private String taskManager = "river";
    private int threads = 2;
    private Charset encoding = StandardCharsets.UTF_8;
    private TimeSource time = TimeSource.system();

    private Builder() {}

    /** Sets the application's name in reports (default {@code river}). */
    public Builder monitor(String appName) {
      monitor = monitor.named(Objects.requireNonNull(appName, "appName"));
      return this;
    }

    /**
     * Sets the application's name, and how often it reports (default 5 minutes), 1 ms or more.
     * Without {@link #counterLogger} and {@link #heartbeatLogger} the reports go nowhere.
     */
    public Builder monitor(String appName, Duration frequency) {
      monitor = monitor.every(positive(frequency, "frequency"));
      return monitor(appName);
    }

    /** Sets how long a period of the counters is (default a day), 1 ms or more. */
    public Builder monitorWindow(Duration window) {
      monitor = monitor.over(positive(window, "window"));
      return this;
    }

    /** Sets whether counters for debugging are reported too (default: no). */
    public Builder debugCounters(boolean on) {
      monitor = monitor.debugging(on);
      return this;
    }

    /** Sets what writes the counters; closed with the environment if it can be. */
    public Builder counterLogger(CounterLogger logger) {
      monitor = monitor.with(Objects.requireNonNull(logger, "logger"), monitor.heartbeats());
      return this;
    }

    /** Sets what writes the states of the threads; closed with the environment if it can be. */
    public Builder heartbeatLogger(HeartbeatLogger logger) {
      monitor = monitor.with(monitor.counters(), Objects.requireNonNull(logger, "logger"));
      return this;
    }

    /** Sets how many threads the task manager has (default 2), 1 to 1,024. */
    public Builder taskManager(int size) {
      if (size < 1 || size > MAX_POOL_SIZE) {
        throw new IllegalArgumentException(size + " threads; 1 to 1024 are allowed");
      }
      threads = size;
      return this;
    }

    /** Sets the name of the task manager (default {@code river}) and how many threads it has. */
    public Builder taskManager(String name, int size) {
      taskManager = Objects.requireNonNull(name, "name");
      return taskManager(size);
    }

    /** Sets the application's character set (default UTF-8). */
    public Builder encoding(Charset charset) {
      encoding = Objects.requireNonNull(charset, "charset");
      return this;
    }

    /** Sets the clock, for tests that move it (default: the system's). */
    public Builder timeSource(TimeSource source) {
      time = Objects.requireNonNull(source, "source");
      return this;
    }

    /**
     * Creates the environment and starts its threads, as {@link Env#create(Path, String)} does.
     *
     * @throws RiverException if there is an environment that has not been {@link Env#reset}
     */
    public Env open() {
      Supplier<TaskManager> manager = () -> new TaskManager(taskManager, threads, time);
      return create("a builder", () -> start(null, encoding, monitor, manager, time));
    }

    private static Duration positive(Duration time, String what) {
      if (time.toMillis() < 1) {
        throw new IllegalArgumentException(what + " " + time + "; it must be 1 ms or more");
      }
      return time;
    }
  }
}
