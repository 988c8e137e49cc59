package com.wookler.river.test;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;

/**
 * Configures the queue of a {@link Queue} parameter, for what its defaults do not do.
 *
 * @param <M> type of the data
 */
public interface QueueSettings<M> {
  /** Returns the converter of the queue. */
  MessageConverter<M> converter();

  /** Changes settings; directory and clock are those of the test, whatever it sets. */
  default MessageQueue.Builder<M> configure(MessageQueue.Builder<M> builder) {
    return builder;
  }
}
