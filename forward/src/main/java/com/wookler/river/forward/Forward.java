package com.wookler.river.forward;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RetryBackoff;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.TransferStats;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Expiries;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.transfer.Endpoint;
import com.wookler.river.core.transfer.TransferTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transfers the messages of a queue to one other: in order, batches whole, without waiting.
 *
 * <p>It gives only what the log has forced, and what was given counts as safe when the target has
 * forced it: so no message is in neither log. A file keeps how far that is, and may be behind. The
 * target, which knows the last message that it has, says where to continue.
 *
 * <p>Thread-safe. It reads and gives on the worker, in a serial executor of its own.
 */
final class Forward {
  private static final Logger LOG = LoggerFactory.getLogger(Forward.class);
  private static final int ROUNDS = 32; // then other queues have their turn
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Source source;
  private final Endpoint from;
  private final String target;
  private final Path targetDirectory;
  private final BlockLog log;
  private final SubscriberConfig subscriber; // for which it transfers expired messages
  private final WorkerPool.@Nullable Serial worker; // null if nothing is to be forwarded
  private final AtomicBoolean working = new AtomicBoolean();
  private final TransferWait wait;
  private final RetryBackoff retry; // confined to the worker, but for isTime
  private final ReentrantLock lock = new ReentrantLock();

  private final ForwardReader reader; // used under the lock, but for its number

  @GuardedBy("lock")
  private final Deque<Given> given = new ArrayDeque<>(); // that is not forced there

  @GuardedBy("lock")
  private ForwardReader.Batch batch = ForwardReader.Batch.NONE; // read, and not given

  @GuardedBy("lock")
  private @Nullable TransferTarget to; // that was asked where to continue

  private final ForwardRule rule; // changes under the lock

  @GuardedBy("lock")
  private @Nullable Map<String, String> options; // as they are kept, of a target that was added

  @GuardedBy("lock")
  private boolean gave; // whether the target was given any message

  @GuardedBy("lock")
  private boolean closed;

  private volatile boolean stopped;
  private volatile long next; // the message that is given next; these are written under the lock
  private volatile long safe;
  private volatile long saved;
  private volatile long savedAt;
  private final AtomicLong forwarded = new AtomicLong();
  private final AtomicLong discarded = new AtomicLong();

  /**
   * The queue from which it forwards; {@code passOver} returns where the log continues after lost
   * messages, or the same sequence if that is not known.
   */
  record Source(Endpoint queue, Expiries expiries, LongUnaryOperator passOver) {
    Path positions() {
      return queue.directory().resolve(ForwardPosition.DIRECTORY);
    }
  }

  /** Messages up to one of the source's, which are in the target below one of its sequences. */
  private record Given(long end, long targetEnd) {}

  /**
   * Continues at a position; nothing is read before {@link #start}.
   *
   * @param worker null if nothing is to be forwarded, because of {@code idle}
   */
  Forward(
      Source source,
      ForwardConfig config,
      ForwardPosition begin,
      WorkerPool.@Nullable Serial worker,
      String idle) {
    long position = begin.position();
    this.gave = begin.given();
    this.options = begin.options();
    this.rule = new ForwardRule(config);
    this.source = source;
    this.from = source.queue();
    this.target = config.target();
    this.targetDirectory = from.base().resolve(target);
    this.log = from.log();
    this.worker = worker;
    this.subscriber = SubscriberConfig.builder("to-" + target).build();
    this.retry = new RetryBackoff(from.time());
    this.wait = new TransferWait(from.time(), PATIENCE);
    this.reader = new ForwardReader(source, rule, subscriber, this::waits);
    this.saved = position;
    this.safe = Math.min(Math.max(position, log.firstSequence()), log.nextSequence());
    this.next = safe;
    this.savedAt = from.time().nanoTime();
    if (worker == null) {
      wait.because(idle);
    }
  }

  String target() {
    return target;
  }

  boolean isActive() {
    return worker != null;
  }

