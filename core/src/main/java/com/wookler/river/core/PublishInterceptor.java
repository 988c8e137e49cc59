package com.wookler.river.core;

import com.wookler.river.core.message.Message;

/**
 * Sees each message that is published, before it is converted, and may change it: for trace
 * headers, a missing id, a check. Set by {@link MessageQueue.Builder#interceptor}.
 *
 * <p>It runs on the publisher's thread, once a message, without a lock, and must be thread-safe and
 * quick. It does not see what a queue publishes by itself: messages that are forwarded, redriven or
 * that come due.
 *
 * @param <M> type of the data
 */
@FunctionalInterface
public interface PublishInterceptor<M> {
  /**
   * Returns what is published in place of a message: mostly that with other headers. What it throws
   * comes out of the publish, and nothing is stored.
   */
  Message<M> intercept(String queue, Message<M> message);

  /** Returns an interceptor that passes to another what this one returns. */
  default PublishInterceptor<M> andThen(PublishInterceptor<M> next) {
    return (queue, message) -> next.intercept(queue, intercept(queue, message));
  }
}
