package com.wookler.river.forward;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.subscriber.Expiries;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.transfer.Endpoint;
import com.wookler.river.core.transfer.TransferTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
  private static final int MOST_MESSAGES = 256;
  private static final int MOST_BYTES = 256 << 10;
  private static final int ROUNDS = 32; // then other queues have their turn
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(100); // of a slow filter
  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Source source;
  private final Endpoint from;
  private final String target;
  private final Path targetDirectory;
  private final BlockLog log;
  private final SubscriberConfig subscriber; // for which it transfers expired messages
  private final WorkerPool.@Nullable Serial worker; // null if it is not configured any more
  private final AtomicBoolean working = new AtomicBoolean();
  private final TransferWait wait;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final LogReader reader;

  @GuardedBy("lock")
  private final Deque<Given> given = new ArrayDeque<>(); // that is not forced there

  @GuardedBy("lock")
  private Batch batch = Batch.NONE; // read, and not given

  @GuardedBy("lock")
  private @Nullable TransferTarget to; // that was asked where to continue

  private final ForwardRule rule; // changes under the lock

  @GuardedBy("lock")
  private boolean gave; // whether the target was given any message

  @GuardedBy("lock")
  private long keptBelow; // expired messages, though the rest of their batch may not be given

  @GuardedBy("lock")
  private long saved;

  @GuardedBy("lock")
  private long savedAt;

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private final RateLimitedLog failureLog;

  private volatile boolean stopped;
  private volatile long next; // the message that is given next; these are written under the lock
  private volatile long safe;
  private final AtomicLong forwarded = new AtomicLong();
  private final AtomicLong expired = new AtomicLong();
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

  /** Messages that were read: the {@code first} were published together, below {@code firstEnd}. */
  private record Batch(List<StoredMessage> messages, int first, long firstEnd, long end) {
    static final Batch NONE = new Batch(List.of(), 0, 0, 0);

    Batch part() {
      return new Batch(messages.subList(0, first), first, firstEnd, firstEnd);
    }
  }

  /** Continues at a position; nothing is read before {@link #start}. */
  Forward(
      Source source,
      ForwardConfig config,
      ForwardPosition begin,
      WorkerPool.@Nullable Serial worker) {
    long position = begin.position();
    this.gave = begin.given();
    this.rule = new ForwardRule(config);
    this.source = source;
    this.from = source.queue();
    this.target = config.target();
    this.targetDirectory = from.base().resolve(target);
    this.log = from.log();
    this.worker = worker;
    this.subscriber = SubscriberConfig.builder("to-" + target).build();
    this.wait = new TransferWait(from.time(), PATIENCE);
    this.failureLog = new RateLimitedLog(from.time());
    this.reader = log.reader();
    this.saved = position;
    this.safe = Math.min(Math.max(position, log.firstSequence()), log.nextSequence());
    this.next = safe;
    this.savedAt = from.time().nanoTime();
    if (worker == null) {
      wait.because("queue.forward does not name it");
    }
  }

  String target() {
    return target;
  }

  long lowWatermark() {
    return safe;
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
        expired.get(),
        rule.filtered(),
        rule.failed(),
        discarded.get(),
        wait.reason());
  }

  /** Has the worker give what there is, if it is not at it; cheap. */
  void start() {
    if (worker != null && isDue() && working.compareAndSet(false, true)) {
      worker.execute(this::run);
    }
  }

  private boolean isDue() {
    return next < log.forcedEnd() || safe < next;
  }

  private void run() {
    boolean more = true;
    try {
      for (int i = 0; i < ROUNDS && more; i++) {
        more = step();
      }
    } catch (RuntimeException e) {
      more = false;
      LOG.warn("Queue {}: cannot forward to {}", from.queue(), target, e);
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
      if (!stopped && !OpenQueues.use(targetDirectory, queue -> give(queue.target(), more))) {
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
    long discard = log.capacity().discardBelow();
    if (discard > next) {
      passTo(discard, true);
    }
    if (batch.end() <= next && !read()) {
      return false;
    }
    if (!take(asked, batch)) {
      Batch least = batch.part();
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
  private boolean take(TransferTarget asked, Batch some) {
    List<StoredMessage> messages = some.messages();
    if (!messages.isEmpty() && !asked.take(from.identity(), messages, log.times())) {
      return false;
    }
    forwarded.addAndGet(messages.size());
    gave |= !messages.isEmpty();
    next = some.end();
    batch = Batch.NONE;
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
    batch = Batch.NONE;
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
    if (safe > saved && from.time().nanoTime() - savedAt >= SAVE_NANOS) {
      save();
    }
  }

  @GuardedBy("lock")
  private void passTo(long end, boolean counts) {
    if (counts) {
      discarded.addAndGet(
          end - next - log.gaps().messagesFrom(next) + log.gaps().messagesFrom(end));
    }
    next = end;
    batch = Batch.NONE;
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

  /** Reads a batch; returns whether there is one, be it of expired messages only. */
  @GuardedBy("lock")
  private boolean read() {
    List<StoredMessage> messages = new ArrayList<>();
    int bytes = 0;
    int first = 0;
    long firstEnd = 0;
    long end = log.forcedEnd();
    long began = from.time().nanoTime();
    reader.moveTo(next);
    try {
      StoredMessage message = readBelow(end);
      while (message != null && isToBeRead(message, messages)) {
        bytes += message.data().length;
        boolean isLong = from.time().nanoTime() - began >= READ_NANOS;
        if (!reader.isWithinBatch()) {
          first = firstEnd == 0 ? messages.size() : first;
          firstEnd = firstEnd == 0 ? message.sequence() + 1 : firstEnd;
          batch = new Batch(List.copyOf(messages), first, firstEnd, message.sequence() + 1);
          if (messages.size() >= MOST_MESSAGES || bytes >= MOST_BYTES || isLong) {
            return true;
          }
        }
        message = readBelow(end);
      }
    } catch (DamagedException e) {
      if (batch.end() <= next) {
        return passOver(reader.position(), messages, e);
      }
    }
    return batch.end() > next;
  }

  @GuardedBy("lock")
  private @Nullable StoredMessage readBelow(long end) {
    return reader.position() < end ? reader.next() : null;
  }

  /** Adds a message unless it has expired; returns whether reading continues. */
  @GuardedBy("lock")
  private boolean isToBeRead(StoredMessage message, List<StoredMessage> messages) {
    if (Terms.isHidden(message.terms())) {
      return true; // what is delayed is forwarded when it is due
    }
    if (log.removed().contains(message.sequence())
        || log.removed().contains(message.originalSequence())) {
      return true;
    }
    if (!isOver(message)) {
      return isJudged(message, messages);
    }
    if (message.sequence() < keptBelow) {
      return true;
    }
    if (!source.expiries().store().keep(message, subscriber)) {
      waits("expired messages cannot be transferred");
      return false;
    }
    keptBelow = message.sequence() + 1;
    expired.incrementAndGet();
    return true;
  }

  /** Adds a message as the target gets it, if it does; returns whether reading continues. */
  @GuardedBy("lock")
  private boolean isJudged(StoredMessage message, List<StoredMessage> messages) {
    long failures = rule.failed();
    try {
      StoredMessage mapped = rule.apply(message);
      if (mapped != null) {
        messages.add(mapped);
      }
    } catch (ForwardRule.Failure e) {
      waits(String.valueOf(e.getMessage()));
      return false;
    }
    if (rule.failed() > failures && failureLog.mayLog()) {
      LOG.warn(
          "Queue {}: the filter or the mapping of the forward to {} fails over {} so far, the last"
              + " is sequence {}: {}",
          from.queue(),
          target,
          Amount.of(rule.failed(), "message"),
          message.sequence(),
          rule.lastFailure());
    }
    return true;
  }

  private boolean isOver(StoredMessage message) {
    return source
        .expiries()
        .isOver(log.times(), from.time(), message.publishedMicros(), message.terms());
  }

  /** Gives first what was read before the damage, though it was published with what is lost. */
  @GuardedBy("lock")
  private boolean passOver(long at, List<StoredMessage> messages, DamagedException e) {
    if (at > next) {
      batch = new Batch(List.copyOf(messages), messages.size(), at, at);
      return true;
    }
    long end = source.passOver().applyAsLong(at);
    if (end == at) {
      waits(String.valueOf(e.getMessage()));
      return false;
    }
    passTo(end, false);
    return false;
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
      new ForwardPosition(position, gave).write(source.positions(), from.identity(), target);
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

  void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      reader.close();
      if (safe > saved) {
        save();
      }
    } finally {
      lock.unlock();
    }
  }
}
