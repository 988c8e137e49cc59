package com.wookler.river.core;

import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.core.delay.DelayContext;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.QueueIdentity.Part;
import com.wookler.river.core.log.Salvage;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What delayed delivery needs of its queue.
 *
 * @param flush has the queue forced, on the flusher
 * @param lookup finds messages in the log and the backups
 * @param salvage reports damage
 * @param passes whether readers of the log go on behind damage that it reports
 * @param directory of the queue
 * @param due counts
 */
record QueueDelays(
    Runnable flush,
    Lookup lookup,
    Salvage salvage,
    boolean passes,
    DataDirectory directory,
    AbstractCounter due)
    implements DelayContext.QueueParts {
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
    return passes ? salvage.passOver(sequence) : sequence;
  }

  @Override
  public boolean passesDamage() {
    return passes;
  }

  @Override
  public void lost(Damage damage) {
    salvage.lost(damage);
  }

  @Override
  public @Nullable StoredMessage original(long sequence) {
    return lookup.readNear(sequence);
  }

  @Override
  public void readAll(Consumer<StoredMessage> sink) {
    LogScan.scan(lookup, lookup.first(), sink);
  }

  @Override
  public boolean hasFiles() {
    return directory.has(Part.DELAYED);
  }

  @Override
  public void begunFiles() throws IOException {
    directory.begun(Part.DELAYED);
  }

  @Override
  public void delivered(long messages) {
    due.add(messages);
  }
}
