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
 * Acknowledges deliveries in batches: one request carries what came while the one before it was
 * under way, or within the linger time. A consumer that acknowledges each message by itself waits
 * for an answer each time; with this it waits for none.
 *
 * <p>An acknowledgement that fails changes nothing: the message is delivered again after the
 * subscriber's acknowledgement timeout. So does one that did not arrive when the process ends.
 *
 * <p>A stream that is closed gives back what is not acknowledged. One that was opened by {@link
 * #stream} has its acknowledgements sent first.
 *
 * <p>Thread-safe.
 */
public final class BatchingAcknowledger implements AutoCloseable {
  private final RemoteSubscriber subscriber;
  private final Settings settings;
  private final BiConsumer<RemoteDelivery, RiverClientException> onFailure;
  private final Map<Server, Batcher<RemoteDelivery, Settled>> byServer = new ConcurrentHashMap<>();
  private volatile boolean closed; // set once

  /**
   * When a batch is sent: as soon as one of the first two is reached.
   *
   * @param maxDeliveries 1 to 1,000
   * @param linger how long an acknowledgement waits for others; zero: not at all
   * @param maxPending how many may be without an answer at each server; {@link #ack} waits then
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
   * Takes an acknowledgement, waiting while too many have no answer. What is not acknowledged in
   * the end is reported as {@link RemoteSubscriber#acknowledger(Settings, BiConsumer)} says.
   *
   * @return completes with what became of it, or with what it failed with
   * @throws CallInterruptedException interrupted while waiting for room; it was not taken
   * @throws ClientClosedException closed; it was not taken
   */
  @CanIgnoreReturnValue
  public CompletableFuture<Settled> ack(RemoteDelivery delivery) {
    if (closed) {
      throw new ClientClosedException("the acknowledger is closed", null);
    }
    CompletableFuture<Settled> result =
        byServer.computeIfAbsent(delivery.server(), this::batcher).add(delivery, 1);
    return result.whenComplete(
        (settled, failure) -> {
          if (failure != null) {
            report(delivery, Attempts.cause(failure));
          } else if (settled != Settled.OK) {
            report(
                delivery,
                new StaleReceiptException(
                    "delivery "
                        + delivery.receipt()
                        + " cannot be acknowledged any more: its receipt is "
                        + settled,
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

  private Batcher<RemoteDelivery, Settled> batcher(Server server) {
    return new Batcher<>(
        transport(),
        new Batcher.Limits(
            settings.maxDeliveries(),
            settings.maxDeliveries(),
            settings.linger(),
            settings.maxPending()),
        new Batcher.Work<>() {
          @Override
          public CompletableFuture<List<Settled>> send(List<RemoteDelivery> batch) {
            return subscriber.settleAsync(batch, Settlement.ack());
          }

          @Override
          public Batcher.Halves halves(List<RemoteDelivery> batch, Throwable failure) {
            return failure instanceof TooLargeException
                ? Batcher.Halves.FROM_NOW_ON
                : Batcher.Halves.NONE;
          }
        });
  }

  /**
   * Opens a stream as {@link RemoteSubscriber#stream(int, Consumer)} does. When it is closed, no
   * further message reaches the handler, and what was acknowledged here by then is sent before the
   * server gives back the rest.
   */
  public DeliveryStream stream(int credit, Consumer<RemoteDelivery> handler) {
    return DeliveryStream.start(subscriber, credit, handler, this::flush);
  }

  /**
   * Sends what is there without lingering, and waits until all that was taken before is
   * acknowledged, or has failed: each future says which.
   *
   * @throws CallInterruptedException interrupted while waiting
   */
  public void flush() {
    byServer.values().forEach(Batcher::flush);
  }

  /**
   * Takes no more, and waits until all that was taken is acknowledged or has failed. After the
   * client was closed, all that was not sent fails. Idempotent.
   */
  @Override
  public void close() {
    closed = true;
    byServer.values().forEach(Batcher::close);
    transport().remove(this);
    flush();
  }
}
