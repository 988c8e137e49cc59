package com.wookler.river.benchmarks.system;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;

/**
 * What the machine allows, and no queue: length, CRC32C and bytes of each message are copied into
 * mapped files under one lock, and read back with a comparison of the checksum. The files are
 * zeroed, mapped and touched before; nothing is removed, forced or found again.
 */
final class LimitQueue implements OpenQueue {
  private static final int BLOCK = 64 << 20;
  private static final int PAGE = 4_096;
  private static final int HEADER = 2 * Integer.BYTES; // length and checksum

  private final Path directory;
  private final Work work;
  private final ReentrantLock lock = new ReentrantLock();

  /** Whose index times the size of a block is the address of the first byte. Added to only. */
  private final List<MappedByteBuffer> blocks = new CopyOnWriteArrayList<>();

  @GuardedBy("lock")
  private final CRC32C sum = new CRC32C();

  @GuardedBy("lock")
  private MappedByteBuffer block;

  @GuardedBy("lock")
  private long first; // address of that block

  @GuardedBy("lock")
  private int at; // offset in it

  private final AtomicLong end = new AtomicLong(); // address after the last whole message

  @SuppressWarnings("GuardedBy") // not shared yet
  LimitQueue(Path directory, Work work) throws IOException {
    this.directory = directory;
    this.work = work;
    this.block = block(0);
  }

  @Override
  public void expect(long messages) throws IOException {
    long perBlock = BLOCK / (HEADER + work.size());
    block((int) (messages / perBlock));
  }

  /** Returns a block; makes those that are missing up to it. */
  private MappedByteBuffer block(int index) throws IOException {
    for (int next = blocks.size(); next <= index; next++) {
      Path file = directory.resolve("block-" + next);
      try (FileChannel channel =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE)) {
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        while (channel.position() < BLOCK) {
          channel.write(zeros.clear());
        }
        MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, BLOCK);
        for (int page = 0; page < BLOCK; page += PAGE) {
          mapped.put(page, (byte) 0);
        }
        blocks.add(mapped);
      }
    }
    return blocks.get(index);
  }

  @GuardedBy("lock")
  private void append(byte[] data) {
    if (at + HEADER + data.length > BLOCK) {
      startBlock();
    }
    sum.reset();
    sum.update(data);
    block.putInt(at + Integer.BYTES, (int) sum.getValue());
    block.put(at + HEADER, data);
    block.putInt(at, data.length);
    at += HEADER + data.length;
  }

  @GuardedBy("lock")
  private void startBlock() {
    try {
      block = block((int) (first / BLOCK) + 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    first += BLOCK;
    at = 0;
  }

  @Override
  public Sender sender() {
    return new Sender() {
      @Override
      public void send(byte[] message) {
        lock.lock();
        try {
          append(message);
          end.setRelease(first + at);
        } finally {
          lock.unlock();
        }
      }

      @Override
      public void send(List<byte[]> batch) {
        lock.lock();
        try {
          for (byte[] message : batch) {
            append(message);
          }
          end.setRelease(first + at);
        } finally {
          lock.unlock();
        }
      }
    };
  }

  @Override
  public Receiver receiver(int number) {
    return new LimitReceiver();
  }

  /** Leaves the mappings to the collector, which is asked for at once: files need their space. */
  @Override
  public void close() {
    blocks.clear();
    System.gc();
  }

  /** Reads from the first message on. */
  private final class LimitReceiver extends SpinningReceiver {
    private final CRC32C checksum = new CRC32C();
    private long address;
    private long known; // below which all messages are whole
    private int index = -1;
    private ByteBuffer block = ByteBuffer.allocate(0); // the one of that index

    @Override
    int read(int max, Sink sink) {
      if (address >= known) {
        known = end.getAcquire();
      }
      int count = 0;
      while (count < max && address < known) {
        if (address / BLOCK != index) {
          open();
        }
        int offset = (int) (address % BLOCK);
        int length = BLOCK - offset < HEADER ? 0 : block.getInt(offset);
        if (length == 0) { // the rest of the block is zeros
          address += BLOCK - offset;
          continue;
        }
        deliver(offset, length, sink);
        address += HEADER + length;
        count++;
      }
      return count;
    }

    private void open() {
      index = (int) (address / BLOCK);
      block = blocks.get(index).duplicate();
    }

    private void deliver(int offset, int length, Sink sink) {
      checksum.reset();
      if (work.view()) {
        int start = offset + HEADER;
        block.limit(start + length).position(start);
        checksum.update(block);
        check(offset);
        sink.view(block.position(start));
        block.clear();
      } else {
        byte[] data = new byte[length];
        block.get(offset + HEADER, data);
        checksum.update(data);
        check(offset);
        sink.accept(data);
      }
    }

    private void check(int offset) {
      if (block.getInt(offset + Integer.BYTES) != (int) checksum.getValue()) {
        throw new IllegalStateException("the message at " + address + " is damaged");
      }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it but the speed
    void pause() {
      Thread.yield(); // where there are more threads than cores, as with many consumers
    }
  }
}
