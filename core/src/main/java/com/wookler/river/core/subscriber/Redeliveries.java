package com.wookler.river.core.subscriber;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Stamp;
import com.wookler.river.core.message.StoredMessage;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages again for a further delivery: from the cache if it still has them, else from the
 * log with a reader of its own, so that the subscriber's reader keeps its place.
 *
 * <p>Guarded by the subscriber's lock. What goes into the cache is a document of one message,
 * checksum included, stamped with block 0; what comes out is proven like what comes from the log.
 */
final class Redeliveries implements AutoCloseable {
  private static final int NO_BLOCK = 0;
  private static final long UNKNOWN = 0;

  private final UUID identity;
  private final BlockLog log;
  private final MessageFinder finder;
  private final RedeliveryCache cache;
  private final DocumentReader cached;
  private @Nullable LogReader reader;
  private final @Nullable PastReader past;
  private @Nullable DocumentWriter writer;
  private @Nullable Stamp stamp;

  Redeliveries(
      UUID identity,
      BlockLog log,
      MessageFinder finder,
      RedeliveryCache cache,
      @Nullable PastReader past) {
    this.past = past;
    this.identity = identity;
    this.log = log;
    this.finder = finder;
    this.cache = cache;
    this.cached = new DocumentReader(identity);
  }

  /**
   * Reads one message.
   *
   * @param location as the log's reader gave it when it was read first; 0 if it was passed over
   *     then
   * @throws DamagedMessageException the log does not have it any more as it was published
   */
  StoredMessage read(long sequence, long location) {
    StoredMessage known = fromCache(sequence);
    if (known != null) {
      return known;
    }
    StoredMessage message = readAgain(sequence, location);
    cache.put(identity, sequence, encode(message));
    return message;
  }

  /** Reads one that waited for its key, for its first delivery: not kept in the cache. */
  StoredMessage readWaited(long sequence, long location) {
    return readAgain(sequence, location);
  }

  private StoredMessage readAgain(long sequence, long location) {
    boolean unknown = location == UNKNOWN;
    if (past != null
        && (location == PastReader.LOCATION || (unknown && sequence < log.firstSequence()))) {
      return past.again(sequence);
    }
    if (unknown) {
      return Objects.requireNonNull(finder.find(sequence)); // the log ends above the ledger
    }
    LogReader from = reader;
    if (from == null) {
      from = log.reader();
      reader = from;
    }
    return from.read(sequence, location);
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
    } catch (DamagedMessageException e) {
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
    out.add(message.data(), message.key(), message.headers(), message.terms());
    header.stamp(out, NO_BLOCK, message.sequence(), message.publishedMicros());
    byte[] bytes = new byte[out.length()];
    out.memory().get(0, bytes);
    return bytes;
  }

  void leave(int block) {
    if (reader != null) {
      reader.leave(block);
    }
  }

  @Override
  public void close() {
    if (reader != null) {
      reader.close();
    }
  }
}
