package com.wookler.river.core;

import com.wookler.river.core.SubscriberExtension.Attachment;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was started with a queue's subscribers, to be closed before the queue. */
final class Attachments implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Attachments.class);

  private final String queue;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  Attachments(String queue) {
    this.queue = queue;
  }

  /** Starts them all; what was started before one that fails is left to {@link #close}. */
  void start(Map<String, Attachment> bySubscriber, Function<String, Subscriber<?>> subscribers) {
    bySubscriber.forEach(
        (name, attachment) -> started.push(attachment.attach(subscribers.apply(name))));
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        LOG.error("Queue {}: what was started with a subscriber does not close well", queue, e);
      }
    }
  }
}
