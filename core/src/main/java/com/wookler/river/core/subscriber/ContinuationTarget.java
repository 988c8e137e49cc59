package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import java.util.List;

/**
 * A queue that takes the messages of {@link Delivery#ackAndPublish}: each {@code MessageQueue} is
 * one. Thread-safe.
 *
 * @param <M> type of the data
 */
public interface ContinuationTarget<M> {
  /**
   * Publishes messages as one, on the device when it returns, unless it has those of this origin;
   * returns whether it did. For {@link Delivery#ackAndPublish}; programs call that.
   *
   * @param origin the message that they continue, for one subscriber
   * @param oldest below this sequence that subscriber has completed all messages
   */
  boolean publishContinuation(ForwardOrigin origin, long oldest, List<Message<M>> messages);
}