  ForwardConfig config() {
    lock.lock();
    try {
      return rule.config();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how far it is, as it would be kept. */
  ForwardPosition position() {
    lock.lock();
    try {
      return new ForwardPosition(safe, gave, options);
    } finally {
      lock.unlock();
    }
  }

  /** Keeps other settings, and judges by them what was not given yet. */
  void become(ForwardConfig config) throws IOException {
    lock.lock();
    try {
      Map<String, String> texts = ForwardOptions.texts(config);
      source.expiries().store().force(subscriber.name()); // what is passed by the position
      new ForwardPosition(safe, gave, texts).write(source.positions(), from.identity(), target);
      options = texts;
      rule.become(config);
      batch = ForwardReader.Batch.NONE; // read again, and judged by others
    } finally {
      lock.unlock();
    }
  }

  long lowWatermark() {
    return safe;
  }

  /** Has what is up to a message forced, and so given soon. */
  void hurry(long sequence) {
    long forced = log.forcedEnd();
    if (sequence >= forced && sequence < log.nextSequence()) {
      CompletableFuture<Long> unused =
          log.commits()
              .future(sequence, sequence + 1)
              .whenComplete((done, failed) -> start()); // which looks what is forced
    }
    start();
  }

  /**
   * Returns whether the target has what it is to have up to a message, as durable as its own
   * publishes are; if not, has that continue.
   */
  boolean holds(long sequence) {
    if (safe > sequence) {
      return true;
    }
    start();
    return next > sequence && OpenQueues.use(targetDirectory, Forward::isDurable);
  }

  /** Returns whether what a queue has is as durable as its publishes; else has it forced. */
  private static boolean isDurable(OpenQueue queue) {
    if (queue.durability().get() == Durability.MEMORY) {
      return true;
    }
    long end = queue.log().nextSequence();
    if (queue.log().forcedEnd() < end) {
      CompletableFuture<Long> unused = queue.log().commits().future(end - 1, end);
    }
    return false; // until the position is past it
  }

  long discarded() {
    return discarded.get();
  }

  ForwardStats stats() {
    long at = next;
    long lag = Math.max(0, log.nextSequence() - at - log.gaps().messagesFrom(at));
    return new ForwardStats(
        target,
        at,
        lag,
        safe,
        forwarded.get(),
        reader.expired(),
        rule.filtered(),
        rule.failed(),
        discarded.get(),
        wait.reason());
  }

  TransferStats transferStats() {
    ForwardStats stats = stats();
    return new TransferStats(
        TransferStats.QUEUE,
        target,
        null,
        stats.position(),
        stats.lag(),
        stats.forwarded(),
        stats.failed(),
        stats.waiting(),
        null,
        worker == null);
  }

  /** Has the worker give what there is, if it is not at it; cheap. */
  void start() {
    if (worker != null && isDue() && retry.isTime() && working.compareAndSet(false, true)) {
      worker.execute(this::run);
    }
  }

  private boolean isDue() {
    return hasMore() || isUnsaved();
  }

  private boolean hasMore() {
    return next < log.forcedEnd() || safe < next;
  }

  /** Returns whether the position is to be saved, also where no message comes any more. */
  private boolean isUnsaved() {
    return safe > saved && from.time().nanoTime() - savedAt >= SAVE_NANOS;
  }

  private void run() {
    boolean more = true;
    try {
      for (int i = 0; i < ROUNDS && more; i++) {
        more = step();
      }
      retry.succeeded();
    } catch (Throwable e) { // also an error
      more = false;
      LOG.warn(
          "Queue {}: cannot forward to {}; next try in {} s",
          from.queue(),
          target,
          retry.failed(),
          e);
    } finally {
      working.set(more);
    }
    if (more && worker != null) {
      worker.execute(this::run);
    }
  }

  void stop() {
    stopped = true;
    if (worker != null) {
      worker.drain();
    }
  }

  /** Gives what there is, up to a batch. Returns whether there is more to do at once. */
  private boolean step() {
    lock.lock();
    try {
      boolean[] more = {false};
      if (stopped || closed) {
        return false;
      }
      if (isUnsaved()) {
        save();
      }
      if (hasMore() && !OpenQueues.use(targetDirectory, queue -> give(queue.target(), more))) {
        to = null;
        waits("it is not open");
      }
      return more[0];
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("GuardedBy") // called under the lock
  private boolean give(TransferTarget asked, boolean[] more) {
    try {
      more[0] = give(asked);
    } catch (QueueFullException e) {
      waits("it is full");
    } catch (RiverException e) {
      LOG.debug("Queue {}: {} does not take messages", from.queue(), target, e);
      waits(String.valueOf(e.getMessage()));
    }
    return true;
  }

  @GuardedBy("lock")
  private boolean give(TransferTarget asked) {
    if (asked != to) {
      resume(asked);
      to = asked;
    }
    advance(asked);
    if (!from.delivers().getAsBoolean()) {
      return false;
    }
    long first = log.firstSequence();
    if (first > next) {
      passTo(first, false); // it was added while these blocks went
    }
    long discard = log.capacity().discardBelow();
    if (discard > next) {
      passTo(discard, true);
    }
    if (batch.end() <= next) {
      batch = reader.read(next);
    }
    if (batch.end() <= next) {
      return false;
    }
    if (!take(asked, batch)) {
      ForwardReader.Batch least = batch.part();
      if (least.end() == batch.end() || !take(asked, least)) {
        waits("it is full");
        return false;
      }
    }
    wait.over();
    return true;
  }

  /** Gives a batch, of which all may have expired; returns whether there was capacity. */
  @GuardedBy("lock")
  private boolean take(TransferTarget asked, ForwardReader.Batch some) {
    List<StoredMessage> messages = some.messages();
    if (!messages.isEmpty() && !asked.take(from.identity(), messages, log.times())) {
      return false;
    }
    forwarded.addAndGet(messages.size());
    gave |= !messages.isEmpty();
    next = some.end();
    batch = ForwardReader.Batch.NONE;
    given.add(new Given(next, asked.end()));
    return true;
  }

  /** Finds out where to continue: after what the target has. */
  @GuardedBy("lock")
  private void resume(TransferTarget asked) {
    long known = asked.last(from.identity(), gave) + 1;
    gave |= known > 0;
    if (known > log.nextSequence()) {
      LOG.warn(
          "Queue {}: the queue {} has a message {} of it, which it does not know; forwarding from"
              + " sequence {} on all the same",
          from.queue(),
          target,
          known - 1,
          safe);
      known = safe;
    }
    given.clear();
    batch = ForwardReader.Batch.NONE;
    next = Math.max(safe, known);
    if (next > safe) {
      given.add(new Given(next, asked.end()));
    }
  }

  @GuardedBy("lock")
  private void advance(TransferTarget asked) {
    long forced = asked.forcedEnd();
    for (Given first = given.peek(); first != null && first.targetEnd() <= forced; ) {
      safe = first.end();
      given.remove();
      first = given.peek();
    }
  }

  @GuardedBy("lock")
  private void passTo(long end, boolean counts) {
    if (counts) {
      discarded.addAndGet(
          end - next - log.gaps().messagesFrom(next) + log.gaps().messagesFrom(end));
    }
    next = end;
    batch = ForwardReader.Batch.NONE;
    given.add(new Given(end, 0)); // nothing to wait for but what was given before
  }

  void discard(long end) {
    lock.lock();
    try {
      if (end > next) {
        passTo(end, true);
      }
      if (end > safe) {
        safe = end;
        given.removeIf(some -> some.end() <= end);
      }
    } finally {
      lock.unlock();
    }
  }

  private void waits(String why) {
    if (wait.because(why)) {
      LOG.warn(
          "Queue {}: not forwarded to the queue {} yet: {}: {}",
          from.queue(),
          target,
          Amount.of(log.nextSequence() - next, "message"),
          why);
    }
  }

  @GuardedBy("lock")
  private void save() {
    savedAt = from.time().nanoTime();
    long position = safe;
    try {
      source.expiries().store().force(subscriber.name());
      new ForwardPosition(position, gave, options)
          .write(source.positions(), from.identity(), target);
      saved = position;
    } catch (IOException | RiverException e) {
      LOG.warn(
          "Queue {}: cannot keep how far it has forwarded to {}; trying again",
          from.queue(),
          target,
          e);
    }
  }

  void leave(int block) {
    lock.lock();
    try {
      if (!closed) {
        reader.leave(block);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Closes; {@code keeps}: what it knows is kept on disk. */
  void close(boolean keeps) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      reader.close();
      if (keeps && safe > saved) {
        save();
      }
    } finally {
      lock.unlock();
    }
  }
}
