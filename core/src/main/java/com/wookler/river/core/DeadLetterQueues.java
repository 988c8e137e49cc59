package com.wookler.river.core;

import com.wookler.river.common.WorkerPool;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the dead letters of all subscribers of a queue share. Thread-safe.
 *
 * @param config of the queue that the messages come from
 * @param line where letters are made in the background
 * @param worker where listeners are called
 * @param redrive publishes messages again, on the device when it returns; false if there is no room
 *     now, and the queue is one to wait for it
 */
record DeadLetterQueues<M>(
    QueueConfig<M> config,
    WorkerPool.Serial line,
    Executor worker,
    Listeners listeners,
    Predicate<List<StoredMessage>> redrive) {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterQueues.class);

  /** Of a subscriber, in its directory. */
  DeadLetterQueue<M> of(String subscriber, Path directory) {
    return new DeadLetterQueue<>(this, subscriber, directory);
  }

  boolean publish(List<StoredMessage> messages) {
    return redrive.test(messages);
  }

  void tell(String subscriber, DeadLetter letter) {
    report(() -> listeners.deadLetter(subscriber, letter), letter);
  }

  void dropped(String subscriber, long letters) {
    report(() -> listeners.deadLettersDropped(subscriber, letters), "dropped dead letters");
  }

  private void report(Runnable call, Object what) {
    try {
      worker.execute(call);
    } catch (RejectedExecutionException e) {
      LOG.debug("Queue {} closes: no listener hears of {}", config.name(), what);
    }
  }
}
