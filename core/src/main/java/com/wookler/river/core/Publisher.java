package com.wookler.river.core;

import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/**
 * Appends messages to a queue.
 *
 * <p>Thread-safe; there is one a queue, shared by all. Order is one total order a queue, and the
 * messages of one thread keep theirs. When a publish returns, the message is as durable as the
 * queue's {@link Durability} says, or as the call asked if that is more.
 *
 * <p>A queue with limits that is full refuses, waits or discards, as its {@link FullPolicy} says;
 * with {@link FullPolicy#BLOCK} every method here may wait, {@link #publishAsync} too.
 *
 * <p>Errors: {@link com.wookler.river.core.message.QueueFullException}, {@link
 * com.wookler.river.core.message.MessageTooLargeException} and {@link
 * com.wookler.river.core.message.QueueClosedException} mean that nothing was stored, and so does an
 * exception of the converter; {@link com.wookler.river.core.message.QueueFailedException} means
 * that it may or may not be. Where a file cannot be opened, for want of descriptors, the call ends
 * with a {@link com.wookler.river.common.errors.RiverException} that says which: nothing was
 * stored, or, of {@link Durability#DISK} only, it is stored but not on the device yet; the queue
 * goes on. Publishing is not interruptible: an interrupt, also while the call waits for the device,
 * leaves the thread's flag set and the publish completes; only a wait for room in a full queue
 * ends, with {@link com.wookler.river.core.message.QueueFullException}.
 *
 * @param <M> type of the data
 */
public interface Publisher<M> {
  /**
   * The window within which messages of one id are stored once ({@code queue.deduplicate}); zero:
   * ids have no effect, as in a publisher that says nothing else.
   */
  default Duration window() {
    return Duration.ZERO;
  }

  /** Publishes one message and returns its sequence. */
  long publish(M data);

  /** Publishes one message with its key and headers and returns its sequence. */
  long publish(Message<M> message);

  /**
   * Publishes several messages as one: after any crash all of them are there or none, and no
   * subscriber sees one before all are readable. Their sequences follow one another.
   *
   * @param batch one message or more, together at most a quarter of the mapping (20 MB with the
   *     default block size)
   *     <p>Where the queue deduplicates, those whose id is known are left out, also if it is
   *     another's in the batch; the others follow one another all the same.
   * @return the first sequence; if the first message was left out, where it stands
   */
  long publish(List<Message<M>> batch);

  /** Likewise, for data without keys and headers. */
  long publishAll(List<M> batch);

  /**
   * Publishes one message, at least as durable as asked; a level below the queue's is without
   * effect. With {@link Durability#DISK} the call waits for a force of the device, which all share
   * that wait.
   */
  long publish(Message<M> message, Durability level);

  /**
   * Publishes one message like {@link #publish(Message, Durability)}, and tells whether it was a
   * duplicate: on a queue with a window ({@code queue.deduplicate}) a message whose id was
   * published within it is not stored again. The result is then the first one's, and is returned
   * once that is as durable as asked. All other methods return its sequence likewise.
   */
  PublishResult put(Message<M> message, Durability level);

  /** Publishes a batch, at least as durable as asked. */
  long publish(List<Message<M>> batch, Durability level);

  /**
   * Publishes one message; the future completes with its sequence once it is as durable as asked,
   * or with the exception that {@link #publish(Message, Durability)} would throw. Messages are
   * stored in the order of the calls, before the call returns; so is the future completed, unless
   * the level is {@link Durability#DISK}.
   *
   * <p>With {@link Durability#DISK} the futures of one thread complete in the order of its calls,
   * one after the other, on a thread of the common pool. What was attached to one runs there, and
   * those behind it wait for that: it may take its time, but must not wait for another future of
   * this queue (attach it by {@code thenRunAsync} and the like if it does). How many publishes are
   * under way is up to the caller; each keeps about 100 bytes until it completes. Cancelling a
   * future takes nothing back.
   */
  CompletableFuture<Long> publishAsync(Message<M> message, Durability level);

  /** Likewise, for a batch. */
  CompletableFuture<Long> publishAsync(List<Message<M>> batch, Durability level);

  /**
   * Publishes one message like {@link #publishAsync(Message, Durability)}, and tells whether it was
   * a duplicate like {@link #put}.
   */
  default CompletableFuture<PublishResult> putAsync(Message<M> message, Durability level) {
    try {
      return CompletableFuture.completedFuture(put(message, level));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Publishes a batch like {@link #publishAsync(List, Durability)}, and tells of each message, in
   * the order of the batch, where it stands, and whether it was a duplicate: of one that was there,
   * or of another of the batch before it. The default knows no duplicates.
   */
  default CompletableFuture<List<PublishResult>> putAllAsync(
      List<Message<M>> batch, Durability level) {
    return publishAsync(batch, level)
        .thenApply(
            first ->
                LongStream.range(first, first + batch.size())
                    .mapToObj(sequence -> new PublishResult(sequence, false, level))
                    .toList());
  }
}
