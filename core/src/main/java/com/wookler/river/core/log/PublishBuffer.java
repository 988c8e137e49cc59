package com.wookler.river.core.log;

import com.wookler.river.core.log.chronicle.AppendSource;
import com.wookler.river.core.message.DocumentWriter;
import org.jspecify.annotations.Nullable;

/**
 * A publishing thread's own memory, in which it builds a document before it takes the append lock.
 * Each thread has one, for all queues that it publishes to; it ends with the thread.
 */
public final class PublishBuffer {
  private static final ThreadLocal<PublishBuffer> OF_THREAD =
      ThreadLocal.withInitial(PublishBuffer::new);

  private final DocumentWriter document = new DocumentWriter();
  private final AppendSource source = new AppendSource(document);
  private int samples;
  private boolean admitted;
  private @Nullable AppendCondition condition;

  private PublishBuffer() {}

  /** Returns the thread's own; no user code may run between a document's start and the append. */
  public static PublishBuffer ofThread() {
    return OF_THREAD.get();
  }

  /** Begins or ends to append whatever the queue's limits and its status are. */
  public void admit(boolean all) {
    admitted = all;
  }

  boolean isAdmitted() {
    return admitted;
  }

  /** Sets what is required of each append by this thread, until it is null again. */
  public void condition(@Nullable AppendCondition required) {
    condition = required;
  }

  @Nullable AppendCondition condition() {
    return condition;
  }

  public DocumentWriter document() {
    return document;
  }

  /** Returns true once in {@code mask + 1} calls: which publishes are timed. */
  public boolean sample(int mask) {
    return (samples++ & mask) == 0;
  }

  /** Returns the document as the store takes it. */
  AppendSource source() {
    return source;
  }
}
