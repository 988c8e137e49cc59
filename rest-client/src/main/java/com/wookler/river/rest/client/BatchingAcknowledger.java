package com.wookler.river.rest.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Acknowledges deliveries in batches: one request carries the acknowledgements that were added
 * while the previous one was in flight, or within the linger time. A consumer that acknowledges
 * each message by itself waits for a response each time; with an acknowledger it waits for none.
 *
 * <p>If an acknowledgement fails, or was not sent when the process ends, the message is delivered
 * again after the subscriber's acknowledgement timeout.
 *
 * <p>A stream that is closed releases the messages that are not acknowledged. A stream that was
 * opened by {@link #stream} sends its acknowledgements first.
 *
 * <p>Thread-safe.
 */
public final class BatchingAcknowledger implements AutoCloseable {
  private final RemoteSubscriber subscriber;
  private final Settings settings;
  private final BiConsumer<RemoteDelivery, RiverClientException> onFailure;
  private final Map<Server, Batcher<RemoteDelivery, AckResult>> byServer =
      new ConcurrentHashMap<>();
  private volatile boolean closed; // set once

  /**
   * Says when a batch is sent: as soon as one of the first two limits is reached.
   *
   * @param maxDeliveries 1 to 1,000
   * @param linger how long an acknowledgement waits for others; zero: it does not
   * @param maxPending how many acknowledgements may be unanswered at each server; {@link #ack}
   *     waits at this limit
   */
  public record Settings(int maxDeliveries, Duration linger, int maxPending) {
    /** 500 deliveries, 5 ms, 10,000 pending. */
    public static final Settings DEFAULT = new Settings(500, Duration.ofMillis(5), 10_000);

    /** Checks the numbers. */
    public Settings {
      if (maxDeliveries < 1 || maxDeliveries > 1_000 || maxPending < 1 || linger.isNegative()) {
        throw new IllegalArgumentException("a limit is out of its range");
      }
    }
  }

  BatchingAcknowledger(
      RemoteSubscriber subscriber,
      Settings settings,
      BiConsumer<RemoteDelivery, RiverClientException> onFailure) {
    this.subscriber = subscriber;
    this.settings = settings;
    this.onFailure = onFailure;
    transport().add(this);
  }

  private Transport transport() {
    return subscriber.caller().transport();
  }

  /**
   * Acknowledges a delivery with the next batch, and waits while too many acknowledgements are
   * unanswered. A delivery that could not be acknowledged is reported to the {@code onFailure} of
   * {@link RemoteSubscriber#acknowledger(Settings, BiConsumer)}.
   *
   * @return completes with the result of the acknowledgement, or with the exception that it failed
   *     with
   * @throws CallInterruptedException the thread was interrupted while it waited; the delivery is
   *     not acknowledged
   * @throws ClientClosedException the acknowledger or the client is closed; the delivery is not
   *     acknowledged
   */
  @CanIgnoreReturnValue
  public CompletableFuture<AckResult> ack(RemoteDelivery delivery) {
    Batcher<RemoteDelivery, AckResult> batches =
        byServer.computeIfAbsent(delivery.server(), this::batcher);
    if (closed) { // asked after the batcher is in the map: before, close() could miss it there
      throw new ClientClosedException("the acknowledger is closed", null);
    }
    CompletableFuture<AckResult> acknowledged = batches.add(delivery, 1);
    return acknowledged.whenComplete(
        (result, failure) -> {
          if (failure != null) {
            report(delivery, RetryHandler.cause(failure));
          } else if (result != AckResult.OK) {
            report(
                delivery,
                new StaleReceiptException(
                    "delivery "
                        + delivery.receipt()
                        + " cannot be acknowledged: its receipt is "
                        + result,
                    null));
          }
        });
  }

  private void report(RemoteDelivery delivery, Throwable failure) {
    onFailure.accept(
        delivery,
        failure instanceof RiverClientException ours
            ? ours
            : new OutcomeUnknownException("the call failed: " + failure, failure));
  }

  private Batcher<RemoteDelivery, AckResult> batcher(Server server) {
    return new Batcher<>(
        transport(),
        new Batcher.Limits(
            settings.maxDeliveries(),
            settings.maxDeliveries(),
            settings.linger(),
            settings.maxPending()),
        new Batcher.BatchSender<>() {
          @Override
          public CompletableFuture<List<AckResult>> send(List<RemoteDelivery> batch) {
            return subscriber.settleAsync(batch, Acknowledgement.ack());
          }

          @Override
          public Batcher.SplitMode onFailure(List<RemoteDelivery> batch, Throwable failure) {
            return failure instanceof TooLargeException
                ? Batcher.SplitMode.SPLIT_AND_SHRINK
                : Batcher.SplitMode.FAIL;
          }
        });
  }

  /**
   * Opens a stream as {@link RemoteSubscriber#stream(int, Consumer)} does. When the stream is
   * closed, the handler gets no further message, and the acknowledgements that were added before
   * are sent before the server releases the other messages.
   */
  public DeliveryStream stream(int credit, Consumer<RemoteDelivery> handler) {
    return DeliveryStream.start(subscriber, credit, handler, this::flush);
  }

  /**
   * Sends the waiting acknowledgements without lingering, and waits until all that were added
   * before have succeeded or failed: each future says which.
   *
   * @throws CallInterruptedException the thread was interrupted while it waited
   */
  public void flush() {
    byServer.values().forEach(Batcher::flush);
  }

  /**
   * Accepts no more acknowledgements, and waits until all that were added have succeeded or failed.
   * If the client is closed, those that were not sent fail. Idempotent.
   */
  @Override
  public void close() {
    closed = true;
    byServer.values().forEach(Batcher::close);
    transport().remove(this);
    flush();
  }
}
