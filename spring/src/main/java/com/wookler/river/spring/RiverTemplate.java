package com.wookler.river.spring;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Publishes into queues by their names. Thread-safe.
 *
 * <p>A queue that is not open is opened: for the type of {@code river.queues.<queue>.type}, else
 * for the class of the data. Errors are those of {@link com.wookler.river.core.Publisher}; data of
 * another type than the queue's is a {@link com.wookler.river.common.errors.RiverException}, and
 * nothing is stored.
 */
public interface RiverTemplate {
  /** Publishes at the queue's durability and returns the sequence. */
  <T> long publish(String queue, T data);

  /** Publishes a message with its key, headers and terms and returns its sequence. */
  <T> long publish(String queue, Message<T> message);

  /** Publishes several as one, and returns the sequence of the first: all are stored or none. */
  <T> long publishAll(String queue, List<T> batch);

  /** Publishes a message, at least as durable as asked. */
  <T> PublishResult put(String queue, Message<T> message, Durability level);

  /**
   * Publishes without waiting for the device; the future has the sequence, and completes once the
   * message is as durable as the queue's messages are.
   */
  <T> CompletableFuture<Long> publishAsync(String queue, T data);

  /** Publishes a message in the same way. */
  <T> CompletableFuture<Long> publishAsync(String queue, Message<T> message);
}
