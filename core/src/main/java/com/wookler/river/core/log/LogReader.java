package com.wookler.river.core.log;

import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.StoredMessage;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log in order from any sequence, and single messages again by their location.
 *
 * <p>Every message's checksum and sequence are proven before it is returned. What lies between the
 * position and the log's end must be there: a gap, a page of zeros or a foreign document is a
 * {@link DamagedMessageException}, at this call and at each later one, never "nothing new".
 *
 * <p>Not thread-safe: its owner guards it by a lock, and must not close the log while a call is
 * under way.
 */
public final class LogReader implements AutoCloseable {
  private static final int KEPT_BYTES = 1 << 20;
  private static final int FIRST_BYTES = 4 << 10;
  private static final int SAMPLE_MASK = 63;
  private static final int TRIES = 3;

  private final BlockLog log;
  private final ChronicleStore store;
  private final LogSettings settings;
  private final LogCounters counters;
  private final DocumentReader document;

  private @Nullable ExcerptTailer tailer;
  private byte[] buffer = new byte[FIRST_BYTES];
  private int bufferLength; // of it, taken by the document
  private long index = Long.MIN_VALUE; // of the document in the buffer
  private boolean open; // whether the buffer holds a document
  private long position;

  LogReader(BlockLog log, ChronicleStore store, LogSettings settings, LogCounters counters) {
    this.log = log;
    this.store = store;
    this.settings = settings;
    this.counters = counters;
    this.document = new DocumentReader(settings.identity());
    this.position = log.firstSequence();
  }

  /** The sequence that {@link #next} returns next. */
  public long position() {
    return position;
  }

  /** Goes to a sequence; nothing is read yet, and damage is left to {@link #next} to tell. */
  public void moveTo(long sequence) {
    if (open && sequence >= position && sequence < document.firstSequence() + document.count()) {
      try {
        while (document.nextSequence() < sequence) {
          document.skip();
        }
      } catch (DamagedMessageException e) {
        forgetDocument();
        closeTailer();
      }
    } else if (sequence != position) {
      forgetDocument();
      closeTailer();
    }
    position = sequence;
  }

  /** The message at the position, as {@link #next(StoredMessage.Maker)} gives it. */
  public @Nullable StoredMessage next() {
    return next(StoredMessage::new);
  }

  /**
   * The message at the position, as the maker makes it; the position then moves on by one.
   *
   * @return null if it has not been published yet
   * @throws DamagedMessageException it is not in the log as it was published; the position stays
   */
  public <T> @Nullable T next(StoredMessage.Maker<T> maker) {
    if (position >= log.nextSequence()) {
      return null;
    }
    boolean sampled = (position & SAMPLE_MASK) == 0;
    long started = sampled ? settings.time().nanoTime() : 0;
    try {
      if (!open || !document.hasNext()) {
        load();
      }
      T message = document.next(maker);
      position++;
      if (sampled) {
        counters.readTime().add(settings.time().nanoTime() - started, 1);
      }
      return message;
    } catch (DamagedMessageException e) {
      forgetDocument();
      closeTailer();
      throw located(position, e);
    }
  }

  /** Where the message that {@link #next} returned last can be read again, see {@link #read}. */
  public long location() {
    return index;
  }

