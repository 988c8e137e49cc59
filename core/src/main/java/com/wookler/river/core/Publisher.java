package com.wookler.river.core;

import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Appends messages to a queue.
 *
 * <p>Thread-safe; there is one a queue, shared by all. Order is one total order a queue, and the
 * messages of one thread keep theirs. When a publish returns, the message is as durable as the
 * queue's {@link Durability} says, or as the call asked if that is more. A full queue refuses,
 * waits or discards, as its {@link FullPolicy} says; with {@link FullPolicy#BLOCK} every method
 * here may wait, {@link #putAsync} too.
 *
 * <p>Errors: {@code QueueFullException}, {@code MessageTooLargeException}, {@code
 * QueueClosedException} and an exception of the converter mean that nothing was stored; {@code
 * QueueFailedException} means that it may or may not be. Where a file cannot be opened, for want of
 * descriptors, the call ends with a {@link com.wookler.river.common.errors.RiverException} that
 * says which: nothing was stored, or, of {@link Durability#DISK} only, it is stored but not on the
 * device yet; the queue continues. Of a queue that another {@link QueueEngine} keeps, {@code
 * QueueFullException} also means that the engine is away or refuses access. Publishing is not
 * interruptible: an interrupt, also while the call waits for the device, leaves the thread's flag
 * set and the publish completes; only a wait for capacity in a full queue ends, with a {@code
 * QueueFullException}.
 *
 * <p>An empty batch is an {@link IllegalArgumentException}; null data, or a null message, is a
 * {@code RiverException}. Of {@link #putAsync} both are in the future.
 *
 * @param <M> type of the data
 */
public interface Publisher<M> {
  /**
   * Returns the window within which messages of one id are stored once ({@code queue.deduplicate});
   * zero, the default: ids have no effect.
   */
  default Duration window() {
    return Duration.ZERO;
  }

  /** Publishes one message at the queue's durability and returns its sequence. */
  long publish(M data);

  /**
   * Publishes one message with its key, headers and terms at the queue's durability and returns its
   * sequence; if it is a duplicate (see {@link #put}), the sequence of the message that it repeats.
   */
  long publish(Message<M> message);

  /**
   * Publishes several messages, without keys and headers, as one at the queue's durability; atomic
   * like {@link #putAll}. Returns the sequence of the first one; the others follow it without a
   * gap.
   *
   * @param batch one message or more, together within the limit of {@link #putAll}
   */
  long publishAll(List<M> batch);

  /**
   * Publishes one message, at least as durable as asked; a level below the queue's is without
   * effect. With {@link Durability#DISK} the call waits for a force, which all who wait then share.
   *
   * <p>On a queue with a window ({@code queue.deduplicate}) a message whose id was published within
   * it is not stored again: the result names the message that it repeats, and is returned once that
   * is as durable as asked.
   */
  PublishResult put(Message<M> message, Durability level);

  /**
   * Publishes several messages as one, at least as durable as asked: after any crash all of them
   * are there or none, and no subscriber sees one before all are readable. Where the queue
   * deduplicates, duplicates are left out, also of a message earlier in the batch.
   *
   * @param batch one message or more, together at most a quarter of the mapping (20 MB with the
   *     default block size)
   */
  PublishResult putAll(List<Message<M>> batch, Durability level);

  /**
   * Publishes several messages as one like {@link #putAll}, without waiting for the device; the
   * future completes once they are as durable as asked, or with the exception that {@link #putAll}
   * would throw. Batches are stored in the order of the calls, before the call returns; the future
   * is completed then too, unless the level is {@link Durability#DISK}.
   *
   * <p>With {@link Durability#DISK} the futures of one thread complete in the order of its calls,
   * one after the other, on a thread of the common pool. What was attached to one runs there, and
   * the futures after it wait for that: it may take its time, but must not wait for another future
   * of this queue (attach it by {@code thenRunAsync} and the like if it does). How many publishes
   * are under way is up to the caller; each keeps about 100 bytes until it completes. Cancelling a
   * future takes nothing back.
   */
  CompletableFuture<PublishResult> putAsync(List<Message<M>> batch, Durability level);
}
