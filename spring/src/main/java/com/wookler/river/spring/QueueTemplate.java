package com.wookler.river.spring;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.PublishResult;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Publishes through the queues of a context. */
final class QueueTemplate implements RiverTemplate {
  private final OpenQueues queues;

  QueueTemplate(OpenQueues queues) {
    this.queues = queues;
  }

  @Override
  public <T> long publish(String queue, T data) {
    return publisher(queue, data).publish(data);
  }

  @Override
  public <T> long publish(String queue, Message<T> message) {
    return publisher(queue, message.data()).publish(message);
  }

  @Override
  public <T> long publishAll(String queue, List<T> batch) {
    if (batch.isEmpty()) {
      throw new IllegalArgumentException("an empty batch for queue " + queue);
    }
    Publisher<T> to = publisher(queue, batch.get(0));
    batch.forEach(data -> check(queue, data));
    return to.publishAll(batch);
  }

  @Override
  public <T> PublishResult put(String queue, Message<T> message, Durability level) {
    return publisher(queue, message.data()).put(message, level);
  }

  @Override
  public <T> CompletableFuture<Long> publishAsync(String queue, T data) {
    return publishAsync(queue, Message.of(data));
  }

  @Override
  public <T> CompletableFuture<Long> publishAsync(String queue, Message<T> message) {
    return publisher(queue, message.data())
        .putAsync(List.of(message), Durability.MEMORY) // or what the queue has, if that is more
        .thenApply(stored -> stored.duplicates().getOrDefault(0, stored.sequence()));
  }

  @SuppressWarnings("unchecked") // checked by the data's class, where that is known
  private <T> Publisher<T> publisher(String name, T data) {
    Publisher<?> found = queues.publisher(name, data.getClass());
    check(name, data);
    return (Publisher<T>) found;
  }

  private void check(String name, Object data) {
    @Nullable Class<?> type = queues.typeOf(name);
    if (type != null && !type.isInstance(data)) {
      throw new RiverException(
          "queue %s takes %s, not %s; nothing was stored"
              .formatted(name, type.getName(), data.getClass().getName()));
    }
  }
}
