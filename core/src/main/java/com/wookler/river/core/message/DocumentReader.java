package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.CHECK_AT;
import static com.wookler.river.core.message.DocumentFormat.COUNT_AT;
import static com.wookler.river.core.message.DocumentFormat.ENTRY_LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.ENTRY_PREFIX_BYTES;
import static com.wookler.river.core.message.DocumentFormat.FIRST_AT;
import static com.wookler.river.core.message.DocumentFormat.HEADER_BYTES;
import static com.wookler.river.core.message.DocumentFormat.LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.MAGIC;
import static com.wookler.river.core.message.DocumentFormat.MAGIC_LOST;
import static com.wookler.river.core.message.DocumentFormat.MAGIC_REMOVED;
import static com.wookler.river.core.message.DocumentFormat.TIME_AT;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DocumentFormat.HeaderCheck;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads one document after the other, and verifies every byte that it returns: {@link #open} the
 * header, {@link #next} each message. Data is copied once, into its own array, and the checksum is
 * computed over that array: so it is valid even if the source changes meanwhile. Not thread-safe.
 */
public final class DocumentReader {
  private static final int NO_FLAGS = 0;
  private static final byte[] NO_DATA = {};

  private final HeaderCheck headerCheck;
  private final CRC32C crc = new CRC32C();
  private final ArrayBytes array = new ArrayBytes();
  private @Nullable EntryBuffer passed; // a message that is verified, not returned

  private DocumentBytes bytes = array;
  private long start;
  private long end;
  private long entryAt;
  private int slot;
  private int count;
  private boolean lost;
  private boolean removed;
  private long firstSequence;
  private long micros;

  /** Creates a reader of documents of this queue. */
  public DocumentReader(UUID queue) {
    this.headerCheck = new HeaderCheck(queue);
  }

  /**
   * Takes a document of the first {@code length} bytes, which must not change while it is read.
   *
   * @throws DamagedMessageException its header is not what was written into this block of this
   *     queue
   */
  public void open(byte[] document, int length, int block) {
    open(array.of(document), 0, length, block);
  }

  /**
   * Takes a document of {@code length} bytes from an offset on, which are read in place.
   *
   * @throws DamagedMessageException as {@link #open(byte[], int, int)}
   */
  public void open(DocumentBytes source, long offset, int length, int block) {
    close();
    if (length < HEADER_BYTES) {
      throw damaged("a document of " + length + " bytes has no header");
    }
    int magic = source.intAt(offset);
    if (!DocumentFormat.isMagic(magic)) {
      throw damaged("a document starts with 0x" + Integer.toHexString(magic));
    }
    long first = source.longAt(offset + FIRST_AT);
    long time = source.longAt(offset + TIME_AT);
    int messages = source.intAt(offset + COUNT_AT);
    int entries = source.intAt(offset + LENGTH_AT);
    int check = headerCheck.of(block, first, time, HeaderCheck.size(messages, entries));
    if (check != source.intAt(offset + CHECK_AT)) {
      throw damaged("the check of a document's header is wrong");
    }
    if (entries != length - HEADER_BYTES || (entries == 0) != (magic != MAGIC)) {
      throw damaged("a document has " + (length - HEADER_BYTES) + " bytes of " + entries);
    }
    bytes = source;
    start = offset;
    end = offset + length;
    firstSequence = first;
    micros = time;
    count = messages;
    lost = magic == MAGIC_LOST;
    removed = magic == MAGIC_REMOVED;
    rewind();
  }

  /** Returns to the first message of the open document. */
  public void rewind() {
    entryAt = start + HEADER_BYTES;
    slot = lost ? count : 0; // none can be read
  }

  /** Closes the document: no message is left then. */
  public void close() {
    count = 0;
    slot = 0;
    lost = false;
    removed = false;
  }

  /** Returns whether the document {@link #holds} the sequences of messages that are lost. */
  public boolean isLost() {
    return lost;
  }

  /** Returns whether the document {@link #holds} the sequences of messages that were removed. */
  public boolean isRemoved() {
    return removed;
  }

  /** Returns whether a document is open that holds this sequence. */
  public boolean holds(long sequence) {
    return sequence >= firstSequence && sequence - firstSequence < count;
  }

  /** Returns whether a message is left in the document. */
  public boolean hasNext() {
    return slot < count;
  }

  /** Returns the first sequence of the open document. */
  public long firstSequence() {
    return firstSequence;
  }

  /** Returns the count of messages of the open document. */
  public int count() {
    return count;
  }

  /** Returns the publish time of the open document, microseconds since 1970. */
  public long micros() {
    return micros;
  }

  /** Returns the sequence of the message that {@link #next} returns. */
  public long nextSequence() {
    return firstSequence + slot;
  }

  /** Returns the offset of the next message in the source. */
  public long offset() {
    return entryAt;
  }

  /** Skips one message without reading it. */
  public void skip() {
    if (removed) {
      slot++;
      return;
    }
    pass(entryLength());
  }

  /** Skips the messages before a sequence that the document {@link #holds}. */
  public void skipTo(long sequence) {
    while (nextSequence() < sequence) {
      skip();
    }
  }

  /**
   * Returns the next message.
   *
   * @throws DamagedMessageException its bytes are not what was published; the next call continues
   */
  public StoredMessage next() {
    return next(StoredMessage::new);
  }

  /**
   * Returns what the maker makes of the next message.
   *
   * @throws DamagedMessageException as {@link #next()}
   * @throws RiverException a newer River wrote it, in an unknown form; each further call says so
   *     too
   */
  public <T> T next(StoredMessage.Maker<T> maker) {
    if (removed) {
      slot++;
      return maker.make(nextSequence() - 1, micros, NO_DATA, null, Map.of(), Terms.ERASED);
    }
    int length = entryLength();
    long entry = entryAt;
    long sequence = nextSequence();
    pass(length);
    int check = bytes.intAt(entry);
    long content = entry + ENTRY_PREFIX_BYTES;
    if (bytes.byteAt(content) != NO_FLAGS) {
      byte[] copy = prove(sequence, check, content, length);
      if ((copy[0] & ~DocumentFormat.KNOWN_FLAGS) != 0) {
        entryAt = entry;
        slot--;
        throw new RiverException(
            String.format(
                "sequence %d has flags 0x%x, which a newer River has written; read it with that",
                sequence, copy[0]));
      }
      return Entry.decode(maker, sequence, micros, copy);
    }
    byte[] data = new byte[length - 1];
    bytes.copy(content + 1, data, data.length);
    crc.reset();
    crc.update(NO_FLAGS);
    crc.update(data, 0, data.length);
    requireCheck(check, length, sequence);
    return maker.make(sequence, micros, data, null, Map.of(), null);
  }

  /**
   * Adds the next message to a buffer, if it has no more than data and a key, and fits; otherwise
   * it is still the next.
   *
   * @throws DamagedMessageException as {@link #next()}
   */
  public EntryBuffer.Added next(EntryBuffer to) {
    if (removed) {
      return EntryBuffer.Added.NONE;
    }
    int length = entryLength();
    long content = entryAt + ENTRY_PREFIX_BYTES;
    if (!EntryBuffer.isPlain(bytes.byteAt(content))) {
      return EntryBuffer.Added.NONE;
    }
    if (!to.fits(length)) {
      return EntryBuffer.Added.FULL;
    }
    int check = bytes.intAt(entryAt);
    long sequence = nextSequence();
    pass(length);
    int found = to.copy(bytes, content, length, crc);
    requireCheck(found, check, length, sequence);
    if (!to.isPlain()) {
      throw damaged("sequence " + sequence + " was changed while it was read");
    }
    to.add(length, micros);
    return EntryBuffer.Added.ADDED;
  }

  private byte[] prove(long sequence, int check, long content, int length) {
    byte[] copy = new byte[length];
    bytes.copy(content, copy, length);
    crc.reset();
    crc.update(copy, 0, length);
    requireCheck(check, length, sequence);
    return copy;
  }

  /**
   * Verifies the rest of the document.
   *
   * @return its part of its block's digest, as {@link Stamp#stamp} returned it
   * @throws DamagedMessageException a message is not what was published
   */
  public long verify() {
    long digest = 0;
    while (!removed && hasNext()) {
      int length = entryLength();
      digest = DocumentFormat.digest(digest, proven(entryAt, length, nextSequence()));
      pass(length);
    }
    if (entryAt != end) {
      throw damaged("a document holds " + (end - entryAt) + " bytes after its last message");
    }
    slot = count;
    return DocumentFormat.digest(digest, bytes.intAt(start + CHECK_AT));
  }

  /**
   * Verifies the next message without reading it, and returns its checksum.
   *
   * @throws DamagedMessageException as {@link #next()}
   */
  public int prove() {
    if (removed) {
      skip();
      return 0;
    }
    int length = entryLength();
    long entry = entryAt;
    long sequence = nextSequence();
    pass(length);
    return proven(entry, length, sequence);
  }

  /**
   * Verifies the next message, and passes it if it is {@link Terms#isHidden hidden}.
   *
   * @return whether it was passed; if not, it is the next message still
   * @throws DamagedMessageException as {@link #next()}
   */
  public boolean passHidden() {
    if (removed) {
      skip();
      return true;
    }
    EntryBuffer copy = passed;
    if (copy == null) {
      copy = new EntryBuffer();
      passed = copy;
    }
    copy.clear();
    int length = entryLength();
    int found = copy.copy(bytes, entryAt + ENTRY_PREFIX_BYTES, length, crc);
    requireCheck(found, bytes.intAt(entryAt), length, nextSequence());
    if (!copy.isHidden()) {
      return false;
    }
    pass(length);
    return true;
  }

  private int proven(long entry, int length, long sequence) {
    int check = bytes.intAt(entry);
    crc.reset();
    bytes.update(crc, entry + ENTRY_PREFIX_BYTES, length);
    requireCheck(check, length, sequence);
    return check;
  }

  private void requireCheck(int check, int length, long sequence) {
    requireCheck((int) crc.getValue(), check, length, sequence);
  }

  private static void requireCheck(int found, int check, int length, long sequence) {
    if (DocumentFormat.entryCheck(found, length) != check) {
      throw damaged("the checksum of sequence " + sequence + " is wrong");
    }
  }

  private void pass(int length) {
    entryAt += ENTRY_PREFIX_BYTES + length;
    slot++;
  }

  private int entryLength() {
    if (lost) {
      throw damaged("these messages were lost before they were forced to the device");
    }
    long left = end - entryAt - ENTRY_PREFIX_BYTES;
    if (left < 1) {
      throw lost("sequence " + nextSequence() + " starts after the end of its document");
    }
    int length = bytes.intAt(entryAt + ENTRY_LENGTH_AT);
    if (length < 1 || length > left) {
      throw lost("the length of sequence " + nextSequence() + " is " + length);
    }
    return length;
  }

  private DamagedMessageException lost(String what) {
    slot = count; // without its length no later message of the document can be found
    return damaged(what);
  }

  private static DamagedMessageException damaged(String what) {
    return new DamagedMessageException("damaged: " + what);
  }
}
