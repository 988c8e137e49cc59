package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Where messages go that requests publish, once they were read and understood: what it costs to
 * store them is measured against a sink that does not.
 */
public interface Sink {
  /** Into their queues. */
  Sink QUEUES =
      new Sink() {
        @Override
        public <M> CompletableFuture<PublishResult> put(
            HostedQueue<M> queue, List<Message<M>> batch, Durability level) {
          return queue.queue().publisher().putAsync(batch, level);
        }
      };

  /** Takes all messages or none; never waits for the device. */
  <M> CompletableFuture<PublishResult> put(
      HostedQueue<M> queue, List<Message<M>> batch, Durability level);
}
