package com.wookler.river.benchmarks.system;

import java.nio.file.Path;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * RocksDB as a queue, as its documentation describes one: keys are sequence numbers, the consumer
 * keeps its place and never looks at what it removed.
 */
final class RocksSystem implements QueueSystem {
  @Override
  public String name() {
    return "rocksdb";
  }

  @Override
  public String notes() {
    return "keys are 8 byte sequence numbers; universal compaction by"
        + " optimizeUniversalStyleCompaction (memtables of 128 MB), CompactOnDeletionCollector,"
        + " pipelined writes, WAL written with each publish and synced with each for DISK; a batch"
        + " is a WriteBatch; a tailing iterator that goes on where it stood; a message is removed by"
        + " SingleDelete when acknowledged, a batch by one WriteBatch of them (DeleteRange is not"
        + " advised for many small ranges, nor do tailing iterators know it); no way to wait, so a"
        + " waiting consumer looks every 50 µs; one consumer";
  }

  @Override
  public boolean supports(Work work) {
    return work.consumers() <= 1 && work.underWay() == 0;
  }

  @Override
  public OpenQueue open(Path directory, Work work) throws RocksDBException {
    RocksDB.loadLibrary();
    return new RocksQueue(directory, work);
  }
}
