package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.forward.ExpiredOrigins;
import com.wookler.river.core.forward.Origins;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.log.QueueIdentity.Part;
import com.wookler.river.core.log.Room;
import com.wookler.river.core.log.StoredTimes;
import com.wookler.river.core.message.DamagedMessageException;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue as others see it that forward to it, or put into it what has expired: takes their
 * messages, and knows the last one it has of each, and which have expired, so that none is taken
 * twice.
 *
 * <p><b>The log is the truth.</b> Each message has its origin in a header, in the same document. A
 * file keeps the last ones, so that an opening reads the end of the log only; it is written now and
 * then, behind a force of the log, and before a block is deleted. A queue that nobody forwards to
 * has no file, and pays nothing.
 *
 * <p>Thread-safe.
 */
final class ForwardTarget {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardTarget.class);

  /** Of a queue from which there is nothing. */
  static final long NONE = -1;

  private static final long KNOWN = -2; // as the result of an append: the message is here
  private static final long COVERED_STEP = 10_000;

  private final String queue;
  private final DataDirectory directory;
  private final Path file;
  private final BlockLog log;
  private final Lookup lookup;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<UUID, Long> last = new HashMap<>();

  /** Apart: it is taken under a lock of another queue's subscriber, so nothing waits under it. */
  private final ReentrantLock expiredLock = new ReentrantLock();

  @GuardedBy("expiredLock")
  private final ExpiredOrigins expired = new ExpiredOrigins();

  private final Object begins = new Object(); // held by who makes the file

  @GuardedBy("lock")
  private boolean searched; // for what is here though there is no file

  private volatile long covered; // what the file covers; less than 0: there is none
  private volatile boolean wanted; // whether it is to be written soon

  ForwardTarget(String queue, DataDirectory directory, Lookup lookup, TimeSource time) {
    this.queue = queue;
    this.time = time;
    this.directory = directory;
    this.file = directory.path().resolve(Origins.FILE);
    this.log = lookup.log();
    this.lookup = lookup;
    this.covered = directory.has(Part.ORIGINS) || Origins.exist(file) ? load() : NONE;
  }

  private long load() {
    Origins kept = Origins.NONE;
    try {
      kept = Origins.read(file, directory.identity());
      takeUp(kept);
      directory.begun(Part.ORIGINS); // queue.json was made anew, or a kill came between
    } catch (NoSuchFileException e) {
      LOG.warn(
          "Queue {}: damaged: {} is missing; asking log and backups for what is here", queue, file);
      wanted = true;
    } catch (DamagedMessageException | IllegalArgumentException e) {
      LOG.warn("Queue {}: {}; asking the log for what it holds", queue, e.getMessage());
      kept = Origins.NONE;
      wanted = true; // the file stays until there is a new one
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot read " + file, e);
    }
    if (kept.covered() > log.nextSequence()) {
      LOG.warn("Queue {}: damaged: {} knows more than the log; asking that", queue, file);
      kept = Origins.NONE;
      wanted = true;
    }
    lock.lock();
    try {
      last.putAll(kept.last());
    } finally {
      lock.unlock();
    }
    if (LogScan.scan(lookup, kept.covered(), this::found)) {
      LOG.warn("Queue {}: messages of other queues may be among those that are damaged", queue);
    }
    return kept.covered();
  }

  /** What it says beyond the log's end is not true, but for what left the other's log. */
  private void takeUp(Origins kept) {
    expiredLock.lock();
    try {
      if (kept.covered() <= log.nextSequence()) {
        kept.expired().forEach(expired::add);
      }
    } finally {
      expiredLock.unlock();
    }
  }

  private void found(StoredMessage message) {
    ForwardOrigin.ofExpired(message.headers())
        .ifPresent(
            origin -> {
              expiredLock.lock();
              try {
                expired.add(origin.queue(), origin.sequence());
              } finally {
                expiredLock.unlock();
              }
            });
    lock.lock();
    try {
      ForwardOrigin.of(message.headers())
          .ifPresent(origin -> last.put(origin.queue(), origin.sequence()));
    } finally {
      lock.unlock();
    }
  }

  /**
   * The last message that is here of a queue; {@link #NONE} if there is none.
   *
   * @param expected whether that queue has forwarded to this one before: then a file that is not
   *     there is missing, and the backups are asked, too
   */
  long last(UUID source, boolean expected) {
    lock.lock();
    try {
      if (covered < 0 && !searched) {
        search(expected);
      }
      return last.getOrDefault(source, NONE);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void search(boolean expected) {
    searched = true;
    LogScan.scan(lookup, expected ? 0 : log.firstSequence(), this::found);
    if (!last.isEmpty()) {
      LOG.warn(
          "Queue {}: damaged: {} is missing; asked log and backups for what is here", queue, file);
      covered = 0;
      wanted = true;
    }
  }

  /**
   * Appends messages of another queue, as one document; waits for nothing.
   *
   * @param times the other queue's, for how long they have still to live
   * @return whether there was room
   * @throws RiverException they cannot be stored now
   */
  boolean take(Intake intake, UUID source, List<StoredMessage> messages, StoredTimes times) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    for (StoredMessage message : messages) {
      document.addForwarded(
          message, terms(message, times), new ForwardOrigin(source, message.sequence()));
    }
    lock.lock();
    try {
      begin();
      if (intake.attempt(buffer) == Room.NONE) {
        return false;
      }
      last.put(source, messages.get(messages.size() - 1).sequence());
      return true;
    } finally {
      lock.unlock();
      document.finish();
    }
  }

  /**
   * Appends a message of a source that is no queue, unless it is here; may wait for room.
   *
   * @return its sequence, or {@link #NONE} if it is here
   */
  long putFrom(Intake intake, ForwardOrigin from, Message<?> message, byte[] data) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    boolean[] stored = {false};
    try {
      long sequence =
          intake.append(
              buffer,
              () -> {
                DocumentWriter document = buffer.document();
                document.start();
                document.addFrom(data, message.key(), message.headers(), message.terms(), from);
                intake.check(buffer);
                long appended = appendFrom(buffer, from);
                stored[0] = appended != KNOWN;
                return stored[0] ? appended : 0;
              });
      return stored[0] ? sequence : NONE;
    } finally {
      buffer.document().finish();
    }
  }

  private long appendFrom(PublishBuffer buffer, ForwardOrigin from) {
    lock.lock();
    try {
      if (last.getOrDefault(from.queue(), NONE) >= from.sequence()) {
        return KNOWN;
      }
      begin();
      long sequence = log.append(buffer, time.epochMicros());
      if (sequence != Room.NONE) {
        last.put(from.queue(), from.sequence());
      }
      return sequence;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the last position of a source that is no queue. */
  OptionalLong lastFrom(UUID source) {
    lock.lock();
    try {
      Long position = last.get(source);
      return position == null ? OptionalLong.empty() : OptionalLong.of(position);
    } finally {
      lock.unlock();
    }
  }

  /** What is left of its life goes along; its id does not: it was spent where it was published. */
  private static @Nullable Terms terms(StoredMessage message, StoredTimes times) {
    Terms terms = message.terms();
    if (terms == null || terms.expiryMicros() == 0) {
      return null;
    }
    long left = terms.expiryMicros() - times.ageOf(message.originalMicros());
    return new Terms(null, Math.max(1, left), 0);
  }

  /**
   * Appends a message that expired in another queue, unless it is here; waits for nothing, and asks
   * no subscriber.
   *
   * @param oldest message of the log of that queue
   * @return whether it is here now
   * @throws RiverException it cannot be stored now
   */
  boolean takeExpired(Intake intake, Message<byte[]> copy, ForwardOrigin origin, long oldest) {
    expiredLock.lock();
    try {
      if (expired.contains(origin.queue(), origin.sequence())) {
        return true;
      }
      begin();
      PublishBuffer buffer = PublishBuffer.ofThread();
      DocumentWriter document = buffer.document();
      document.start();
      try {
        document.addExpired(copy, origin);
        if (intake.offer(buffer) == Room.NONE) {
          return false;
        }
      } finally {
        document.finish();
      }
      expired.forgetBelow(origin.queue(), oldest);
      expired.add(origin.queue(), origin.sequence());
      return true;
    } finally {
      expiredLock.unlock();
    }
  }

  /** The file is there before the first message is: an opening asks the log only if it is. */
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
        new Origins(end, Map.of(), Map.of())
            .write(file, directory.identity()); // nothing has come yet
        directory.begun(Part.ORIGINS);
      } catch (IOException e) {
        throw new RiverException("queue " + queue + ": cannot write " + file, e);
      }
      covered = end;
    }
  }

  /** Has the file written with the next force: a block is going to be deleted, or it is closed. */
  void want() {
    wanted = covered >= 0;
  }

  boolean isDue() {
    long known = covered;
    return wanted || (known >= 0 && log.nextSequence() - known >= COVERED_STEP);
  }

  /** What is to be written once the log is forced; null if it is not time for that. */
  @Nullable Origins capture() {
    if (!isDue()) {
      return null;
    }
    wanted = false; // before the end is looked at
    lock.lock();
    expiredLock.lock();
    try {
      return new Origins(log.nextSequence(), last, expired.encode());
    } finally {
      expiredLock.unlock();
      lock.unlock();
    }
  }

  /** Writes it; on the flusher. */
  void write(Origins captured) {
    try {
      captured.write(file, directory.identity());
    } catch (IOException e) {
      wanted = true;
      throw new RiverException("queue " + queue + ": cannot write " + file, e);
    }
    covered = captured.covered();
  }

  /** The sequence that the next message gets. */
  long end() {
    return log.nextSequence();
  }

  /** All messages below it are on the device. */
  long forcedEnd() {
    return log.forcedEnd();
  }
}
