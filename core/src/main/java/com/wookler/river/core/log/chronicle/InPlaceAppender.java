package com.wookler.river.core.log.chronicle;

import com.wookler.river.common.PageFaults;
import net.openhft.chronicle.bytes.MappedBytesStore;
import net.openhft.chronicle.core.UnsafeMemory;
import net.openhft.chronicle.core.io.ReferenceOwner;
import net.openhft.chronicle.wire.Wire;
import org.jspecify.annotations.Nullable;

/**
 * Writes documents into the mapped active block, byte for byte as Chronicle's appender would, at a
 * fraction of its cost. Guarded by the log's append lock.
 *
 * <p>A document's header says that it is unfinished, then its bytes are copied, then its header is
 * completed; a torn one so looks as if Chronicle had written it. After that Chronicle's note of the
 * last document and its index ({@link ChronicleHeader}) are brought up to it, so that Chronicle may
 * append, roll or read at any time.
 *
 * <p>Compiled code does not notice that it writes to a page which is missing, because the file was
 * cut ({@link PageFaults}). So each append reads whether the document before it is still there, and
 * its own header.
 *
 * <p>What is not the same for each document is left to Chronicle: a block's first, and each first
 * of a new index.
 */
final class InPlaceAppender {
  private static final UnsafeMemory MEMORY = UnsafeMemory.INSTANCE;
  private static final long DOCUMENTS_PER_INDEX =
      (long) ChronicleHeader.ENTRIES * ChronicleHeader.SPACING;
  private static final int PLACE_BITS = 32;

  private final ReferenceOwner owner = ReferenceOwner.temporary("appender");
  private @Nullable MappedBytesStore mapping; // of the active block; null until Chronicle has it
  private long base; // the address that offset 0 would have
  private long limit; // the offset at which the mapping ends
  private long position; // of the next header
  private long last; // the offset of the document before it
  private int lastHeader;
  private long ordinal; // of the next document among those that readers see
  private long entries; // the offset of the entries of the last index

  /** Continues after a document that Chronicle has just appended, if all of that can be read. */
  void continues(Wire wire) {
    release();
    if (wire.bytes().bytesStore() instanceof MappedBytesStore block && block.start() == 0) {
      base = block.addressForWrite(0);
      limit = block.realCapacity();
      if (isFound()) {
        block.reserve(owner);
        mapping = block;
      }
    }
  }

  /** Finds where the block ends; a page that is missing reads as any bytes. */
  private boolean isFound() {
    last = MEMORY.readLong(base + ChronicleHeader.WRITE_POSITION);
    long place = MEMORY.readLong(base + ChronicleHeader.PLACE);
    ordinal = (int) place + 1L;
    if (last != place >>> PLACE_BITS || ordinal <= 0 || !has(last, DocumentHeader.BYTES)) {
      return false;
    }
    lastHeader = MEMORY.readInt(base + last);
    long index = (ordinal - 1) / DOCUMENTS_PER_INDEX;
    long found = MEMORY.readLong(base + ChronicleHeader.INDEX2INDEX + index * Long.BYTES);
    entries = ChronicleHeader.entriesOf(found);
    position = end();
    return has(found, DocumentHeader.BYTES)
        && has(entries, (long) ChronicleHeader.ENTRIES * Long.BYTES)
        && has(position, DocumentHeader.BYTES);
  }

  private boolean has(long offset, long bytes) {
    return offset >= ChronicleHeader.INDEX && offset <= limit - bytes;
  }

  /** Returns where the next header goes: after the last document, and an index that follows it. */
  private long end() {
    long at = last;
    long size = DocumentHeader.sizeOf(lastHeader);
    while (size > 0) {
      at += size;
      size = has(at, DocumentHeader.BYTES) ? DocumentHeader.sizeOf(MEMORY.readInt(base + at)) : 0;
    }
    return at;
  }

  /**
   * Appends a document; returns false if Chronicle has to.
   *
   * @throws InternalError a page of the block cannot be written any more
   */
  boolean append(AppendSource document) {
    int length = document.length();
    long at = position;
    long after = at + DocumentHeader.sizeFor(length);
    long number = ordinal;
    if (mapping == null
        || number % DOCUMENTS_PER_INDEX == 0
        || after + DocumentHeader.BYTES > limit) {
      return false;
    }
    requireLast();
    long header = base + at;
    MEMORY.writeInt(header, DocumentHeader.unfinished(length));
    MEMORY.copyMemory(document.address(), header + DocumentHeader.BYTES, (long) length);
    MEMORY.writeOrderedInt(header, length);
    note(at, number);
    last = at;
    lastHeader = length;
    requireLast();
    position = after;
    ordinal = number + 1;
    return true;
  }

  private void requireLast() {
    if (MEMORY.readVolatileInt(base + last) != lastHeader) {
      PageFaults.settle();
      throw new InternalError("the document at byte " + last + " is not there any more");
    }
  }

  private void note(long document, long number) {
    MEMORY.writeLong(base + ChronicleHeader.WRITE_POSITION, document);
    if (number % ChronicleHeader.SPACING == 0) {
      long entry = number % DOCUMENTS_PER_INDEX / ChronicleHeader.SPACING;
      MEMORY.writeLong(base + entries + entry * Long.BYTES, document);
      MEMORY.writeLong(base + entries - Long.BYTES, entry + 1);
      MEMORY.writeLong(base + ChronicleHeader.INDEXED, number + ChronicleHeader.SPACING);
    }
    MEMORY.writeLong(base + ChronicleHeader.PLACE, document << PLACE_BITS | number);
  }

  /** Returns where the next header goes; 0 if only Chronicle knows. */
  long position() {
    return mapping == null ? 0 : position;
  }

  /** Gives the mapping back; Chronicle appends the next document. */
  void release() {
    MappedBytesStore held = mapping;
    mapping = null;
    if (held != null) {
      held.release(owner);
    }
  }
}
