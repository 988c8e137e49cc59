package com.wookler.river.core.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.core.log.AfterLog;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the delayed messages of a queue when they are due. With the first of them the queue gets
 * files, and a task that runs when the next message is due, on two threads for all queues of the
 * JVM on the same volume.
 *
 * <p>A damaged message is passed over and reported, or, with {@code queue.on.damage=STOP}, keeps
 * waiting and delays no other, which is logged once a minute; nothing is dropped. While a message
 * cannot be read all wait, which is logged as often. Thread-safe.
 */
public final class Delays implements AfterLog, AutoCloseable {
  /** The directory of its files, within the queue's. */
  public static final String DIRECTORY = "delayed";

  private static final Logger LOG = LoggerFactory.getLogger(Delays.class);
  private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LATER_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int THREADS = 2; // so that one queue that hangs delays no other
  // the largest document in blocks of the largest size that a message can require
  private static final long LARGEST_DOCUMENT = 132L << 20;

  private final DelayContext context;
  private final DelayLimits limits;
  private final Executor flusher;

  private final RateLimitedLog waitingLog; // confined to the steps, which never overlap

  private volatile @Nullable Timers timers; // set once, under the monitor

  // set once, under the monitor; null again after the stop
  private volatile @Nullable Running running;

  @GuardedBy("this")
  private boolean closed;

  /** Opens the files of earlier runs; the first delayed message waits for {@code flusher}. */
  public static Delays open(DelayContext context, Executor flusher) {
    return open(context, flusher, DelayLimits.DEFAULT);
  }

  static Delays open(DelayContext context, Executor flusher, DelayLimits limits) {
    Delays delays = new Delays(context, flusher, limits);
    try {
      boolean exists = StoreOpening.exists(context.directory());
      if (exists) {
        context.queueParts().begunFiles(); // queue.json was made again, or a kill came between
      }
      if (exists || context.queueParts().hasFiles()) {
        delays.timers = new Timers(context, limits);
      }
    } catch (IOException e) {
      throw delays.unreadable(e);
    }
    return delays;
  }

  /**
   * Returns how large a document may have to be for a message that earlier runs have left, perhaps
   * with larger limits: as large as the largest file that may contain it; 0 if none was left.
   */
  public static long largest(Path directory, Path log) {
    try {
      return StoreOpening.exists(directory)
          ? Math.min(LARGEST_DOCUMENT, Math.max(largestFile(directory), largestFile(log)))
          : 0;
    } catch (IOException e) {
      throw new RiverException("cannot look into " + directory + ": " + e, e);
    }
  }

  private static long largestFile(Path directory) throws IOException {
    return Directories.list(directory, name -> true).stream()
        .mapToLong(file -> file.toFile().length())
        .max()
        .orElse(0);
  }

  private Delays(DelayContext context, Executor flusher, DelayLimits limits) {
    this.context = context;
    this.flusher = flusher;
    this.limits = limits;
    this.waitingLog = new RateLimitedLog(context.time());
  }

  private RiverException unreadable(IOException e) {
    return new RiverException(
        "queue " + context.queue() + ": cannot use " + context.directory() + ": " + e, e);
  }

  /** Begins to deliver; called when the queue can be published to. */
  public synchronized void start() {
    Timers open = timers;
    if (open != null && running == null && !closed) {
      SharedTaskManager share =
          SharedTaskManager.acquire("timer", volume(), THREADS, context.time());
      Running started = new Running(share, open);
      running = started;
      started.share.manager().add(started);
    }
  }

  /** Returns the volume of the files: a device that hangs delays only the queues on it. */
  private Object volume() {
    try {
      return Files.getFileStore(context.directory());
    } catch (IOException | RuntimeException e) {
      LOG.debug("Queue {}: no volume is known of {}", context.queue(), context.directory(), e);
      return "unknown";
    }
  }

  /** Publishes messages, some delayed; publishes none if the files for them cannot be created. */
  public <T> T publishing(Supplier<T> publish) {
    Timers open = timers;
    if (open == null) {
      open = first();
    }
    open.collector().beforeAppend();
    try {
      return publish.get();
    } finally {
      open.collector().afterAppend();
      wake();
    }
  }

