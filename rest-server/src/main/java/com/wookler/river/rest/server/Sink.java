package com.wookler.river.rest.server;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Where messages go that requests publish, once they were read and understood: what it costs to
 * store them is measured against a sink that does not.
 */
interface Sink {
  /** Into their queues. */
  Sink QUEUES =
      new Sink() {
        @Override
        public <M> CompletableFuture<PublishResult> put(
            HostedQueue<M> queue, Message<M> message, Durability level) {
          return queue.queue().publisher().putAsync(message, level);
        }

        @Override
        public <M> CompletableFuture<List<PublishResult>> putAll(
            HostedQueue<M> queue, List<Message<M>> batch, Durability level) {
          return queue.queue().publisher().putAllAsync(batch, level);
        }
      };

  /** Takes one; never waits for the device. */
  <M> CompletableFuture<PublishResult> put(
      HostedQueue<M> queue, Message<M> message, Durability level);

  /** Takes all or none. */
  <M> CompletableFuture<List<PublishResult>> putAll(
      HostedQueue<M> queue, List<Message<M>> batch, Durability level);
}
