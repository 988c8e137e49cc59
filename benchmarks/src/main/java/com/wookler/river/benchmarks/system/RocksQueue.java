package com.wookler.river.benchmarks.system;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.TablePropertiesCollectorFactory;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB as a queue: the consumer never looks at what it removed. */
final class RocksQueue extends StoreQueue {
  private final RocksDB db;
  private final Options options;
  private final TablePropertiesCollectorFactory compactOnDeletion;
  private final WriteOptions writing;

  private RocksQueue(
      RocksDB db,
      Options options,
      TablePropertiesCollectorFactory compactOnDeletion,
      Work work,
      long lowest,
      long found) {
    super(work, lowest, found);
    this.db = db;
    this.options = options;
    this.compactOnDeletion = compactOnDeletion;
    this.writing = new WriteOptions().setSync(work.disk());
  }

  static OpenQueue open(Path directory, Work work) throws RocksDBException {
    RocksDB.loadLibrary();
    TablePropertiesCollectorFactory compactOnDeletion =
        TablePropertiesCollectorFactory.NewCompactOnDeletionCollectorFactory(128, 64, 0.5);
    Options options =
        new Options()
            .setCreateIfMissing(true)
            .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
            .optimizeUniversalStyleCompaction()
            .setEnablePipelinedWrite(true);
    options.setTablePropertiesCollectorFactory(List.of(compactOnDeletion));
    RocksDB db = RocksDB.open(options, directory.toString());
    try (RocksIterator all = db.newIterator()) {
      all.seekToFirst();
      long lowest = all.isValid() ? number(all.key()) : 0;
      all.seekToLast();
      long found = all.isValid() ? number(all.key()) + 1 : 0;
      all.status();
      return new RocksQueue(db, options, compactOnDeletion, work, lowest, found);
    }
  }

  private static byte[] key(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static long number(byte[] key) {
    return ByteBuffer.wrap(key).getLong();
  }

  @Override
  public Sender sender() {
    WriteBatch together = new WriteBatch();
    return new Sender() {
      @Override
      public void send(byte[] message) throws RocksDBException {
        db.put(writing, key(numbers(1)), message);
      }

      @Override
      public void send(List<byte[]> batch) throws RocksDBException {
        together.clear();
        long number = numbers(batch.size());
        for (byte[] message : batch) {
          together.put(key(number++), message);
        }
        db.write(writing, together);
      }

      @Override
      public void close() {
        together.close();
      }
    };
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

  private final class RocksReceiver extends StoreReceiver {
    private final ReadOptions reading = new ReadOptions().setTailing(true);
    private final RocksIterator iterator = db.newIterator(reading);
    private final WriteBatch taken = new WriteBatch();
    private final byte[] key = new byte[Long.BYTES];

    /** Key that the iterator is at and has returned; -2 if {@code next()} leads nowhere. */
    private long last = -2;

    @Override
    long find(long next) throws RocksDBException {
      boolean follows = last == next - 1;
      if (follows) {
        iterator.next();
      }
      if (!follows || !iterator.isValid() || read() != next) {
        iterator.seek(key(next));
      }
      last = -2;
      if (!iterator.isValid()) {
        iterator.status();
        return -1;
      }
      last = read();
      return last;
    }

    private long read() {
      iterator.key(key);
      return number(key);
    }

    @Override
    byte[] value() {
      return iterator.value();
    }

    @Override
    void remove(long number) throws RocksDBException {
      taken.singleDelete(key(number));
    }

    @Override
    void commitRemovals() throws RocksDBException {
      db.write(writing, taken);
      taken.clear();
    }

    @Override
    public void close() {
      iterator.close();
      reading.close();
      taken.close();
    }
  }
}
