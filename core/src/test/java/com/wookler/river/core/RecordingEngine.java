package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** An engine that keeps what is published into it in a list, and notes what is called. */
public final class RecordingEngine implements QueueEngine {
  static final List<Object> PUBLISHED = new ArrayList<>();
  static final List<String> CALLS = new ArrayList<>();
  private static Supplier<?> look = () -> "";

  /** For the service loader. */
  public RecordingEngine() {}

  static void clear() {
    PUBLISHED.clear();
    CALLS.clear();
    look = () -> "";
  }

  /** Notes this too whenever something is closed. */
  static void looksAt(Supplier<?> what) {
    look = what;
  }

  @Override
  public String name() {
    return "recording";
  }

  @Override
  public Plan read(Definition queue) {
    queue.element().allowParams(List.of("queue.message.converter", "refused"));
    CALLS.add("read " + queue.name() + " " + queue.converter().toBytes("ab").length);
    return () -> {
      if (queue.element().param("refused").isPresent()) {
        throw new ConfigurationException("refused");
      }
      CALLS.add("start " + queue.name());
      return new Queue(queue.name());
    };
  }

  private record Queue(String name) implements EngineQueue, Publisher<Object> {
    @Override
    public Publisher<Object> publisher() {
      return this;
    }

    @Override
    public void closeReactors() {
      CALLS.add("close reactors of " + name + look.get());
    }

    @Override
    public void close() {
      CALLS.add("close " + name + look.get());
    }

    @Override
    public long publish(Object data) {
      PUBLISHED.add(data);
      return PUBLISHED.size() - 1L;
    }

    @Override
    public long publish(Message<Object> message) {
      return publish(message.data());
    }

    @Override
    public long publishAll(List<Object> batch) {
      PUBLISHED.addAll(batch);
      return PUBLISHED.size() - (long) batch.size();
    }

    @Override
    public PublishResult put(Message<Object> message, Durability level) {
      return PublishResult.stored(publish(message), level);
    }

    @Override
    public PublishResult putAll(List<Message<Object>> batch, Durability level) {
      return PublishResult.stored(publishAll(batch.stream().map(Message::data).toList()), level);
    }

    @Override
    public CompletableFuture<PublishResult> putAsync(
        List<Message<Object>> batch, Durability level) {
      return CompletableFuture.completedFuture(putAll(batch, level));
    }
  }
}
