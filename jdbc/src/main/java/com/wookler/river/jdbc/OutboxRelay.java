package com.wookler.river.jdbc;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Gauge;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.common.utils.CounterSet;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves messages that an {@link Outbox} has written from the table into a queue: in order, each
 * exactly once, also if this process, the database or the machine ends at any moment.
 *
 * <pre>{@code
 * try (OutboxRelay<String> relay =
 *     OutboxRelay.builder(queue, MessageConverter.utf8(), dataSource).start()) {
 *   ...
 * }
 * }</pre>
 *
 * <p>It works on a thread of its own, with one connection that it keeps. Rows are deleted when
 * their messages are on the device in the queue. PostgreSQL notifies it of new messages; elsewhere
 * it polls, and {@link #wake} spares the wait. After a failure it tries again, each time a little
 * later, and for ever. It ends when its queue is closed.
 *
 * <p><b>Several instances</b>, each with a queue of its own, may share a table. One of them moves;
 * another one takes over when it has been closed, or silent for the time of the lease. Messages
 * that an instance has claimed, a batch at most, are its queue's as if they were in it. With a
 * lease of zero the instances move batches in turn, and only the messages of one batch have an
 * order.
 *
 * <p>Thread-safe.
 *
 * @param <M> type of the data
 */
public final class OutboxRelay<M> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);
  private static final String NAMESPACE = "river.counters.outbox";
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(5);
  private static final int NOTIFICATION_MILLIS = 50; // after which a wait sees that it is to end

  private final MessageQueue<M> queue;
  private final MessageConverter<M> converter;
  private final Connections connections;
  private final Settings settings;
  private final OutboxListener listener;
  private final TimeSource time;
  private final OutboxLease lease; // confined to the thread, as are the next three
  private final RateLimitedLog failureLog;
  private long pauseNanos = FIRST_PAUSE_NANOS;
  private long failures;
  private final CounterSet counters = new CounterSet();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final MonitoredThread thread;
  private volatile boolean stopped;
  private volatile @Nullable Connection open; // so that closing can end a call that hangs
  // written by the thread, read by all
  private volatile OutboxTable.Waiting waiting = OutboxTable.Waiting.NONE;
  private volatile Done done = new Done(0, 0, null, false);

  /** What the stats say but for what waits. */
  private record Done(long moved, long failures, @Nullable String failure, boolean leading) {}

  /** Where connections come from. */
  interface Connections {
    Connection get() throws SQLException;
  }

  private OutboxRelay(Builder<M> from) {
    this.queue = from.queue;
    this.converter = from.converter;
    this.connections = from.connections;
    this.settings = from.settings;
    this.listener = from.listener;
    this.time = from.time;
    this.lease =
        new OutboxLease(queue.identity().toString(), settings.get(OutboxOptions.LEASE), time);
    this.failureLog = new RateLimitedLog(time);
    this.thread = new MonitoredThread("RIVER-outbox-" + queue.name(), this::run);
  }

  /**
   * Creates a builder with the default settings.
   *
   * @param queue a queue that runs; the outbox writes its name
   * @param converter the queue's
   * @param dataSource gives a connection, which the relay keeps as long as it works
   */
  public static <M> Builder<M> builder(
      MessageQueue<M> queue, MessageConverter<M> converter, DataSource dataSource) {
    return new Builder<>(queue, converter, dataSource::getConnection);
  }

  /** Returns what it has done, and what waits. Never asks the database. */
  public OutboxStats stats() {
    Done now = done;
    OutboxTable.Waiting left = waiting;
    long age = left.messages() == 0 ? 0 : time.epochMicros() - left.oldestMicros();
    return new OutboxStats(
        now.moved(),
        left.messages(),
        Duration.of(Math.max(0, age), ChronoUnit.MICROS),
        now.failures(),
        now.failure(),
        now.leading());
  }

  /** Has it look for messages now, for databases that do not notify. Cheap, and never waits. */
  public void wake() {
    woken.set(true);
    LockSupport.unpark(thread);
  }

  private void run() {
    while (!stopped) {
      try (Connection connection = connections.get();
          OutboxSession<M> session =
              new OutboxSession<>(connection, queue, converter, settings, lease, time)) {
        open = connection;
        work(session);
      } catch (QueueClosedException e) {
        LOG.info("Queue {}: closed, so its outbox is moved no longer", queue.name());
        stopped = true;
      } catch (SQLException | RuntimeException | Error e) { // no other thread moves messages
        failed(e);
      } finally {
        open = null;
      }
    }
    counters.close();
  }

  private void work(OutboxSession<M> session) throws SQLException {
    try {
      session.open();
      while (!stopped) {
        move(session);
      }
      session.finish();
    } catch (SQLException | RuntimeException | Error e) {
      if (!stopped && !(e instanceof QueueClosedException)) {
        session.lookAfterFailure();
        keepWaiting(session);
      }
      throw e;
    }
  }

  private void keepWaiting(OutboxSession<M> session) {
    OutboxTable.Waiting seen = session.waiting();
    waiting = seen == null ? waiting : seen;
  }

  private void move(OutboxSession<M> session) throws SQLException {
    int moved = session.step();
    succeeded(moved, session);
    if (moved == 0 && !session.hasClaim()) {
      await(session);
    }
  }

  private void await(OutboxSession<M> session) throws SQLException {
    long until = time.nanoTime() + settings.get(OutboxOptions.POLL).toNanos();
    for (long left = until - time.nanoTime();
        left > 0 && !stopped && !woken.getAndSet(false);
        left = until - time.nanoTime()) {
      if (!session.listens()) {
        time.park(this, left);
      } else if (session.awaitNotification(
          (int) Math.min(NOTIFICATION_MILLIS, TimeUnit.NANOSECONDS.toMillis(left)))) {
        return;
      }
    }
  }

  private void succeeded(int moved, OutboxSession<M> session) {
    keepWaiting(session);
    Done before = done;
    done = new Done(before.moved() + moved, failures, null, lease.leading());
    pauseNanos = FIRST_PAUSE_NANOS;
    if (before.failure() != null) {
      failureLog.reset();
      LOG.info("Queue {}: messages of the outbox are moved again", queue.name());
      notify(OutboxListener::resumed);
    }
    if (moved > 0) {
      notify(each -> each.moved(moved));
    }
  }

  private void failed(Throwable e) {
    if (stopped) {
      LOG.debug("Queue {}: a failure of the outbox while it closed", queue.name(), e);
      return;
    }
    failures++;
    Done before = done;
    String why = e instanceof Error ? e.toString() : String.valueOf(e.getMessage());
    done = new Done(before.moved(), failures, why, false);
    if (failureLog.mayLog()) {
      LOG.warn(
          "Queue {}: no messages of the outbox can be moved, which is tried again: {}",
          queue.name(),
          why,
          e);
    }
    if (before.failure() == null) {
      notify(each -> each.failed(why));
    }
    long until = time.nanoTime() + pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, settings.get(OutboxOptions.PAUSE).toNanos());
    for (long left = until - time.nanoTime();
        left > 0 && !stopped;
        left = until - time.nanoTime()) {
      time.park(this, left);
    }
  }

  private void notify(Consumer<OutboxListener> event) {
    try {
      event.accept(listener);
    } catch (RuntimeException | Error e) {
      LOG.warn("Queue {}: the listener of the outbox failed", queue.name(), e);
    }
  }

  private void start() {
    Map<String, String> labels = Map.of("queue", queue.name());
    counters.derived(NAMESPACE, "moved", labels, Count.class, () -> stats().moved());
    counters.derived(NAMESPACE, "failures", labels, Count.class, () -> stats().failures());
    counters.derived(NAMESPACE, "waiting", labels, Gauge.class, () -> stats().waiting());
    counters.derived(NAMESPACE, "lag", labels, Gauge.class, () -> stats().lag().toMillis());
    thread.start();
  }

  /**
   * Ends it: what is claimed is moved, and the lease is released. The data source stays open.
   * Idempotent. A call to the database that hangs is aborted after five seconds; what was claimed
   * then is moved when the queue has a relay again.
   */
  @Override
  public void close() {
    stopped = true;
    LockSupport.unpark(thread);
    if (Thread.currentThread() == thread) {
      return;
    }
    join();
    Connection hanging = open;
    if (thread.isAlive() && hanging != null) {
      try {
        hanging.abort(Runnable::run);
      } catch (SQLException e) {
        LOG.debug("Queue {}: cannot abort the connection of the outbox", queue.name(), e);
      }
      join();
    }
  }

  private void join() {
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "OutboxRelay[queue "
        + queue.name()
        + ", table "
        + settings.get(OutboxOptions.NAME)
        + "]";
  }

  /**
   * Collects the settings of a relay. Not thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> {
    private final MessageQueue<M> queue;
    private final MessageConverter<M> converter;
    private final Connections connections;
    private Settings settings = OutboxOptions.TABLE.defaults();
    private OutboxListener listener = new OutboxListener() {};
    private TimeSource time = TimeSource.system();

    Builder(MessageQueue<M> queue, MessageConverter<M> converter, Connections connections) {
      this.queue = Objects.requireNonNull(queue, "queue");
      this.converter = Objects.requireNonNull(converter, "converter");
      this.connections = connections;
    }

    @CanIgnoreReturnValue
    private <T> Builder<M> set(Option<T> option, T value) {
      settings = settings.with(option, value);
      return this;
    }

    @CanIgnoreReturnValue
    Builder<M> settings(Settings all) {
      settings = all;
      return this;
    }

    @CanIgnoreReturnValue
    Builder<M> timeSource(TimeSource source) {
      time = source;
      return this;
    }

    /** Sets the table (default {@value Outbox#DEFAULT_TABLE}). */
    @CanIgnoreReturnValue
    public Builder<M> table(String name) {
      return set(OutboxOptions.NAME, Objects.requireNonNull(name, "name"));
    }

    /** Sets whether the relay creates the tables if they are missing (default: no). */
    @CanIgnoreReturnValue
    public Builder<M> create(boolean on) {
      return set(OutboxOptions.CREATE, on);
    }

    /** Sets how many messages are moved with one force and one transaction (default 500). */
    @CanIgnoreReturnValue
    public Builder<M> batchMessages(int messages) {
      return set(OutboxOptions.BATCH_MESSAGES, (long) messages);
    }

    /** Sets how many bytes of data they have at most (default 4 MB). A larger one goes alone. */
    @CanIgnoreReturnValue
    public Builder<M> batchBytes(long bytes) {
      return set(OutboxOptions.BATCH_BYTES, bytes);
    }

    /** Sets the pause between two looks for messages (default 200 ms). */
    @CanIgnoreReturnValue
    public Builder<M> poll(Duration pause) {
      return set(OutboxOptions.POLL, Objects.requireNonNull(pause, "pause"));
    }

    /**
     * Sets after how long a silence of the instance that moves another one takes over (default 10
     * s); zero: the instances move in turn.
     */
    @CanIgnoreReturnValue
    public Builder<M> lease(Duration silence) {
      return set(OutboxOptions.LEASE, Objects.requireNonNull(silence, "silence"));
    }

    /** Sets the longest pause after a failure (default 5 s); the first is 100 ms. */
    @CanIgnoreReturnValue
    public Builder<M> pause(Duration longest) {
      return set(OutboxOptions.PAUSE, Objects.requireNonNull(longest, "longest"));
    }

    /** Sets what hears of messages and failures (default: nothing). */
    @CanIgnoreReturnValue
    public Builder<M> listener(OutboxListener hears) {
      listener = Objects.requireNonNull(hears, "hears");
      return this;
    }

    /**
     * Starts a relay. It returns at once: a database that is away, and a missing table, are
     * reported by the listener, the stats and the log.
     *
     * @throws com.wookler.river.common.errors.ConfigurationException a setting is out of its range
     */
    public OutboxRelay<M> start() {
      settings.check("the outbox of queue " + queue.name());
      Sql.table(settings.get(OutboxOptions.NAME));
      OutboxRelay<M> relay = new OutboxRelay<>(this);
      relay.start();
      return relay;
    }
  }
}
