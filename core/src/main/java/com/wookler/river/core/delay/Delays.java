package com.wookler.river.core.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delayed delivery of a queue. Until the queue has its first delayed message nothing is there but
 * this object; then files, and a task that is due when the next message is, on two threads for all
 * queues of the JVM that are on the same volume.
 *
 * <p>A message that is damaged is passed over and reported, or, where that is not wanted, waits on,
 * and holds up no other, which is said once a minute; nothing is dropped. Where one cannot be read
 * now, all wait, which is said as often.
 *
 * <p>Thread-safe.
 */
public final class Delays implements AutoCloseable {
  /** The directory of its files, within the queue's. */
  public static final String DIRECTORY = "delayed";

  private static final Logger LOG = LoggerFactory.getLogger(Delays.class);
  private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LATER_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int THREADS = 2; // so that one queue alone holds up no other

  /** What the largest size of blocks that a message can ask for lets one document have. */
  private static final long LARGEST_DOCUMENT = 132L << 20;

  private final DelayContext context;
  private final DelayLimits limits;
  private final Executor flusher;

  private final RateLimitedLog saidWaiting; // confined to the steps, which never overlap

  private volatile @Nullable Timers timers; // set once, under the monitor

  private volatile @Nullable Running running; // as above, and null again when it was stopped

  @GuardedBy("this")
  private boolean closed;

  /**
   * Opens what earlier runs have left.
   *
   * @param flusher forces; the first delayed message waits for it
   * @throws RiverException the files cannot be read, or a newer River wrote them
   */
  public static Delays open(DelayContext context, Executor flusher) {
    return open(context, flusher, DelayLimits.DEFAULT);
  }

  static Delays open(DelayContext context, Executor flusher, DelayLimits limits) {
    Delays delays = new Delays(context, flusher, limits);
    try {
      boolean exists = StoreOpening.exists(context.directory());
      if (exists) {
        context.queueParts().begunFiles(); // queue.json was made anew, or a kill came between
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
   * with larger limits: no larger than the largest file that it may stand in.
   *
   * @param directory of the files of delayed messages
   * @param log the directory of the blocks
   * @return 0 if none was left
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
    long largest = 0;
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          largest = Math.max(largest, file.toFile().length());
        }
      }
    }
    return largest;
  }

  private Delays(DelayContext context, Executor flusher, DelayLimits limits) {
    this.context = context;
    this.flusher = flusher;
    this.limits = limits;
    this.saidWaiting = new RateLimitedLog(context.time());
  }

  private RiverException unreadable(IOException e) {
    return new RiverException(
        "queue " + context.queue() + ": cannot use " + context.directory() + ": " + e, e);
  }

  /** Begins to deliver; when the queue can be published to. */
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

  /**
   * Returns where the files are: a device that hangs may hold up all queues on it, and no others.
   */
  private Object volume() {
    try {
      return Files.getFileStore(context.directory());
    } catch (IOException | RuntimeException e) {
      LOG.debug("Queue {}: no volume is known of {}", context.queue(), context.directory(), e);
      return "unknown";
    }
  }

  /**
   * Publishes something with a delayed message in it.
   *
   * @throws RiverException there is no place for delayed messages; nothing was published
   */
  public <T> T publishing(Supplier<T> publish) {
    Timers open = timers;
    if (open == null) {
      open = first();
    }
    open.entering();
    try {
      return publish.get();
    } finally {
      open.left();
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
    try { // on a thread that nobody interrupts, which would close the files
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
      StoreOpening.create(context, context.log().nextSequence());
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

  /** What is done on the threads that all queues with one volume and clock share. */
  private final class Running implements ManagedTask {
    private final SharedTaskManager share;
    private final Timers open;
    private long dueNanos; // when there is something to do again; confined to its steps

    Running(SharedTaskManager share, Timers open) {
      this.share = share;
      this.open = open;
    }

    @Override
    public String name() {
      return "DELAYED-" + context.queue();
    }

    /** Counted from when the clock was read: the process may have stood still since. */
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
      if (saidWaiting.mayLog()) {
        LOG.warn(
            "Queue {}: delayed messages wait; trying again: {}", context.queue(), e.toString());
      }
      return LATER_NANOS;
    } catch (RuntimeException | Error e) { // a full heap too: there is no other thread for it
      if (saidWaiting.mayLog()) {
        LOG.error("Queue {}: delayed messages wait; trying again", context.queue(), e);
      }
      return LATER_NANOS;
    }
  }

  /** Returns whether there is something to {@link #flush}. */
  public boolean isDirty() {
    Timers open = timers;
    return open != null && open.isDirty();
  }

  /** Notes what a flush is to write; on the flusher, before the log is forced. */
  public void capture() {
    Timers open = timers;
    if (open != null) {
      open.capture();
    }
  }

  /**
   * Writes that to the device; on the flusher, after the log was forced. Tried again if it fails.
   */
  public void flush() {
    Timers open = timers;
    if (open != null) {
      open.flush();
      wake();
    }
  }

  /** Instead of {@link #flush}, where the log could not be forced. */
  public void postpone() {
    Timers open = timers;
    if (open != null) {
      open.postpone();
      wake(); // it knows when to ask again
    }
  }

  /** Returns the lowest sequence of the log that is still needed; the largest number if none is. */
  public long lowWatermark() {
    Timers open = timers;
    return open == null ? Long.MAX_VALUE : open.lowWatermark();
  }

  /** Messages that wait for their time, those aside that were published just now. */
  public long waiting() {
    Timers open = timers;
    return open == null ? 0 : open.waiting();
  }

  /** Returns those among them that were published before a sequence. */
  public long waitingBelow(long sequence) {
    Timers open = timers;
    return open == null ? 0 : open.waitingBelow(sequence);
  }

  /** Bytes of memory for those that wait; for tests. */
  public long heapBytes() {
    Timers open = timers;
    return open == null ? 0 : open.heapBytes();
  }

  /** Lets go of a block that leaves the log. */
  public void leave(int block) {
    Timers open = timers;
    if (open != null) {
      open.leave(block);
    }
  }

  /** Ends delivering; what is due waits. Returns when nothing is under way. */
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
    Timers open = timers;
    if (open != null) {
      open.close();
    }
  }
}
