package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.forward.ForwardPosition;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards the messages of a queue to one other: in order, batches whole, without waiting.
 *
 * <p>It gives what the log has forced: else a power loss could take a message out of the log whose
 * sequence, that of another message then, the target has already. And what was given counts as safe
 * when the target has forced it: so no message is in neither log. How far that is stands in a file,
 * which may be behind; where to go on the target says, which knows the last message that it has.
 *
 * <p>Thread-safe. It reads and gives on the worker, in a line of its own.
 */
final class Forward {
  private static final Logger LOG = LoggerFactory.getLogger(Forward.class);
  private static final int MOST_MESSAGES = 256;
  private static final int MOST_BYTES = 256 << 10;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Source source;
  private final String target;
  private final BlockLog log;
  private final TimeSource time;
  private final SubscriberConfig subscriber; // as which it hands expired messages on
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final LogReader reader;

  @GuardedBy("lock")
  private final Deque<Given> given = new ArrayDeque<>(); // that is not forced there

  @GuardedBy("lock")
  private Batch batch = Batch.NONE; // read, and not given

  @GuardedBy("lock")
  private @Nullable ForwardTarget to; // that it has asked where to go on

  /** Expired messages below it are handed on, though the rest of their batch may not be. */
  @GuardedBy("lock")
  private long keptBelow;

  @GuardedBy("lock")
  private long saved;

  @GuardedBy("lock")
  private long savedAt;

  @GuardedBy("lock")
  private long waitsSince;

  @GuardedBy("lock")
  private boolean closed;

  private volatile long next; // the message that is given next; these are written under the lock
  private volatile long safe;
  private final AtomicLong forwarded = new AtomicLong();
  private final AtomicLong expired = new AtomicLong();
  private final AtomicLong discarded = new AtomicLong();
  private volatile String waiting = "";

  /** The queue from which it forwards. */
  record Source(
      QueueConfig<?> config,
      DataDirectory directory,
      BlockLog log,
      ExpiryQueues expiryQueues,
      Forwards.PassOver passOver) {}

  /** Messages up to one of the source's, which are in the target below one of its sequences. */
  private record Given(long end, long targetEnd) {}

  /**
   * Messages that were read.
   *
   * @param first how many of them were published together with the first
   * @param firstEnd the sequence behind these
   * @param end the sequence behind all
   */
  private record Batch(List<StoredMessage> messages, int first, long firstEnd, long end) {
    static final Batch NONE = new Batch(List.of(), 0, 0, 0);

    /** The least that can be given. */
    Batch part() {
      return new Batch(messages.subList(0, first), first, firstEnd, firstEnd);
    }
  }

  /** Goes on at a position; nothing is read before {@link #work}. */
  Forward(Source source, String target, long position) {
    this.source = source;
    this.target = target;
    this.log = source.log();
    this.time = source.config().time();
    this.subscriber = SubscriberConfig.builder("to-" + target).build();
    this.reader = log.reader();
    this.saved = position;
    this.safe = Math.min(Math.max(position, log.firstSequence()), log.nextSequence());
    this.next = safe;
    this.savedAt = time.nanoTime();
    this.waitsSince = savedAt;
  }

  String target() {
    return target;
  }

  /** Blocks with messages from this one on have to stay. */
  long floor() {
    return safe;
  }

  long discarded() {
    return discarded.get();
  }

  ForwardStats stats() {
    long at = next;
    long lag = Math.max(0, log.nextSequence() - at - log.gaps().messagesFrom(at));
    return new ForwardStats(
        target, at, lag, safe, forwarded.get(), expired.get(), discarded.get(), waiting);
  }

  /** Whether there is something to do; cheap. */
  boolean isDue() {
    return next < log.forcedEnd() || safe < next;
  }

