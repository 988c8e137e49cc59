package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Stores the messages of publish requests. A benchmark replaces it, to measure the cost of storing
 * them.
 */
public interface PublishTarget {
  /** Stores messages in their queues. */
  PublishTarget QUEUES =
      new PublishTarget() {
        @Override
        public <M> CompletableFuture<PublishResult> put(
            HostedQueue<M> queue, List<Message<M>> batch, Durability level) {
          return queue.queue().publisher().putAsync(batch, level);
        }
      };

  /** Stores all messages or none. Never waits for the device. */
  <M> CompletableFuture<PublishResult> put(
      HostedQueue<M> queue, List<Message<M>> batch, Durability level);
}
