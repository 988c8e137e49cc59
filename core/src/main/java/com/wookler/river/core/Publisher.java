package com.wookler.river.core;

import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Appends messages to a queue.
 *
 * <p>Thread-safe; there is one a queue, shared by all. Order is one total order a queue, and the
 * messages of one thread keep theirs. When a publish returns, the message is as durable as the
 * queue's {@link Durability} says, or as the call asked if that is more.
 *
 * <p>Errors: {@link com.wookler.river.core.message.MessageTooLargeException} and {@link
 * com.wookler.river.core.message.QueueClosedException} mean that nothing was stored, and so does an
 * exception of the converter; {@link com.wookler.river.core.message.QueueFailedException} means
 * that it may or may not be. An interrupt leaves the thread's flag set and the publish completes.
 *
 * @param <M> type of the data
 */
public interface Publisher<M> {
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
   * @return the first sequence
   */
  long publish(List<Message<M>> batch);

  /** Likewise, for data without keys and headers. */
  long publishAll(List<M> batch);

  /** Publishes one message, at least as durable as asked. */
  long publish(Message<M> message, Durability level);

  /** Publishes a batch, at least as durable as asked. */
  long publish(List<Message<M>> batch, Durability level);

  /**
   * Publishes one message; the future completes with its sequence once it is as durable as asked,
   * or with the exception that {@link #publish(Message, Durability)} would throw. Messages are
   * stored in the order of the calls.
   */
  CompletableFuture<Long> publishAsync(Message<M> message, Durability level);

  /** Likewise, for a batch. */
  CompletableFuture<Long> publishAsync(List<Message<M>> batch, Durability level);
}
