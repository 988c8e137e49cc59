package com.wookler.river.user;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.QueueListener;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What users write to test their own code without a queue: each interface with the methods that it
 * was promised to have, and no other.
 */
public final class Doubles {
  private Doubles() {}

  /** Hears nothing. */
  static final class SilentListener implements QueueListener {}

  /** Says itself how text is stored. */
  public static final class UpperCase implements MessageConverter<String> {
    @Override
    public byte[] toBytes(String data) {
      return data.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String fromBytes(byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** Keeps what is published. */
  static final class ListPublisher<M> implements Publisher<M> {
    final List<Message<M>> published = new ArrayList<>();

    @Override
    public long publish(M data) {
      return publish(Message.of(data));
    }

    @Override
    public long publish(Message<M> message) {
      published.add(message);
      return published.size() - 1L;
    }

    @Override
    public long publishAll(List<M> batch) {
      long first = published.size();
      batch.forEach(this::publish);
      return first;
    }

    @Override
    public PublishResult put(Message<M> message, Durability level) {
      return PublishResult.stored(publish(message), level);
    }

    @Override
    public PublishResult putAll(List<Message<M>> batch, Durability level) {
      long first = published.size();
      published.addAll(batch);
      return PublishResult.stored(first, level);
    }

    @Override
    public CompletableFuture<PublishResult> putAsync(List<Message<M>> batch, Durability level) {
      return CompletableFuture.completedFuture(putAll(batch, level));
    }
  }

  /** Remembers the last verdict. */
  static final class TextDelivery implements Delivery<String> {
    private final String data;
    String verdict = "";

    TextDelivery(String data) {
      this.data = data;
    }

    @Override
    public long sequence() {
      return 7;
    }

    @Override
    public int attempt() {
      return 1;
    }

    @Override
    public String data() {
      return data;
    }

    @Override
    public String key() {
      return "key";
    }

    @Override
    public Map<String, byte[]> headers() {
      return Map.of();
    }

    @Override
    public Instant publishedAt() {
      return Instant.EPOCH;
    }

    @Override
    public String receipt() {
      return "receipt";
    }

    @Override
    public void ack() {
      verdict = "ack";
    }

    @Override
    public void nack(Duration delay) {
      verdict = "nack " + delay;
    }

    @Override
    public void release() {
      verdict = "release";
    }

    @Override
    public void reject(String reason) {
      verdict = "reject " + reason;
    }

    @Override
    public void extend(Duration d) {
      verdict = "extend " + d;
    }
  }

  /** None at all. */
  static final class NoDeadLetters implements DeadLetters<String> {
    @Override
    public List<Delivery<String>> peek(int max) {
      return List.of();
    }

    @Override
    public long size() {
      return 0;
    }

    @Override
    public int redrive(int max) {
      return 0;
    }

    @Override
    public long purge() {
      return 0;
    }
  }

  /** Gives what it was told to. */
  static final class ScriptedSubscriber implements Subscriber<String> {
    final Deque<Delivery<String>> script = new ArrayDeque<>();

    @Override
    public String name() {
      return "scripted";
    }

    @Override
    public Delivery<String> next() {
      return script.poll();
    }

    @Override
    public Delivery<String> next(Duration timeout) {
      return next();
    }

    @Override
    public List<Delivery<String>> batch(int max, Duration timeout) {
      List<Delivery<String>> taken = new ArrayList<>();
      while (taken.size() < max && !script.isEmpty()) {
        taken.add(script.poll());
      }
      return taken;
    }

    @Override
    public CompletableFuture<List<Delivery<String>>> batchAsync(int max, Duration timeout) {
      return CompletableFuture.completedFuture(batch(max, timeout));
    }

    @Override
    public void ack(Delivery<String> delivery) {
      delivery.ack();
    }

    @Override
    public void ack(Collection<Delivery<String>> deliveries) {
      deliveries.forEach(Delivery::ack);
    }

    @Override
    public void ackUpTo(Delivery<String> delivery) {
      delivery.ack();
    }

    @Override
    public List<Settled> settle(Collection<String> receipts, Settlement action) {
      return receipts.stream().map(receipt -> Settled.UNKNOWN).toList();
    }

    @Override
    public List<Delivery<String>> peek(int max) {
      return script.stream().limit(max).toList();
    }

    @Override
    public void seek(Position position) {}

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public long purge() {
      script.clear();
      return 0;
    }

    @Override
    public DeadLetters<String> deadLetters() {
      return new NoDeadLetters();
    }

    @Override
    public SubscriberStats stats() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
