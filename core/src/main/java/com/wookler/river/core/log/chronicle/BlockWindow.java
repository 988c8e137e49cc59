package com.wookler.river.core.log.chronicle;

import com.wookler.river.core.message.DocumentBytes;
import java.util.zip.CRC32C;
import net.openhft.chronicle.core.UnsafeMemory;

/**
 * Reads what is mapped of a block: of the one that is appended to the appender's own mapping, so
 * that pages which were just written are there, of others one that all readers share. Close it
 * before the block's file is deleted, so that its space is free then, and before the store is
 * closed.
 */
public final class BlockWindow implements DocumentBytes, AutoCloseable {
  private static final UnsafeMemory MEMORY = UnsafeMemory.INSTANCE;

  private final int block;
  private final Runnable onClose;
  private final long from;
  private final long to;
  private final long base;
  private final int generation;

  /**
   * Reads a mapping until it is closed.
   *
   * @param from the first offset that is mapped; {@code to} the one after the last
   * @param base the address that offset 0 has, or would have
   * @param generation how often its file had been replaced
   * @param onClose gives the mapping back
   */
  BlockWindow(int block, long from, long to, long base, int generation, Runnable onClose) {
    this.block = block;
    this.from = from;
    this.to = to;
    this.base = base;
    this.generation = generation;
    this.onClose = onClose;
  }

  public int block() {
    return block;
  }

  /** Returns how often the block's file had been replaced. */
  public int generation() {
    return generation;
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
  public void copy(long offset, byte[] to, int at, int length) {
    MEMORY.readBytes(base + offset, to, at, length);
  }

  @Override
  public void update(CRC32C crc, long offset, int length) {
    byte[] copy = new byte[length];
    copy(offset, copy, length);
    crc.update(copy, 0, length);
  }

  @Override
  public void close() {
    onClose.run();
  }
}
