package com.wookler.river.benchmarks.system;

import java.nio.file.Path;
import java.util.List;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.jspecify.annotations.Nullable;

/** The storage engine of H2 as a queue: a map from sequence numbers to messages. */
final class MvStoreQueue extends StoreQueue {
  private final MVStore store;
  private final MVMap<Long, byte[]> map;
  private final boolean forced;

  private MvStoreQueue(MVStore store, MVMap<Long, byte[]> map, Work work) {
    super(work, or(map.firstKey(), 0), or(map.lastKey(), -1) + 1);
    this.store = store;
    this.map = map;
    this.forced = work.disk();
  }

  static OpenQueue open(Path directory, Work work) {
    MVStore store = new MVStore.Builder().fileName(directory.resolve("queue.mv").toString()).open();
    MVMap.Builder<Long, byte[]> map = new MVMap.Builder<>();
    map.keyType(LongDataType.INSTANCE).valueType(ByteArrayDataType.INSTANCE);
    return new MvStoreQueue(store, store.openMap("messages", map), work);
  }

  private static long or(@Nullable Long key, long none) {
    return key == null ? none : key;
  }

  private void commit() {
    store.commit();
    if (forced) {
      store.sync();
    }
  }

  @Override
  public Sender sender() {
    return new Sender() {
      @Override
      public void send(byte[] message) {
        send(List.of(message));
      }

      /** The map keeps the array itself, so it gets one that the publisher will not touch. */
      @Override
      public void send(List<byte[]> batch) {
        long number = numbers(batch.size());
        for (byte[] message : batch) {
          map.put(number++, message.clone());
        }
        commit();
      }
    };
  }

  @Override
  public Receiver receiver(int number) {
    return new StoreReceiver() {
      private Cursor<Long, byte[]> cursor = map.cursor(0L);

      @Override
      void from(long next) {
        cursor = map.cursor(next);
      }

      @Override
      long find(long next) {
        return cursor.hasNext() ? cursor.next() : -1;
      }

      @Override
      byte[] value() {
        return cursor.getValue();
      }

      @Override
      void remove(long taken) {
        map.remove(taken);
      }

      @Override
      void commitRemovals() {
        commit();
      }
    };
  }

  @Override
  public void close() {
    store.close();
  }
}
