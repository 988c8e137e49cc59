package com.wookler.river.spring;

import com.wookler.river.core.MessageQueue;

/**
 * Changes the settings of a queue before it is opened: a recycle strategy, a listener of its own
 * kind, what the properties cannot say. All beans of this type are called, in their order, for each
 * queue that is not in {@code river.config}.
 */
@FunctionalInterface
public interface RiverQueueCustomizer {
  /** Changes a builder that has the settings of the properties. */
  void customize(String queue, MessageQueue.Builder<?> builder);
}
