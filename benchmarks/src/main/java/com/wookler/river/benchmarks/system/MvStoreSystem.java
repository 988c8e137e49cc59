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
final class MvStoreSystem implements QueueSystem {
  @Override
  public String name() {
    return "mvstore";
  }

  @Override
  public String notes() {
    return "one map, keys are sequence numbers; commit() after each publish, or once a batch,"
        + " because the automatic commit comes after up to a second only; DISK is commit() and"
        + " sync(); all else by default (that automatic commit for housekeeping, 45 s retention, 16"
        + " MB of cache, no compression); the consumer keeps its place and removes and commits when"
        + " it acknowledges, once a batch; no way to wait, so a waiting consumer looks every 50 µs;"
        + " one consumer";
  }

  @Override
  public boolean supports(Work work) {
    return work.consumers() <= 1 && work.underWay() == 0;
  }

  @Override
  public OpenQueue open(Path directory, Work work) {
    MVStore store = new MVStore.Builder().fileName(directory.resolve("queue.mv").toString()).open();
    MVMap<Long, byte[]> map =
        store.openMap(
            "messages",
            new MVMap.Builder<Long, byte[]>()
                .keyType(LongDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
    return new MvQueue(store, map, work);
  }

  private static final class MvQueue extends StoreQueue {
    private final MVStore store;
    private final MVMap<Long, byte[]> map;
    private final boolean forced;

    MvQueue(MVStore store, MVMap<Long, byte[]> map, Work work) {
      super(work, or(map.firstKey(), 0), or(map.lastKey(), -1) + 1);
      this.store = store;
      this.map = map;
      this.forced = work.level() == Work.Level.DISK;
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
}
