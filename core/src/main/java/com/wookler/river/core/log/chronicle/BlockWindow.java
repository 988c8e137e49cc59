package com.wookler.river.core.log.chronicle;

import com.wookler.river.core.message.DocumentBytes;
import java.util.zip.CRC32C;
import net.openhft.chronicle.bytes.MappedBytesStore;
import net.openhft.chronicle.core.UnsafeMemory;
import net.openhft.chronicle.core.io.ReferenceOwner;

/**
 * Reads what Chronicle has mapped of a block, so that pages which were just written, or which
 * another reader uses, are there. Close it before the block's file is deleted, and before the store
 * is closed.
 */
public final class BlockWindow implements DocumentBytes, AutoCloseable {
  private static final UnsafeMemory MEMORY = UnsafeMemory.INSTANCE;

  private final ReferenceOwner owner = ReferenceOwner.temporary("window");
  private final int block;
  private final MappedBytesStore mapping;
  private final Runnable onClose;
  private final long from;
  private final long to;
  private final long base; // the address that offset 0 would have

  /** Keeps a mapping; {@code onClose} closes the block's file. */
  BlockWindow(int block, MappedBytesStore mapping, Runnable onClose) {
    this.block = block;
    this.mapping = mapping;
    this.onClose = onClose;
    this.from = mapping.start();
    this.to = mapping.realCapacity();
    this.base = mapping.addressForRead(from) - from;
    mapping.reserve(owner);
  }

  public int block() {
    return block;
  }

  /** Returns whether it has this many bytes from the offset on. */
  public boolean has(long offset, long length) {
    return offset >= from && offset <= to - length;
  }

  @Override
  public int intAt(long offset) {
    return MEMORY.readInt(base + offset);
  }

  @Override
  public long longAt(long offset) {
    return MEMORY.readLong(base + offset);
  }

  @Override
  public byte byteAt(long offset) {
    return MEMORY.readByte(base + offset);
  }

  @Override
  public void copy(long offset, byte[] to, int length) {
    MEMORY.readBytes(base + offset, to, 0, length);
  }

  @Override
  public void update(CRC32C crc, long offset, int length) {
    byte[] copy = new byte[length];
    copy(offset, copy, length);
    crc.update(copy, 0, length);
  }

  @Override
  public void close() {
    mapping.release(owner);
    onClose.run();
  }
}
