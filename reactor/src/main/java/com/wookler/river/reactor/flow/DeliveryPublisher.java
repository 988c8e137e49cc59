package com.wookler.river.reactor.flow;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;

/**
 * A subscriber's messages as a reactive stream. Each who subscribes is a competing consumer: a
 * message goes to one of them. Nothing is taken that was not asked for, and who waits holds no
 * thread.
 *
 * <p>The stream completes when the River subscriber or its queue is closed, and ends with an error
 * when it gives no messages for another reason. Signals come from the executor, one after the
 * other. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class DeliveryPublisher<M> implements Flow.Publisher<Delivery<M>> {
  private final Subscriber<M> source;
  private final boolean acks;
  private final Executor executor;

  private DeliveryPublisher(Subscriber<M> source, boolean acks, Executor executor) {
    this.source = Objects.requireNonNull(source, "source");
    this.acks = acks;
    this.executor = Objects.requireNonNull(executor, "executor");
  }

  /**
   * Acknowledges a message once {@code onNext} has returned for it, together with the others that
   * were taken at once; a crash before delivers them again. One over which {@code onNext} throws
   * fails, and the stream's subscription ends.
   */
  public static <M> DeliveryPublisher<M> acknowledging(Subscriber<M> source) {
    return new DeliveryPublisher<>(source, true, defaultExecutor());
  }

  /** Leaves the acknowledgement of each delivery to the stream's subscriber. */
  public static <M> DeliveryPublisher<M> manual(Subscriber<M> source) {
    return new DeliveryPublisher<>(source, false, defaultExecutor());
  }

  private static Executor defaultExecutor() {
    return new CompletableFuture<Void>().defaultExecutor();
  }

  /** The same, with signals from an executor (default: the pool that futures use by themselves). */
  public DeliveryPublisher<M> on(Executor signals) {
    return new DeliveryPublisher<>(source, acks, signals);
  }

  /**
   * Begins a stream. When it is cancelled, what was taken but not given to {@code onNext} is given
   * back; without acknowledgement it counts as completed.
   */
  @Override
  public void subscribe(Flow.Subscriber<? super Delivery<M>> consumer) {
    DeliverySubscription<M> stream =
        new DeliverySubscription<>(
            source, acks, executor, Objects.requireNonNull(consumer, "consumer"));
    consumer.onSubscribe(stream);
    stream.begin();
  }
}
