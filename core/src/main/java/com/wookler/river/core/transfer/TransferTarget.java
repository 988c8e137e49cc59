package com.wookler.river.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.OriginSet;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.AfterLog;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Capacity;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.log.StoredTimes;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the messages that others transfer to a queue, and knows which of them the queue has, so
 * that none is stored twice: of each source in order the last one, and of messages that expired,
 * which come in any order, which ones.
 *
 * <p><b>The log is the truth.</b> Each message has its origin in a header, in the same document. A
 * file keeps what is known, so that an opening reads the end of the log only; it is written now and
 * then, after a force of the log, and before a block is deleted. A queue to which nothing is
 * transferred has no file.
 *
 * <p>Thread-safe. No subscriber is asked and nothing waits for capacity under its lock.
 */
public final class TransferTarget implements AfterLog {
  /** The position of a source from which there is nothing. */
  public static final long NONE = -1;

  private static final Logger LOG = LoggerFactory.getLogger(TransferTarget.class);
  private static final long KNOWN = -2; // as the result of an append: the message is here
  private static final long COVERED_STEP = 10_000;

  private final Endpoint own;
  private final Path file;
  private final BlockLog log;
  private final Parts parts;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<UUID, Long> last = new HashMap<>();

  @GuardedBy("lock")
  private final OriginSet expired = new OriginSet(); // and what continues a delivery

  private final Object begins = new Object(); // held while the file is made, before lock
  private final Object searches = new Object(); // held during a search, before lock

  @GuardedBy("searches")
  private boolean searched; // for what is here though there is no file

  private volatile long covered; // what the file covers; less than 0: there is none
  private volatile boolean wanted; // whether it is to be written soon
  private @Nullable Origins captured; // what the next flush writes; confined to the flusher

  /** The queue around the target; thread-safe. */
  public interface Parts {
    /** Returns whether the file of origins was begun, so that it must be there. */
    boolean hasOrigins();

    /** Notes, on the device, that the file of origins is there from now on. */
    void begunOrigins() throws IOException;

    /** Shows messages from a sequence on, of log and backups. Returns whether some are damaged. */
    boolean scan(long from, Consumer<StoredMessage> found);

    /** Refuses what the queue can never hold, where it discards its oldest messages for others. */
    void check(PublishBuffer buffer);

    /**
     * Appends within the queue's limits, asking its subscribers if need be, by an attempt that is
     * repeated while it returns {@link Capacity#NONE}; may wait as the queue's policy says.
     */
    long append(PublishBuffer buffer, LongSupplier append, boolean waits);
  }

  /** Reads what the queue has: from the file, and from the log after it. */
  public TransferTarget(Endpoint own, Parts parts) {
    this.own = own;
    this.file = own.directory().resolve(Origins.FILE);
    this.log = own.log();
    this.parts = parts;
    this.covered = parts.hasOrigins() || Origins.exist(file) ? load() : NONE;
  }

  private long load() {
    Origins kept = Origins.NONE;
    try {
      kept = Origins.read(file, own.identity());
      if (kept.covered() > log.nextSequence()) {
        LOG.warn("Queue {}: damaged: {} knows more than the log; asking that", own.queue(), file);
        kept = Origins.NONE;
        wanted = true;
      }
      takeUp(kept);
      parts.begunOrigins(); // queue.json was made anew, or a kill came between
    } catch (NoSuchFileException e) {
      LOG.warn(
          "Queue {}: damaged: {} is missing; asking log and backups for what is here",
          own.queue(),
          file);
      wanted = true;
    } catch (DamagedException | IllegalArgumentException e) {
      LOG.warn("Queue {}: {}; asking the log for what it holds", own.queue(), e.getMessage());
      kept = Origins.NONE;
      wanted = true; // the file stays until there is a new one
    } catch (IOException e) {
      throw new RiverException("queue " + own.queue() + ": cannot read " + file, e);
    }
    if (parts.scan(kept.covered(), this::found)) {
      LOG.warn(
          "Queue {}: messages of other queues may be among those that are damaged", own.queue());
    }
    return kept.covered();
  }

