package com.wookler.river.core;

import com.wookler.river.core.delay.DelayContext;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.QueueIdentity.Part;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What delayed delivery needs of its queue, which {@code flush} forces, on the flusher. */
record QueueDelays(Runnable flush, QueueStorage storage) implements DelayContext.QueueParts {
  @Override
  public void flushSoon() {
    try {
      flush.run();
    } catch (RejectedExecutionException e) {
      return; // closed, which has flushed
    }
  }

  @Override
  public long passOver(long sequence) {
    return passesDamage() ? storage.salvage.passOver(sequence) : sequence;
  }

  @Override
  public boolean passesDamage() {
    return storage.passesDamage();
  }

  @Override
  public void lost(Damage damage) {
    storage.salvage.lost(damage);
  }

  @Override
  public @Nullable StoredMessage original(long sequence) {
    return storage.lookup.readNear(sequence);
  }

  @Override
  public void readAll(Consumer<StoredMessage> sink) {
    storage.lookup.scan(storage.lookup.first(), sink);
  }

  @Override
  public boolean hasFiles() {
    return storage.directory.has(Part.DELAYED);
  }

  @Override
  public void begunFiles() throws IOException {
    storage.directory.begun(Part.DELAYED);
  }

  @Override
  public void delivered(long messages) {
    storage.counters.delayed().add(messages);
  }
}
