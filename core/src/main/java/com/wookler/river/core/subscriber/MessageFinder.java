package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.DamageReporter;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Stamp;
import com.wookler.river.core.message.StoredMessage;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads single messages from the log, the backups or the redelivery cache, with readers of its own
 * that are opened when they are needed, so that the subscriber's reader keeps its position.
 *
 * <p>Guarded by the subscriber's lock. What is put into the cache is a document of one message,
 * checksum included, stamped with block 0; it is verified like what comes from the log.
 */
final class MessageFinder implements AutoCloseable {
  private static final int NO_BLOCK = 0;
  private static final long UNKNOWN = 0;

  private final UUID identity;
  private final BlockLog log;
  private final @Nullable DamageReporter salvage;
  private final @Nullable PastReader past;
  private final RedeliveryCache cache;
  private final DocumentReader cached;
  private @Nullable LogReader bySequence;
  private @Nullable LogReader byLocation; // reading by it loses the position of the other
  private @Nullable DocumentWriter writer;
  private @Nullable Stamp stamp;

  MessageFinder(SubscriberContext<?> context, @Nullable PastReader past) {
    this.identity = context.identity();
    this.log = context.log();
    this.salvage = context.salvage();
    this.past = past;
    this.cache = context.cache();
    this.cached = new DocumentReader(identity);
  }

  /** Reads a message; null if it was not published yet. Throws if neither log nor backup has it. */
  @Nullable StoredMessage find(long sequence) {
    if (past != null && sequence < log.firstSequence()) {
      return past.again(sequence);
    }
    if (sequence >= log.nextSequence()) {
      return null;
    }
    LogReader from = bySequence;
    if (from == null) {
      from = log.reader();
      bySequence = from;
    }
    from.moveTo(sequence);
    return from.next();
  }

  /**
   * Reads a message again. {@code location} is that of the first read, 0 if it was skipped then.
   */
  StoredMessage find(long sequence, long location) {
    if (location == UNKNOWN) {
      return Objects.requireNonNull(find(sequence)); // the log ends above the ledger
    }
    if (past != null && location == PastReader.LOCATION) {
      return past.again(sequence);
    }
    LogReader from = byLocation;
    if (from == null) {
      from = log.reader();
      byLocation = from;
    }
    return from.read(sequence, location);
  }

  /** Reads a message that was delivered before: from the cache, which then has it. */
  StoredMessage findDelivered(long sequence, long location) {
    StoredMessage known = fromCache(sequence);
    if (known != null) {
      return known;
    }
    StoredMessage message = find(sequence, location);
    cache.put(identity, sequence, encode(message));
    return message;
  }

  private @Nullable StoredMessage fromCache(long sequence) {
    byte[] bytes = cache.get(identity, sequence);
    if (bytes == null) {
      return null;
    }
    try {
      cached.open(bytes, bytes.length, NO_BLOCK);
      StoredMessage message = cached.next();
      return message.sequence() == sequence ? message : null;
    } catch (DamagedException e) {
      return null; // a cache may be wrong; the log is the truth
    }
  }

  private byte[] encode(StoredMessage message) {
    DocumentWriter out = writer;
    Stamp header = stamp;
    if (out == null || header == null) {
      out = new DocumentWriter();
      header = new Stamp(identity);
      writer = out;
      stamp = header;
    }
    out.start();
    out.addStored(message);
    header.stamp(out, NO_BLOCK, message.sequence(), message.publishedMicros());
    byte[] bytes = new byte[out.length()];
    out.memory().get(0, bytes);
    return bytes;
  }

  /** Reports what damage at a sequence has taken; returns the next one, or this one to stop. */
  long passOver(long sequence) {
    long end = log.gaps().endOf(sequence);
    if (end > sequence || salvage == null) {
      return end;
    }
    return past != null && sequence < log.firstSequence()
        ? past.passOver(sequence)
        : salvage.passOver(sequence);
  }

  /** Closes the files of a block that is completed. */
  void leave(int block) {
    if (bySequence != null) {
      bySequence.leave(block);
    }
    if (byLocation != null) {
      byLocation.leave(block);
    }
  }

  @Override
  public void close() {
    if (bySequence != null) {
      bySequence.close();
    }
    if (byLocation != null) {
      byLocation.close();
    }
  }
}
