package com.wookler.river.core;

import com.wookler.river.common.WorkerPool;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the dead letters of all subscribers of a queue share. Thread-safe.
 *
 * @param config of the queue that the messages come from
 * @param line where letters are made in the background
 * @param worker where listeners are called
 * @param redrive publishes messages again, on the device when it returns
 */
record DeadLetterQueues<M>(
    QueueConfig<M> config,
    WorkerPool.Serial line,
    Executor worker,
    Listeners listeners,
    Consumer<List<StoredMessage>> redrive) {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterQueues.class);

  /** Of a subscriber, in its directory. */
  DeadLetterQueue<M> of(String subscriber, Path directory) {
    return new DeadLetterQueue<>(this, subscriber, directory);
  }

  void publish(List<StoredMessage> messages) {
    redrive.accept(messages);
  }

  void tell(String subscriber, DeadLetter letter) {
    try {
      worker.execute(() -> listeners.deadLetter(subscriber, letter));
    } catch (RejectedExecutionException e) {
      LOG.debug("Queue {} closes: no listener hears of {}", config.name(), letter);
    }
  }
}