  private void takeUp(Origins kept) {
    lock.lock();
    try {
      kept.expired().forEach(expired::add);
      last.putAll(kept.last());
    } finally {
      lock.unlock();
    }
  }

  private void found(StoredMessage message) {
    lock.lock();
    try {
      ForwardOrigin.ofExpired(message.headers())
          .ifPresent(origin -> expired.add(origin.queue(), origin.sequence()));
      ForwardOrigin.ofContinued(message.headers())
          .ifPresent(origin -> expired.add(origin.queue(), origin.sequence()));
      ForwardOrigin.of(message.headers())
          .ifPresent(origin -> last.merge(origin.queue(), origin.sequence(), Math::max));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the last message that is here of a queue, or {@link #NONE}; if that has forwarded to
   * this one before, a file that is not there is missing, and the backups are asked, too.
   */
  public long last(UUID source, boolean expected) {
    synchronized (searches) {
      if (covered < 0 && !searched) {
        search(expected);
      }
    }
    return lastFrom(source).orElse(NONE);
  }

  @GuardedBy("searches")
  private void search(boolean expected) {
    searched = true;
    parts.scan(expected ? 0 : log.firstSequence(), this::found);
    lock.lock();
    try {
      if (last.isEmpty()) {
        return;
      }
    } finally {
      lock.unlock();
    }
    LOG.warn(
        "Queue {}: damaged: {} is missing; asked log and backups for what is here",
        own.queue(),
        file);
    covered = 0;
    wanted = true;
  }

  /** Returns the last position of a source; empty if there is nothing from it. */
  public OptionalLong lastFrom(UUID source) {
    lock.lock();
    try {
      Long position = last.get(source);
      return position == null ? OptionalLong.empty() : OptionalLong.of(position);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Appends messages that another queue forwards, as one document, without waiting; returns whether
   * there was capacity. How long they have still to live is by that queue's {@code times}.
   */
  public boolean take(UUID source, List<StoredMessage> messages, StoredTimes times) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    for (StoredMessage message : messages) {
      document.addForwarded(
          message, terms(message, times), new ForwardOrigin(source, message.sequence()));
    }
    long position = messages.get(messages.size() - 1).sequence();
    return append(buffer, new ForwardOrigin(source, position), false) != Capacity.NONE;
  }

  /** Returns what is left of its life. Its id counted where it was published, and is left out. */
  private static @Nullable Terms terms(StoredMessage message, StoredTimes times) {
    Terms terms = message.terms();
    if (terms == null || terms.expiryMicros() == 0) {
      return null;
    }
    long left = terms.expiryMicros() - times.ageOf(message.originalMicros());
    return new Terms(null, Math.max(1, left), 0);
  }

  /**
   * Appends a message of a source that is no queue, unless it is here; may wait. Returns its
   * sequence, or {@link #NONE} if it is here.
   */
  public long putFrom(ForwardOrigin from, Message<?> message, byte[] data) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    document.addFrom(data, message.key(), message.headers(), message.terms(), from);
    long sequence = append(buffer, from, true);
    return sequence == KNOWN ? NONE : sequence;
  }

  /**
   * Appends messages that continue a delivery of another queue, as one document, unless they are
   * here; may wait. Of that origin nothing below {@code oldest} comes again. Returns the first
   * sequence, or {@link #NONE} if they are here.
   */
  public long takeContinued(
      ForwardOrigin origin, long oldest, List<? extends Message<?>> messages, byte[][] data) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    for (int i = 0; i < data.length; i++) {
      document.addContinued(data[i], messages.get(i), origin);
    }
    long sequence = append(buffer, () -> appendContinued(buffer, origin, oldest), true);
    return sequence == KNOWN ? NONE : sequence;
  }

  private long appendContinued(PublishBuffer buffer, ForwardOrigin origin, long oldest) {
    begin();
    lock.lock();
    try {
      if (expired.contains(origin.queue(), origin.sequence())) {
        return KNOWN;
      }
      long sequence = log.append(buffer, own.time().epochMicros());
      if (sequence != Capacity.NONE) {
        expired.forgetBelow(origin.queue(), oldest);
        expired.add(origin.queue(), origin.sequence());
      }
      return sequence;
    } finally {
      lock.unlock();
    }
  }

  /** Appends what follows the last message of its source, and is completed with the document. */
  private long append(PublishBuffer buffer, ForwardOrigin origin, boolean waits) {
    return append(buffer, () -> appendNext(buffer, origin), waits);
  }

  private long append(PublishBuffer buffer, LongSupplier attempt, boolean waits) {
    try {
      parts.check(buffer);
      return parts.append(buffer, attempt, waits);
    } finally {
      buffer.document().finish();
    }
  }

  private long appendNext(PublishBuffer buffer, ForwardOrigin origin) {
    begin();
    lock.lock();
    try {
      if (last.getOrDefault(origin.queue(), NONE) >= origin.sequence()) {
        return KNOWN;
      }
      long sequence = log.append(buffer, own.time().epochMicros());
      if (sequence != Capacity.NONE) {
        last.put(origin.queue(), origin.sequence());
      }
      return sequence;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Appends a message that expired in another queue, whose log begins at {@code oldest}, unless it
   * is here; waits for nothing. Returns whether it is here now.
   */
  public boolean takeExpired(Message<byte[]> copy, ForwardOrigin origin, long oldest) {
    begin();
    PublishBuffer buffer = PublishBuffer.ofThread();
    lock.lock();
    try {
      if (expired.contains(origin.queue(), origin.sequence())) {
        return true;
      }
      buffer.document().start();
      buffer.document().addExpired(copy, origin);
      parts.check(buffer);
      if (log.append(buffer, own.time().epochMicros()) == Capacity.NONE) {
        return false;
      }
      expired.forgetBelow(origin.queue(), oldest);
      expired.add(origin.queue(), origin.sequence());
      return true;
    } finally {
      lock.unlock();
      buffer.document().finish();
    }
  }

  /** Makes the file before the first message is there: an opening asks the log only if it is. */
  private void begin() {
    if (covered >= 0) {
      return;
    }
    synchronized (begins) {
      if (covered >= 0) {
        return;
      }
      long end = log.nextSequence();
      try {
        new Origins(end, Map.of(), Map.of()).write(file, own.identity()); // nothing has come yet
        parts.begunOrigins();
      } catch (IOException e) {
        throw new RiverException("queue " + own.queue() + ": cannot write " + file, e);
      }
      covered = end;
    }
  }

  /** Has the file written with the next force: a block is going to be deleted, or it is closed. */
  public void want() {
    wanted = covered >= 0;
  }

  @Override
  public boolean isDirty() {
    long known = covered;
    return wanted || (known >= 0 && log.nextSequence() - known >= COVERED_STEP);
  }

  @Override
  public void capture() {
    if (!isDirty()) {
      captured = null;
      return;
    }
    wanted = false; // before the end is looked at
    lock.lock();
    try {
      captured = new Origins(log.nextSequence(), last, expired.encode());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void flush() {
    Origins origins = captured;
    if (origins == null) {
      return;
    }
    try {
      origins.write(file, own.identity());
    } catch (IOException e) {
      wanted = true;
      throw new RiverException("queue " + own.queue() + ": cannot write " + file, e);
    }
    covered = origins.covered();
  }

  @Override
  public void postpone() {
    if (captured != null) {
      want();
    }
  }

  /** Returns the sequence after the last message of the queue. */
  public long end() {
    return log.nextSequence();
  }

  /** Returns the sequence up to which the queue is on the device. */
  public long forcedEnd() {
    return log.forcedEnd();
  }
}
