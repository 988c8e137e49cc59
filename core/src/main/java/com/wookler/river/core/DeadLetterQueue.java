package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Interrupts;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.common.utils.Require;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetter;
import com.wookler.river.core.subscriber.DeadLetterStore;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.ReadOnlyDelivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dead letters of one subscriber: a queue in its directory, made with the first letter.
 *
 * <p>It has two internal subscribers: {@code letters} has not completed the letters that users see,
 * {@code settled} is at the position that {@link DeadLetterStore#settle} sets. Both keep the blocks
 * that they need.
 *
 * <p>Each use of the queue holds {@code use} shared; closing takes it alone. A use never waits for
 * a closing, because closing waits for the pools, on whose threads uses run.
 */
final class DeadLetterQueue<M> implements DeadLetterStore<M>, DeadLetters<M> {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterQueue.class);
  private static final int STEP = 64;
  private static final long LARGEST_MESSAGE = 128L << 20;
  private static final int STEPS_A_SECOND = 10;
  private static final int NO_ROOM = -1;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final QueueConfig<M> config;
  private final QueueStorage storage;
  private final WorkerPool.Serial line;
  private final Predicate<List<StoredMessage>> redrive;
  private final BiConsumer<DeadLetters<?>, String> transfer;
  private final String subscriber;
  private final String name;
  private final Path directory;
  private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();
  private final ReentrantLock opening = new ReentrantLock(); // taken under use
  private final ReentrantLock redriving = new ReentrantLock(); // taken before use
  private final ReentrantLock moving = new ReentrantLock(); // taken under use

  @GuardedBy("moving")
  private final DeadLetterDrops drops;

  private volatile @Nullable Parts parts; // written under opening, or use alone

  @GuardedBy("use")
  private boolean closed;

  private record Parts(
      RunningQueue<byte[]> queue, DurableSubscriber<byte[]> letters, Subscriber<byte[]> settled) {}

  @FunctionalInterface
  private interface Action<T> {
    T with(Parts parts);
  }

  /**
   * Prepares the dead letters of a subscriber, which the queue of {@code storage} makes on {@code
   * line}. {@code redrive} publishes messages again, on the device when it returns; false: there is
   * no capacity now, and the queue is one to wait for it. {@code transfer} moves letters to another
   * queue.
   */
  DeadLetterQueue(
      QueueConfig<M> config,
      QueueStorage storage,
      WorkerPool.Serial line,
      Predicate<List<StoredMessage>> redrive,
      BiConsumer<DeadLetters<?>, String> transfer,
      String subscriber,
      Path directory) {
    this.config = config;
    this.storage = storage;
    this.line = line;
    this.redrive = redrive;
    this.transfer = transfer;
    this.subscriber = subscriber;
    this.name = config.name() + "." + subscriber + Names.DEAD;
    this.directory = directory;
    this.drops = new DeadLetterDrops(storage, subscriber);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DeadLetters<M> letters() {
    return this;
  }

  /** Runs an action if there is a queue, which is created first if {@code make}. */
  private <T> T use(boolean make, T otherwise, Action<T> action) {
    if (!use.readLock().tryLock()) {
      throw closed();
    }
    try {
      if (closed) {
        throw closed();
      }
      Parts open = open(make);
      return open == null ? otherwise : action.with(open);
    } finally {
      use.readLock().unlock();
    }
  }

  private void useIfThere(Consumer<Parts> action) {
    use(
        false,
        false,
        open -> {
          action.accept(open);
          return true;
        });
  }

  private QueueClosedException closed() {
    return new QueueClosedException("the dead letters " + name + " are closed");
  }

  private @Nullable Parts open(boolean make) {
    Parts open = parts;
    if (open != null || !(make || Files.exists(directory.resolve(name)))) {
      return open;
    }
    opening.lock();
    try {
      open = parts;
      if (open == null) {
        open = Interrupts.deferred(this::start);
        parts = open;
      }
      return open;
    } finally {
      opening.unlock();
    }
  }

  /**
   * Opens the queue. One that is too damaged is quarantined, and a new one is created, so that the
   * subscriber continues. An error of the device is thrown instead.
   */
  private Parts start() {
    Path own = directory.resolve(name);
    try {
      return startQueue();
    } catch (RiverException e) {
      if (!Files.exists(own) || isRefusedByDevice(e)) {
        throw e;
      }
      Path aside = quarantine(own, e);
      LOG.warn(
          "Queue {}: damaged: the dead letters of {} cannot be opened: {}; kept as {}, where"
              + " ./river salvage saves what can be proven. New ones are collected in a new queue",
          config.name(),
          subscriber,
          e.getMessage(),
          aside);
      return startQueue();
    }
  }

  private static boolean isRefusedByDevice(Throwable error) {
    for (Throwable at = error; at != null; at = at.getCause()) {
      if (at instanceof IOException) {
        return true;
      }
    }
    return error instanceof QueueLockedException;
  }

  private static Path quarantine(Path own, RiverException why) {
    try {
      return DurableFiles.quarantine(own);
    } catch (IOException e) {
      why.addSuppressed(e);
      throw why;
    }
  }

  private Parts startQueue() {
    Settings settings =
        QueueOptions.TABLE
            .defaults()
            .with(QueueOptions.DIRECTORY, directory)
            .with(QueueOptions.MAX_MESSAGE_BYTES, LARGEST_MESSAGE) // older messages may be larger
            .with(QueueOptions.UNUSED_BLOCKS, 0L) // letters wait for an operator
            .with(QueueOptions.UNUSED_AGE, Duration.ZERO)
            .with(QueueOptions.DISK_RESERVE, config.find(QueueOptions.DISK_RESERVE))
            .with(QueueOptions.SYNC_INTERVAL, config.get(QueueOptions.SYNC_INTERVAL));
    RunningQueue<byte[]> queue =
        RunningQueue.ofDeadLetters(
            new QueueConfig<>(
                name,
                MessageConverter.bytes(),
                settings,
                SizeBasedRecycle.ofBytes(settings.get(QueueOptions.BLOCK_BYTES)), // not four
                QueueConfig.Start.EMPTY,
                config.time()));
    try {
      return new Parts(
          queue,
          queue.subscribers().open(SubscriberConfig.builder("letters").ack(true).build()),
          queue.subscribers().open(SubscriberConfig.builder("settled").build()));
    } catch (Throwable e) {
      FirstFailure.closeAfter(e, () -> queue.close(false));
      throw e;
    }
  }

  @Override
  public long add(DeadLetter letter) {
    Message<byte[]> message = letter.toMessage(config.name(), subscriber);
    return use(true, 0L, open -> open.queue().publisher().publish(message));
  }

  @Override
  public void force() {
    useIfThere(open -> open.queue().log().force());
  }

  @Override
  public void settle(long end) {
    try {
      useIfThere(open -> open.settled().seek(Position.sequence(end)));
    } catch (QueueClosedException e) {
      // the next opening reads which are settled
    }
  }

  @Override
  public List<DeadLetter.Source> unsettled() {
    return use(
        false,
        List.of(),
        open -> {
          List<DeadLetter.Source> sources = new ArrayList<>();
          long from = open.settled().stats().ackFloor();
          int count = (int) Math.min(Integer.MAX_VALUE, open.queue().log().nextSequence() - from);
          for (StoredMessage letter : open.queue().lookup().read(from, count)) {
            DeadLetter.Source source = DeadLetter.source(letter.headers());
            if (source != null) {
              sources.add(source);
            }
          }
          return sources;
        });
  }

  @Override
  public long end() {
    return count(open -> open.queue().log().nextSequence());
  }

  @Override
  public void report(DeadLetter letter) {
    storage.notifyListeners(listeners -> listeners.deadLetter(subscriber, letter));
  }

  @Override
  public void later(Runnable task) {
    line.execute(task);
  }

  @Override
  public void copyTo(Path copy) {
    useIfThere(open -> open.queue().snapshotTo(copy.resolve(name)));
  }

  private long count(ToLongFunction<Parts> what) {
    return use(false, 0L, what::applyAsLong);
  }

  @Override
  public long size() {
    return count(open -> open.letters().stats().lag());
  }

  @Override
  public long purge() {
    redriving.lock();
    try {
      return count(this::purge);
    } finally {
      redriving.unlock();
    }
  }

  private long purge(Parts open) {
    moving.lock();
    try {
      return open.letters().purge();
    } finally {
      moving.unlock();
    }
  }

  @Override
  public long drop(long most, Duration age) {
    return count(open -> drop(open, most, age));
  }

  /** Drops none while a step of a redrive has taken letters; the next call drops them. */
  private long drop(Parts open, long most, Duration age) {
    if (!moving.tryLock()) {
      return 0;
    }
    try {
      return drops.drop(open.letters(), open.queue().log(), most, age);
    } finally {
      moving.unlock();
    }
  }

  @Override
  public List<Delivery<M>> peek(int max) {
    return peek(max, Long.MAX_VALUE);
  }

  @Override
  public List<Delivery<M>> peek(int max, long maxBytes) {
    Require.positive(max, "max");
    return use(
        false,
        List.of(),
        open -> {
          List<Delivery<M>> found = new ArrayList<>();
          for (StoredMessage letter : open.letters().waiting(0, max, maxBytes)) {
            found.add(new ReadOnlyDelivery<>(config.name(), letter, config.converter(), 0));
          }
          return found;
        });
  }

  @Override
  public void transfer(String target) {
    transfer.accept(this, target);
  }

  @Override
  public long forcedEnd() {
    return count(
        open -> {
          open.queue().log().force();
          return open.queue().log().forcedEnd();
        });
  }

  @Override
  public long move(long from, int max, Mover mover) {
    Require.positive(max, "max");
    return use(false, -1L, open -> move(open, from, max, mover));
  }

  private long move(Parts open, long from, int max, Mover mover) {
    moving.lock();
    try {
      BlockLog log = open.queue().log();
      List<StoredMessage> waiting = open.letters().waiting(from, max, Long.MAX_VALUE);
      if (!waiting.isEmpty() && waiting.get(waiting.size() - 1).sequence() >= log.forcedEnd()) {
        log.force(); // else a power loss could give its sequence to another letter
      }
      long end = log.forcedEnd();
      List<StoredMessage> shown = waiting.stream().filter(each -> each.sequence() < end).toList();
      if (shown.isEmpty()) {
        return -1;
      }
      Set<Long> moved = mover.move(open.queue().identity(), shown);
      if (!moved.isEmpty()) {
        open.letters().complete(moved);
        open.queue().force();
      }
      return shown.get(shown.size() - 1).sequence() + 1;
    } finally {
      moving.unlock();
    }
  }

  @Override
  public int redrive(int max) {
    return redrive(max, 0);
  }

  @Override
  public int redrive(int max, int perSecond) {
    Require.positive(max, "max");
    if (perSecond < 0) {
      throw new IllegalArgumentException("perSecond is " + perSecond + "; it must be 0 or more");
    }
    int step = perSecond == 0 ? STEP : Math.max(1, Math.min(STEP, perSecond / STEPS_A_SECOND));
    redriving.lock();
    try {
      long started = config.time().nanoTime();
      int moved = 0;
      while (moved < max && !Thread.currentThread().isInterrupted()) {
        int wanted = Math.min(step, max - moved);
        int some;
        try {
          some = redriveOnce(wanted);
        } catch (QueueFullException e) {
          if (moved == 0) {
            throw e;
          }
          return moved;
        }
        moved += some;
        if (some == 0) {
          break;
        }
        if (perSecond > 0 && moved < max) {
          waitUntil(started + TimeUnit.SECONDS.toNanos(moved) / perSecond);
        }
      }
      return moved;
    } finally {
      redriving.unlock();
    }
  }

  /**
   * Redrives one step, or one letter, as soon as there is capacity. It waits without {@code use},
   * so that subscriber and queue can be closed meanwhile.
   */
  private int redriveOnce(int max) {
    TimeSource time = config.time();
    Duration timeout = config.get(QueueOptions.FULL_TIMEOUT);
    long started = time.nanoTime();
    int some = use(false, 0, open -> redriveSome(open, max));
    while (some == NO_ROOM && !Thread.currentThread().isInterrupted()) {
      if (Duration.ofNanos(time.nanoTime() - started).compareTo(timeout) >= 0) {
        throw new QueueFullException(
            "queue " + config.name() + " is full, and has had no capacity in " + timeout);
      }
      time.park(this, LOOK_NANOS);
      some = use(false, 0, open -> redriveSome(open, max));
    }
    return Math.max(0, some);
  }

  private void waitUntil(long nanos) {
    long left = nanos - config.time().nanoTime();
    while (left > 0 && !Thread.currentThread().isInterrupted() && !isClosed()) {
      config.time().park(this, Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
      left = nanos - config.time().nanoTime();
    }
  }

  private boolean isClosed() {
    if (!use.readLock().tryLock()) {
      return true;
    }
    try {
      return closed;
    } finally {
      use.readLock().unlock();
    }
  }

  /**
   * Redrives some in their order, or one where they do not fit together, and returns how many;
   * {@link #NO_ROOM} if there is no capacity now.
   */
  private int redriveSome(Parts open, int max) {
    moving.lock();
    try {
      List<Delivery<byte[]>> taken = new ArrayList<>();
      for (Delivery<byte[]> letter = open.letters().next();
          letter != null;
          letter = taken.size() < max ? open.letters().next() : null) {
        taken.add(letter);
      }
      int done = 0;
      try {
        done = publish(taken);
      } finally { // the rest at once, so that they stay in their order
        taken.subList(done, taken.size()).forEach(Delivery::release);
      }
      if (done > 0) {
        open.letters().ack(taken.subList(0, done));
      }
      return done == 0 && !taken.isEmpty() ? NO_ROOM : done;
    } finally {
      moving.unlock();
    }
  }

  private int publish(List<Delivery<byte[]>> letters) {
    List<StoredMessage> messages = letters.stream().map(this::redriven).toList();
    try {
      if (messages.isEmpty() || redrive.test(messages)) {
        return messages.size();
      }
    } catch (QueueFullException e) {
      if (messages.size() == 1) {
        throw e;
      }
    }
    return messages.size() > 1 && redrive.test(messages.subList(0, 1)) ? 1 : 0;
  }

  private StoredMessage redriven(Delivery<byte[]> letter) {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    letter
        .headers()
        .forEach(
            (header, value) -> {
              if (!header.startsWith(PREFIX)) {
                headers.put(header, value);
              }
            });
    headers.put(REDRIVEN_TO, subscriber.getBytes(StandardCharsets.UTF_8));
    byte[] from = letter.headers().get(SEQUENCE);
    if (from != null) {
      headers.put(REDRIVEN_FROM, from);
    }
    return new StoredMessage(letter.sequence(), 0, letter.data(), letter.key(), headers, null);
  }

  @Override
  public void close() {
    use.writeLock().lock();
    try {
      closed = true;
      Parts open = parts;
      parts = null;
      if (open != null) {
        open.queue().close(false);
      }
    } finally {
      use.writeLock().unlock();
    }
  }
}