  /** Gives what there is, up to a batch; returns whether there is more to do at once. */
  boolean work() {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      boolean[] more = {false};
      Path directory = source.config().directory().resolve(target);
      boolean open = OpenQueues.use(directory, queue -> give(queue, more));
      if (!open) {
        to = null;
        waits("it is not open");
      }
      return more[0];
    } finally {
      lock.unlock();
    }
  }

  private boolean give(OpenQueue queue, boolean[] more) {
    lock.lock(); // it is held
    try {
      more[0] = give(queue);
    } catch (QueueFullException e) {
      waits("it is full");
    } catch (RiverException e) {
      LOG.debug("Queue {}: {} does not take messages", source.config().name(), target, e);
      waits(String.valueOf(e.getMessage()));
    } finally {
      lock.unlock();
    }
    return true;
  }

  @GuardedBy("lock")
  private boolean give(OpenQueue queue) {
    ForwardTarget asked = queue.target();
    if (asked != to) {
      resume(asked);
      to = asked;
    }
    advance(asked);
    discardAsTold();
    if (batch.end() <= next && !read()) {
      return false;
    }
    if (batch.messages().isEmpty()) {
      given(batch, asked); // all of them expired
      return true;
    }
    if (!take(queue, asked, batch)) {
      Batch least = batch.part();
      if (least.end() == batch.end() || !take(queue, asked, least)) {
        waits("it is full");
        return false;
      }
    }
    waiting = "";
    return true;
  }

  @GuardedBy("lock")
  private boolean take(OpenQueue queue, ForwardTarget asked, Batch some) {
    UUID from = source.directory().identity();
    if (!queue.publisher().take(asked, from, some.messages(), log.times())) {
      return false;
    }
    given(some, asked);
    return true;
  }

  @GuardedBy("lock")
  private void given(Batch some, ForwardTarget asked) {
    forwarded.addAndGet(some.messages().size());
    next = some.end();
    batch = Batch.NONE;
    given.add(new Given(next, asked.end()));
  }

  /** Finds out where to go on: behind what the target has. */
  @GuardedBy("lock")
  private void resume(ForwardTarget asked) {
    long known = asked.last(source.directory().identity(), safe > 0) + 1;
    if (known > log.nextSequence()) {
      LOG.warn(
          "Queue {}: the queue {} has a message {} of it, which it does not know; forwarding from"
              + " sequence {} on all the same",
          source.config().name(),
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
  private void advance(ForwardTarget asked) {
    long forced = asked.forcedEnd();
    for (Given first = given.peek(); first != null && first.targetEnd() <= forced; ) {
      safe = first.end();
      given.remove();
      first = given.peek();
    }
    if (safe > saved && time.nanoTime() - savedAt >= SAVE_NANOS) {
      save();
    }
  }

  @GuardedBy("lock")
  private void discardAsTold() {
    long end = log.room().discardBelow();
    if (end > next) {
      passTo(end, true);
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

  /** Has it give up what is below a sequence, for the block goes. */
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
    reader.moveTo(next);
    try {
      StoredMessage message = readBelow(end);
      while (message != null && isToBeRead(message, messages)) {
        bytes += message.data().length;
        if (!reader.isWithinBatch()) {
          first = firstEnd == 0 ? messages.size() : first;
          firstEnd = firstEnd == 0 ? message.sequence() + 1 : firstEnd;
          batch = new Batch(List.copyOf(messages), first, firstEnd, message.sequence() + 1);
          if (messages.size() >= MOST_MESSAGES || bytes >= MOST_BYTES) {
            return true;
          }
        }
        message = readBelow(end);
      }
    } catch (DamagedMessageException e) {
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

  /** Puts it among the others, unless it has expired; returns whether reading goes on. */
  @GuardedBy("lock")
  private boolean isToBeRead(StoredMessage message, List<StoredMessage> messages) {
    Terms terms = message.terms();
    if (terms != null && terms.delayMicros() > 0) {
      return true; // it is forwarded when it is due
    }
    if (!isOver(message, terms)) {
      messages.add(message);
      return true;
    }
    if (message.sequence() < keptBelow) {
      return true;
    }
    if (!source.expiryQueues().keep(message, subscriber)) {
      waits("expired messages cannot be handed on");
      return false;
    }
    keptBelow = message.sequence() + 1;
    expired.incrementAndGet();
    return true;
  }

  private boolean isOver(StoredMessage message, @Nullable Terms terms) {
    long maxAge = source.config().maxAgeMicros();
    if (terms == null && maxAge == Long.MAX_VALUE) {
      return false;
    }
    long published = log.times().wallOf(message.originalMicros());
    long byAge = maxAge > Long.MAX_VALUE - published ? maxAge : published + maxAge;
    long at = terms == null ? byAge : Math.min(byAge, terms.expiresAt(published));
    return at != Long.MAX_VALUE && time.epochMicros() >= at;
  }

  /** What was read before the damage goes first, though it was published with what is lost. */
  @GuardedBy("lock")
  private boolean passOver(long at, List<StoredMessage> messages, DamagedMessageException e) {
    if (at > next) {
      batch = new Batch(List.copyOf(messages), messages.size(), at, at);
      return true;
    }
    long end = source.passOver().from(at);
    if (end == at) {
      waits(String.valueOf(e.getMessage()));
      return false;
    }
    passTo(end, false);
    return false;
  }

  @GuardedBy("lock")
  private void waits(String why) {
    long now = time.nanoTime();
    boolean begins = waiting.isEmpty();
    waiting = why;
    if (begins) {
      waitsSince = now;
    } else if (waitsSince != Long.MIN_VALUE && now - waitsSince >= PATIENCE_NANOS && isDue()) {
      waitsSince = Long.MIN_VALUE; // said once
      LOG.warn(
          "Queue {}: not forwarded to the queue {} yet: {}: {}",
          source.config().name(),
          target,
          Amount.of(log.nextSequence() - next, "message"),
          why);
    }
  }

  @GuardedBy("lock")
  private void save() {
    savedAt = time.nanoTime();
    long position = safe;
    try {
      source.expiryQueues().force(subscriber.name());
      ForwardPosition.write(
          source.directory().forwards(), source.directory().identity(), target, position);
      saved = position;
    } catch (IOException | RiverException e) {
      LOG.warn(
          "Queue {}: cannot keep how far it has forwarded to {}; trying again",
          source.config().name(),
          target,
          e);
    }
  }

  /** Says why nothing is forwarded at all. */
  void rests(String why) {
    waiting = why;
  }

  /** Lets go of a block that leaves the log. */
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