  /**
   * Reads one message again; cheap in the order of locations. The position of {@link #next} is
   * lost: use a reader of its own for this.
   *
   * @param location as {@link #location} said
   * @throws DamagedMessageException it is not there any more as it was published
   */
  public StoredMessage read(long sequence, long location) {
    boolean interrupted = Thread.interrupted(); // Chronicle's file channels close on an interrupt
    try {
      if (!open || index != location) {
        forgetDocument();
        ExcerptTailer at = tailer();
        if (!at.moveToIndex(location) || !readDocument(at)) {
          throw new DamagedMessageException("damaged: no document at the location noted for it");
        }
        document.open(buffer, bufferLength, store.blockOf(index));
      } else if (sequence < document.nextSequence()) {
        document.open(buffer, bufferLength, store.blockOf(index)); // back to its first message
      }
      return pick(sequence);
    } catch (DamagedMessageException e) {
      forgetDocument();
      closeTailer();
      throw located(sequence, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private StoredMessage pick(long sequence) {
    if (sequence < document.firstSequence()
        || sequence >= document.firstSequence() + document.count()) {
      throw new DamagedMessageException(
          "damaged: the document there starts with sequence " + document.firstSequence());
    }
    while (document.nextSequence() < sequence) {
      document.skip();
    }
    return document.next();
  }

  /** Reads the document that holds the position. */
  private void load() {
    boolean interrupted = Thread.interrupted(); // Chronicle's file channels close on an interrupt
    try {
      forgetDocument();
      for (int i = 0; i < TRIES; i++) {
        boolean sought = tailer == null;
        if (sought) {
          seek(position);
        }
        if (loadHere(sought)) {
          return;
        }
        closeTailer(); // at the end of its block, or among its damage: look the position up
      }
      throw new DamagedMessageException(
          "damaged: nothing there, though the log goes on to sequence " + (log.nextSequence() - 1));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Damage counts only where the position was looked up: its block may start behind the damage. */
  private boolean loadHere(boolean sought) {
    try {
      if (!readDocument(tailer())) {
        return false;
      }
      document.open(buffer, bufferLength, store.blockOf(index));
      skipToPosition();
      return true;
    } catch (DamagedMessageException e) {
      if (sought) {
        throw e;
      }
      forgetDocument();
      return false;
    }
  }

  private void skipToPosition() {
    long first = document.firstSequence();
    if (position < first || position >= first + document.count()) {
      throw new DamagedMessageException(
          "damaged: a document with sequences from " + first + " stands in its place");
    }
    while (document.nextSequence() < position) {
      document.skip();
    }
  }

  private boolean readDocument(ExcerptTailer from) {
    try (DocumentContext context = from.readingDocument()) {
      if (!context.isPresent()) {
        return false;
      }
      Bytes<?> bytes = Objects.requireNonNull(context.wire()).bytes();
      long length = bytes.readRemaining();
      if (length > settings.maxDocumentBytes()) {
        throw new DamagedMessageException("damaged: a document claims " + length + " bytes");
      }
      bufferLength = (int) length;
      if (buffer.length < bufferLength) {
        buffer = new byte[Math.max(bufferLength, Math.min(buffer.length * 2, KEPT_BYTES))];
      }
      ChronicleStore.copy(bytes, buffer, bufferLength);
      index = context.index();
      open = true;
      return true;
    } catch (DamagedMessageException e) {
      throw e;
    } catch (RuntimeException | InternalError e) {
      throw new DamagedMessageException("damaged: the block cannot be read: " + e, e);
    }
  }

  private void seek(long sequence) {
    Block block = log.blockOf(sequence);
    if (block == null) {
      throw new DamagedMessageException("damaged: no block holds it");
    }
    ExcerptTailer at = tailer();
    long ordinal = documentOf(block, sequence, at);
    if (!at.moveToIndex(store.index(block.number(), ordinal))) {
      throw new DamagedMessageException("damaged: its block ends before it");
    }
  }

  /** The place of the document that holds the sequence, by binary search over documents. */
  private long documentOf(Block block, long sequence, ExcerptTailer at) {
    long place = sequence - block.firstSequence();
    if (!block.holdsBatch()) {
      return place;
    }
    long low = 0;
    long high = Math.min(place, block.documents() - 1);
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      openAt(block, middle, at);
      if (document.firstSequence() <= sequence) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    forgetDocument();
    return low;
  }

  private void openAt(Block block, long ordinal, ExcerptTailer at) {
    if (!at.moveToIndex(store.index(block.number(), ordinal)) || !readDocument(at)) {
      throw new DamagedMessageException("damaged: its block ends before it");
    }
    document.open(buffer, bufferLength, block.number());
  }

  /** The first sequence of the block published at or after this time; the block has one. */
  long find(Block block, long micros) {
    boolean interrupted = Thread.interrupted(); // Chronicle's file channels close on an interrupt
    try {
      ExcerptTailer at = tailer();
      long low = 0;
      long high = block.documents() - 1;
      while (low < high) {
        long middle = (low + high) >>> 1;
        openAt(block, middle, at);
        if (document.micros() < micros) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      openAt(block, low, at);
      return document.firstSequence();
    } catch (DamagedMessageException e) {
      throw located(block.firstSequence(), e);
    } finally {
      forgetDocument();
      closeTailer();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Lets go of a block's file if the reader stands in it, so that it can be removed and its disk
   * space freed.
   */
  public void leave(int block) {
    ExcerptTailer at = tailer;
    if (at != null && at.cycle() <= block) {
      forgetDocument();
      closeTailer();
    }
  }

  private ExcerptTailer tailer() {
    ExcerptTailer at = tailer;
    if (at == null) {
      at = store.tailer();
      tailer = at;
    }
    return at;
  }

  private void forgetDocument() {
    open = false;
    if (buffer.length > KEPT_BYTES) {
      buffer = new byte[FIRST_BYTES]; // one large batch must not pin its size for good
    }
  }

  private void closeTailer() {
    if (tailer != null) {
      tailer.close();
      tailer = null;
    }
  }

  private DamagedMessageException located(long sequence, DamagedMessageException e) {
    Block block = log.blockOf(sequence);
    String where =
        block == null ? "no block" : "block " + block.number() + " (" + block.file() + ")";
    return new DamagedMessageException(
        "queue "
            + settings.queue()
            + ", "
            + where
            + ", sequence "
            + sequence
            + ": "
            + e.getMessage(),
        e);
  }

  @Override
  public void close() {
    forgetDocument();
    closeTailer();
  }
}
