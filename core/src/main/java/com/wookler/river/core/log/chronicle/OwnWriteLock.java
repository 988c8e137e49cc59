package com.wookler.river.core.log.chronicle;

import java.lang.reflect.Field;
import java.util.function.LongConsumer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.WriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces Chronicle's write lock, a word in a file shared with other processes, which costs a
 * tenth of a publish of 100 bytes: a log has one appender, under the append lock. Chronicle has no
 * setting for it, so the queue's field is set; where that is not possible, the queue is slower.
 */
final class OwnWriteLock implements WriteLock {
  private static final Logger LOG = LoggerFactory.getLogger(OwnWriteLock.class);

  private OwnWriteLock() {}

  /** Gives the queue this lock, before it has an appender; returns whether it has it now. */
  static boolean install(SingleChronicleQueue queue) {
    try {
      Field field = SingleChronicleQueue.class.getDeclaredField("writeLock");
      field.setAccessible(true);
      WriteLock before = (WriteLock) field.get(queue);
      field.set(queue, new OwnWriteLock());
      closeQuietly(before);
      return true;
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.debug("The queue in {} keeps Chronicle's write lock", queue.fileAbsolutePath(), e);
      return false;
    }
  }

  private static void closeQuietly(WriteLock lock) {
    try {
      lock.close();
    } catch (RuntimeException e) {
      LOG.debug("Chronicle's write lock cannot be closed", e);
    }
  }

  @Override
  public void lock() {}

  @Override
  public void unlock() {}

  /** A thread in Chronicle's appender holds the append lock. */
  @Override
  public boolean locked() {
    return true;
  }

  @Override
  public boolean forceUnlockIfProcessIsDead() {
    return false;
  }

  @Override
  public boolean isLockedByCurrentProcess(LongConsumer ifOther) {
    return true;
  }

  @Override
  public void close() {}
}
