package com.wookler.river.benchmarks.system;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.TablePropertiesCollectorFactory;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** One RocksDB that holds one queue. */
final class RocksQueue implements OpenQueue {
  private static final int DELETION_WINDOW = 128;
  private static final int DELETIONS_IN_WINDOW = 64;

  private final Options options;
  private final TablePropertiesCollectorFactory compactOnDeletion;
  private final WriteOptions writing;
  private final RocksDB db;
  private final boolean ack;
  private final AtomicLong sequence;

  /** Where a consumer begins: what is before is acknowledged. Written by the consumer. */
  private volatile long first;

  /** What is below was there when the queue was opened: a hole in it will never be filled. */
  private final long found;

  RocksQueue(Path directory, Work work) throws RocksDBException {
    this.ack = work.ack();
    this.compactOnDeletion =
        TablePropertiesCollectorFactory.NewCompactOnDeletionCollectorFactory(
            DELETION_WINDOW, DELETIONS_IN_WINDOW, 0.5);
    this.options =
        new Options()
            .setCreateIfMissing(true)
            .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
            .optimizeUniversalStyleCompaction()
            .setEnablePipelinedWrite(true);
    options.setTablePropertiesCollectorFactory(List.of(compactOnDeletion));
    this.writing = new WriteOptions().setSync(work.level() == Work.Level.DISK);
    this.db = RocksDB.open(options, directory.toString());
    try (RocksIterator all = db.newIterator()) {
      all.seekToFirst();
      this.first = all.isValid() ? number(all.key()) : 0;
      all.seekToLast();
      this.found = all.isValid() ? number(all.key()) + 1 : 0;
      all.status();
    }
    this.sequence = new AtomicLong(found);
  }

  private static byte[] key(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static long number(byte[] key) {
    return ByteBuffer.wrap(key).getLong();
  }

  @Override
  public Sender sender() {
    return new RocksSender();
  }

  @Override
  public Receiver receiver(int number) {
    return new RocksReceiver();
  }

  @Override
  public void close() {
    db.close();
    writing.close();
    options.close();
    compactOnDeletion.close();
  }

  private final class RocksSender implements Sender {
    private final WriteBatch together = new WriteBatch();

    @Override
    public void send(byte[] message) throws RocksDBException {
      db.put(writing, key(sequence.getAndIncrement()), message);
    }

    @Override
    public void send(List<byte[]> batch) throws RocksDBException {
      together.clear();
      long number = sequence.getAndAdd(batch.size());
      for (byte[] message : batch) {
        together.put(key(number++), message);
      }
      db.write(writing, together);
    }

    @Override
    public void close() {
      together.close();
    }
  }

  private final class RocksReceiver implements Receiver {
    private final ReadOptions reading = new ReadOptions().setTailing(true);
    private final RocksIterator iterator = db.newIterator(reading);
    private final WriteBatch taken = new WriteBatch();
    private final byte[] key = new byte[Long.BYTES];
    private long next = first;

    /** Whether the iterator stands before {@link #next} and {@code next()} leads there. */
    private boolean following;

    @Override
    public int receive(int max, Duration timeout, Sink sink) throws RocksDBException {
      Polling polling = new Polling(timeout);
      int count = take(max, sink);
      while (count == 0 && polling.again()) {
        count = take(max, sink);
      }
      return count;
    }

    private int take(int max, Sink sink) throws RocksDBException {
      int count = 0;
      while (count < max && toNext()) {
        sink.accept(iterator.value());
        if (ack) {
          taken.singleDelete(key(next));
        }
        next++;
        count++;
      }
      if (ack && count > 0) {
        db.write(writing, taken);
        taken.clear();
        first = next;
      }
      return count;
    }

    /**
     * Moves to the next message. Its key is known, so a number that another publisher has taken and
     * not written yet is waited for, never jumped over.
     */
    private boolean toNext() throws RocksDBException {
      if (following) {
        iterator.next();
      }
      if (!following || !iterator.isValid() || read() != next) {
        iterator.seek(key(next));
      }
      following = false;
      if (!iterator.isValid()) {
        iterator.status();
        return false;
      }
      long at = read();
      if (at > next && next < found) {
        next = Math.min(at, found);
      }
      following = at == next;
      return following;
    }

    private long read() {
      iterator.key(key);
      return number(key);
    }

    @Override
    public void close() {
      iterator.close();
      reading.close();
      taken.close();
    }
  }
}
