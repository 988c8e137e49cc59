package com.wookler.river.reactor.flow;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The end of a reactive stream: publishes what comes into a queue, in the order in which it comes.
 *
 * <p>It asks for as many as may be under way, and for another one whenever one is as durable as
 * wanted. When the queue refuses one, the stream is cancelled and {@link #completion} says why;
 * what was published before stays. For one stream; thread-safe.
 *
 * @param <M> type of the data
 */
public final class PublishingSubscriber<M> implements Flow.Subscriber<Message<M>> {
  /** How many may be under way, unless said otherwise. */
  public static final int DEFAULT_UNDER_WAY = 1_024;

  private final Publisher<M> target;
  private final Durability durability;
  private final int underWay;
  private final CompletableFuture<Long> completion = new CompletableFuture<>();
  private final AtomicBoolean begun = new AtomicBoolean();
  private final AtomicLong toRequest = new AtomicLong(); // above zero while a thread requests
  private final AtomicLong open = new AtomicLong(1); // under way, and one more until its end
  private final AtomicLong published = new AtomicLong();
  private volatile boolean failed;
  private volatile Flow.@Nullable Subscription subscription; // set once

  /** At the queue's own durability. */
  public PublishingSubscriber(Publisher<M> target) {
    this(target, Durability.MEMORY, DEFAULT_UNDER_WAY);
  }

  /**
   * At a durability.
   *
   * @param durability more than the queue's own counts
   * @param underWay how many may be unanswered, 1 or more
   */
  public PublishingSubscriber(Publisher<M> target, Durability durability, int underWay) {
    this.target = Objects.requireNonNull(target, "target");
    this.durability = Objects.requireNonNull(durability, "durability");
    this.underWay = underWay;
    if (underWay < 1) {
      throw new ConfigurationException(underWay + " messages under way; it must be 1 or more");
    }
  }

  /**
   * Completes when the stream has ended and all that came is as durable as wanted, with how many
   * were published; exceptionally if the stream ended with an error, or the queue refused one.
   */
  public CompletableFuture<Long> completion() {
    return completion.copy();
  }

  @Override
  public void onSubscribe(Flow.Subscription stream) {
    Objects.requireNonNull(stream, "stream");
    if (!begun.compareAndSet(false, true)) {
      stream.cancel(); // §2.5: one stream
      return;
    }
    subscription = stream;
    request(underWay);
  }

  /** Calls of the stream's are serial, and do not recurse. */
  private void request(long number) {
    Flow.Subscription stream = subscription;
    if (stream == null || toRequest.getAndAdd(number) != 0) {
      return;
    }
    long asked = number;
    do {
      if (failed) {
        stream.cancel();
      } else {
        stream.request(asked);
      }
      asked = toRequest.addAndGet(-asked);
    } while (asked != 0);
  }

  @Override
  public void onNext(Message<M> message) {
    Objects.requireNonNull(message, "message");
    if (failed) {
      return;
    }
    open.incrementAndGet();
    CompletableFuture<?> answer;
    try {
      answer = target.putAsync(List.of(message), durability);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<?> unused = answer.whenComplete((result, e) -> answered(e));
  }

  private void answered(@Nullable Throwable e) {
    if (e != null) {
      fail(e);
      return;
    }
    published.incrementAndGet();
    closeOne();
    request(1);
  }

  private void closeOne() {
    if (open.decrementAndGet() == 0) {
      completion.complete(published.get());
    }
  }

  private void fail(Throwable e) {
    failed = true;
    completion.completeExceptionally(e);
    request(1); // which cancels
  }

  @Override
  public void onError(Throwable cause) {
    Objects.requireNonNull(cause, "cause");
    completion.completeExceptionally(cause);
  }

  @Override
  public void onComplete() {
    closeOne();
  }
}