  private synchronized Timers first() {
    Timers open = timers;
    if (open != null) {
      return open;
    }
    if (closed) {
      throw new QueueClosedException("queue " + context.queue() + " is closed");
    }
    try { // on a thread that is not interrupted, which would close the files
      open = CompletableFuture.supplyAsync(this::create, flusher).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + context.queue() + " is closed", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RiverException known
          ? known
          : new RiverException("queue " + context.queue() + ": cannot delay messages", e);
    }
    timers = open;
    start();
    return open;
  }

  private Timers create() {
    try {
      StoreOpening.create(context.directory(), context.identity(), context.log().nextSequence());
      context.queueParts().begunFiles();
      return new Timers(context, limits);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private void wake() {
    Running waked = running;
    if (waked != null) {
      waked.share.manager().wake(waked);
    }
  }

  /** The task on the threads that all queues with one volume and clock share. */
  private final class Running implements ManagedTask {
    private final SharedTaskManager share;
    private final Timers open;
    private long dueNanos; // when the next step is due; confined to the steps

    Running(SharedTaskManager share, Timers open) {
      this.share = share;
      this.open = open;
    }

    @Override
    public String name() {
      return "DELAYED-" + context.queue();
    }

    /** Returns the time from now: the process may have been suspended since the last step. */
    @Override
    public Duration interval() {
      return Duration.ofNanos(Math.max(0, dueNanos - context.time().nanoTime()));
    }

    @Override
    public boolean step() {
      long now = context.time().nanoTime();
      long pause = Delays.this.step(open);
      dueNanos = pause > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + pause;
      return pause == 0;
    }
  }

  private long step(Timers open) {
    try {
      return open.step();
    } catch (QueueFullException e) {
      return RETRY_NANOS; // the disk; the log has said so
    } catch (QueueClosedException | QueueFailedException e) {
      return Long.MAX_VALUE;
    } catch (RiverException | InternalError e) { // what cannot be read now, of a mapping too
      if (waitingLog.mayLog()) {
        LOG.warn(
            "Queue {}: delayed messages wait; trying again: {}", context.queue(), e.toString());
      }
      return LATER_NANOS;
    } catch (RuntimeException | Error e) { // a full heap too: there is no other thread for it
      if (waitingLog.mayLog()) {
        LOG.error("Queue {}: delayed messages wait; trying again", context.queue(), e);
      }
      return LATER_NANOS;
    }
  }

  private Optional<Timers> opened() {
    return Optional.ofNullable(timers);
  }

  @Override
  public boolean isDirty() {
    return opened().map(Timers::isDirty).orElse(false);
  }

  @Override
  public void capture() {
    opened().ifPresent(Timers::capture);
  }

  @Override
  public void flush() {
    opened().ifPresent(Timers::flush);
    wake();
  }

  @Override
  public void postpone() {
    opened().ifPresent(Timers::postpone);
    wake(); // it knows when to ask again
  }

  /** Returns the lowest sequence of the log that is still needed; the largest number if none is. */
  public long lowWatermark() {
    return opened().map(Timers::lowWatermark).orElse(Long.MAX_VALUE);
  }

  /** Returns how many messages wait, without those that were published just now. */
  public long waiting() {
    return opened().map(Timers::waiting).orElse(0L);
  }

  /** Returns how many of them were published before a sequence. */
  public long waitingBelow(long sequence) {
    return opened().map(open -> open.waitingBelow(sequence)).orElse(0L);
  }

  /** Passes the messages that wait in files to a sink, on the flusher; not damaged ones. */
  public void scan(Consumer<StoredMessage> sink) {
    Timers open = timers;
    if (open != null) {
      CompletableFuture.runAsync(() -> open.scan(sink), flusher).join();
    }
  }

  /** Closes a block that leaves the log. */
  public void leave(int block) {
    opened().ifPresent(open -> open.leave(block));
  }

  /** Stops delivering. Returns when no delivery is under way; what is due waits. */
  public void stop() {
    Running ending;
    synchronized (this) {
      closed = true;
      ending = running;
      running = null;
    }
    if (ending != null) {
      ending.share.manager().remove(ending);
      ending.share.close();
    }
  }

  /** Closes the files; after {@link #stop}, when nothing is forced any more. */
  @Override
  public void close() {
    opened().ifPresent(Timers::close);
  }
}
