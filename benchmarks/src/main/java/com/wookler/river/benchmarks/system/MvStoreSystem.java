package com.wookler.river.benchmarks.system;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;

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

  private static final class MvQueue implements OpenQueue {
    private final MVStore store;
    private final MVMap<Long, byte[]> map;
    private final boolean forced;
    private final boolean ack;
    private final AtomicLong sequence;

    /** Where a consumer begins: what is before is acknowledged. Written by the consumer. */
    private volatile long first;

    /** What is below was there when the queue was opened: a hole in it will never be filled. */
    private final long found;

    MvQueue(MVStore store, MVMap<Long, byte[]> map, Work work) {
      this.store = store;
      this.map = map;
      this.forced = work.level() == Work.Level.DISK;
      this.ack = work.ack();
      Long lowest = map.firstKey();
      Long highest = map.lastKey();
      this.first = lowest == null ? 0 : lowest;
      this.found = highest == null ? 0 : highest + 1;
      this.sequence = new AtomicLong(found);
    }

    private void commit() {
      store.commit();
      if (forced) {
        store.sync();
      }
    }

    @Override
    public Sender sender() {
      return new MvSender();
    }

    @Override
    public Receiver receiver(int number) {
      return new MvReceiver();
    }

    @Override
    public void close() {
      store.close();
    }

    private final class MvSender implements Sender {
      @Override
      public void send(byte[] message) {
        put(sequence.getAndIncrement(), message);
        commit();
      }

      @Override
      public void send(List<byte[]> batch) {
        long number = sequence.getAndAdd(batch.size());
        for (byte[] message : batch) {
          put(number++, message);
        }
        commit();
      }

      /** The map keeps the array itself, so it gets one that the publisher will not touch. */
      private void put(long number, byte[] message) {
        map.put(number, message.clone());
      }
    }

    private final class MvReceiver implements Receiver {
      private long next = first;

      @Override
      public int receive(int max, Duration timeout, Sink sink) {
        Polling polling = new Polling(timeout);
        int count = take(max, sink);
        while (count == 0 && polling.again()) {
          count = take(max, sink);
        }
        return count;
      }

      /**
       * Takes what follows without a hole: a number that another publisher has taken and not
       * written yet is waited for, never jumped over.
       */
      private int take(int max, Sink sink) {
        long from = next;
        int count = 0;
        Cursor<Long, byte[]> cursor = map.cursor(from);
        while (count < max && cursor.hasNext()) {
          long at = cursor.next();
          if (at > next && next < found) {
            next = Math.min(at, found);
          }
          if (at != next) {
            break;
          }
          sink.accept(cursor.getValue());
          next++;
          count++;
        }
        if (ack && count > 0) {
          for (long number = from; number < next; number++) {
            map.remove(number);
          }
          commit();
          first = next;
        }
        return count;
      }
    }
  }
}
