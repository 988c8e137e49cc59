package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of one message to one consumer.
 *
 * <p>Thread-safe: a delivery may be acknowledged from another thread than the one that took it. On
 * a subscriber without acknowledgement the message is completed when it is delivered, and the
 * acknowledgements do nothing.
 *
 * <p>Each acknowledgement throws {@link com.wookler.river.core.message.StaleReceiptException} when
 * a later delivery of the same message exists, it was completed otherwise, or the subscriber was
 * moved or closed, and {@link com.wookler.river.core.message.QueueClosedException} after the queue
 * was closed; nothing changes then. Repeating the acknowledgement that took effect is harmless.
 *
 * @param <M> type of the data
 */
public interface Delivery<M> {
  /** Returns the sequence that {@code publish} returned for the message. */
  long sequence();

  /**
   * Returns its place in the log, in whose order messages are delivered: its sequence, but for a
   * message that was delayed, which has a later place.
   */
  default long place() {
    return sequence();
  }

  /** Returns 1 for the message's first delivery to this subscriber, one more for each further. */
  int attempt();

  /** Returns the id that the message was published with, or null; also without deduplication. */
  default @Nullable String id() {
    return null;
  }

  /**
   * Returns why an earlier delivery of the message to this subscriber failed last, as {@link #fail}
   * and {@link #nack(Duration, String)} said it; null if none did. It is kept in memory for the
   * latest thousands of messages that failed, and not beyond the subscriber's closing.
   */
  default @Nullable String previousFailure() {
    return null;
  }

  /**
   * Returns the data, converted from bytes at the first call and kept. What the converter throws is
   * thrown here, and concerns this message only.
   */
  M data();

  /**
   * Returns the data as it is stored, which must not be changed; null if it is not: what a
   * processor passed on has data only.
   */
  default byte @Nullable [] bytes() {
    return null;
  }

  /** Returns the message's key, or null. */
  @Nullable String key();

  /** Returns the message's headers, unmodifiable; the values must not be changed. */
  Map<String, byte[]> headers();

  /**
   * Returns when it was published; never decreases from one sequence to the next. A message that
   * was delayed ({@link com.wookler.river.core.message.Message#deliverAfter}) keeps its sequence
   * and this time, and is delivered after later ones.
   */
  Instant publishedAt();

  /** Names this delivery, and no other of the same message. Void once the subscriber is closed. */
  String receipt();

  /**
   * Completes the message. Survives kill -9 once it returned, a power loss after the queue's sync
   * interval, or once it returned if the subscriber's {@link SubscriberConfig#ackDurability} is
   * {@code DISK}.
   *
   * @throws com.wookler.river.core.message.StaleReceiptException it is not the latest delivery of
   *     the message; nothing has changed
   * @throws com.wookler.river.common.errors.RiverException with {@code DISK}: completed in memory,
   *     but a power loss may have it delivered again
   */
  void ack();

  /**
   * Publishes what continues this message in another queue of this JVM, or in the same one, and
   * acknowledges it: after a kill or a power loss both are there or neither. Waits until the
   * message and what continues it are on the device. Meanwhile the delivery does not time out; if
   * it cannot be published, it is in flight again.
   *
   * <p>Killed in between, the message is delivered again; what a further delivery of it publishes
   * is then left out, whichever messages these are, and it is acknowledged. What a {@code seek} has
   * delivered again is continued again.
   *
   * @param messages one or more, published as one; their ids have no effect
   * @return false if an earlier delivery of this message was acknowledged so, and these messages
   *     are left out
   * @throws com.wookler.river.core.message.StaleReceiptException as {@link #ack}, and if the
   *     message was acknowledged without it; nothing was published, unless the subscriber was
   *     closed meanwhile
   * @throws IllegalStateException the subscriber does not acknowledge
   */
  default <T> boolean ackAndPublish(ContinuationTarget<T> target, List<Message<T>> messages) {
    throw new UnsupportedOperationException("not a delivery of a subscriber");
  }

  /**
   * Gives the message back to be delivered again after a delay; the attempt counts. If it was the
   * last one that {@link SubscriberConfig#maxDeliveries} allows, the message becomes a dead letter
   * at once, as by {@link #reject}.
   *
   * <p>The delay continues by the clock of the day while the subscriber is closed. It survives kill
   * -9 once this returned; a power loss may take it for as long as an acknowledgement at {@link
   * com.wookler.river.core.message.Durability#MEMORY}, and then the message comes at once when the
   * subscriber is opened. If the clock was set back while the subscriber was closed, the message
   * waits no longer than {@code delay}, rounded up to seconds, from when the subscriber is asked
   * for messages again. What expires while it waits, or for its backoff, does so when that ends.
   *
   * @param delay zero or more; one of more than eight years may end after as long if the subscriber
   *     is opened anew in between
   */
  void nack(Duration delay);

  /** Gives the message back for a delivery after the {@link SubscriberConfig#backoff}. */
  default void nack() {
    nack(Duration.ZERO);
  }

  /**
   * Gives the message back as {@link #nack(Duration)} does, and says why: for {@link
   * #previousFailure} and, after the last delivery, the dead letter.
   *
   * @param delay null: the {@link SubscriberConfig#backoff}
   */
  default void nack(@Nullable Duration delay, String reason) {
    if (delay == null) {
      nack();
    } else {
      nack(delay);
    }
  }

  /**
   * Gives the message back because processing it threw: like {@link #nack()}, but it waits a little
   * where it fails again and there is no {@link Backoff#afterFailure backoff}, and a dead letter
   * has the exception.
   *
   * @param cause its class and text, for {@link #previousFailure} and the dead letter
   */
  default void fail(Throwable cause) {
    nack();
  }

  /**
   * Makes the message a {@link DeadLetters dead letter}, which is delivered no more. The letter
   * survives kill -9 once this returned. It is on the device before the message counts as
   * completed, soon after.
   *
   * @param reason kept with it
   * @throws com.wookler.river.common.errors.RiverException the letter cannot be kept; the message
   *     is in flight again, with this receipt
   */
  void reject(String reason);

  /**
   * Makes the message a dead letter as {@link #reject(String)} does, which also keeps the class of
   * an exception.
   */
  default void reject(String reason, Throwable cause) {
    reject(reason);
  }

  /** Gives the message back unprocessed: available again at once; this attempt does not count. */
  void release();

  /**
   * Sets the time until the message is delivered again to this long from now; at most 12 hours
   * after the delivery.
   *
   * @param time positive
   */
  void extend(Duration time);
}
