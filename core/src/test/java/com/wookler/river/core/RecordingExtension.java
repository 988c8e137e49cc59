package com.wookler.river.core;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Adds a part to each queue of core's tests that needs nothing unless it is told to. */
public final class RecordingExtension implements QueueExtension {
  /** For the service loader. */
  public RecordingExtension() {}

  @Override
  public Part open(Context queue) {
    return new Recording(queue);
  }

  /** Records what the queue asks of it. */
  static final class Recording implements QueueExtension.Part {
    final Context queue;
    final List<String> calls = new CopyOnWriteArrayList<>(List.of("open"));
    volatile long needed = Long.MAX_VALUE;
    private final AtomicLong gaveUp = new AtomicLong();

    private Recording(Context queue) {
      this.queue = queue;
    }

    @Override
    public void start() {
      calls.add("start");
    }

    @Override
    public void stop() {
      calls.add("stop");
    }

    @Override
    public void close() {
      calls.add("close at " + queue.own().log().nextSequence()); // which is open still
    }

    @Override
    public boolean keep(StoredMessage message, SubscriberConfig subscriber) {
      if (subscriber.expiryQueue() != null) {
        calls.add("keep " + message.sequence() + " of " + subscriber.name());
      }
      return true;
    }

    @Override
    public void force(String subscriber) {
      if (subscriber.equals("expiring")) {
        calls.add("force " + subscriber);
      }
    }

    @Override
    public OptionalLong lower(OptionalLong lowWatermark) {
      return needed == Long.MAX_VALUE
          ? lowWatermark
          : OptionalLong.of(Math.min(needed, lowWatermark.orElse(needed)));
    }

    @Override
    public boolean havePassed(long sequence) {
      return needed >= sequence;
    }

    @Override
    public void discard(long end) {
      if (needed < end) {
        gaveUp.addAndGet(end - needed);
        needed = end;
        calls.add("discard " + end);
      }
    }

    @Override
    public long discarded() {
      return gaveUp.get();
    }

    @Override
    public void leave(int block) {
      calls.add("leave " + block);
    }
  }
}
