package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a subscriber. Settings that are null have the server's defaults.
 *
 * @param ack whether a message is completed by its acknowledgement, or when it is delivered; cannot
 *     change later; default true
 * @param ackTimeout after which an unfinished message is delivered again; default 30s
 * @param ackDurability what an acknowledgement that returned survives: a kill of the process, or a
 *     power loss too. {@code DISK} needs {@code ack}; default MEMORY
 * @param maxDeliveries how often a message is delivered before it becomes a dead letter; needs
 *     {@code ack}; default 0
 * @param backoff how long a message waits before it is delivered again, by attempt; without it not
 *     at all. Needs {@code ack}
 * @param deadLetterLimit how many dead letters are kept; of more the oldest are dropped, counted
 *     and logged. Needs {@code ack}; default 0
 * @param deadLetterAge how long a dead letter is kept; older ones are dropped, counted and logged,
 *     while the subscriber is open. Needs {@code ack}; default 0s
 * @param deadLetterQueue the queue into which the dead letters are moved, those of several
 *     subscribers into one, each once; without it they stay with the subscriber
 * @param expiresAfter after which a subscriber that is not in use is removed, with its position and
 *     dead letters; default 0s
 * @param expiryQueue the queue to which messages are transferred that expired before this
 *     subscriber had completed them; without it that of the queue
 * @param order the order of delivery. With {@code KEY}, later messages of a key wait until the one
 *     before is completed; with {@code STRICT}, all do. Both need {@code ack}; {@code KEY} is for
 *     good; default SEQUENCE
 * @param filterExpression which messages it wants, over {@code key}, {@code headers} and the fields
 *     of data that is JSON, as {@code headers.type == 'order' && json.amount > 100}; what it
 *     refuses is completed
 * @param maxInFlight how many messages may be in flight at once; at the limit polls return nothing
 *     new; default 10000
 * @param window how far above the lowest unfinished message reading goes; at least {@code
 *     maxInFlight} counts; default 262144
 * @param maxRate how many messages are delivered a second at most, further deliveries included;
 *     default 0
 * @param maxBytesRate how many bytes of data are delivered a second at most; default 0
 * @param exclusive whether it delivers to one owner at a time, until that releases its lease or the
 *     lease ends; others wait; default false
 * @param lease how long an owner of an exclusive subscriber has it after its last poll or
 *     acknowledgement; needs {@code exclusive}; default 30s
 * @param start where a new subscriber begins, a sequence or time also in the backup; counts only
 *     when it is created; default earliest
 */
public record SubscriberSettings(
    @Nullable Boolean ack,
    @Nullable Duration ackTimeout,
    @Nullable Durability ackDurability,
    @Nullable Integer maxDeliveries,
    @Nullable Backoff backoff,
    @Nullable Long deadLetterLimit,
    @Nullable Duration deadLetterAge,
    @Nullable String deadLetterQueue,
    @Nullable Duration expiresAfter,
    @Nullable String expiryQueue,
    @Nullable String order,
    @Nullable String filterExpression,
    @Nullable Integer maxInFlight,
    @Nullable Integer window,
    @Nullable Long maxRate,
    @Nullable Long maxBytesRate,
    @Nullable Boolean exclusive,
    @Nullable Duration lease,
    @Nullable Position start) {

  /**
   * The delay before a returned message is delivered again. Exactly one of the three components is
   * not null.
   *
   * @param fixed the same delay after each delivery
   * @param list the delay after the first delivery, the second and so on; the last one for all
   *     further ones
   * @param exponential a growing delay
   */
  public record Backoff(
      @Nullable Duration fixed, @Nullable List<Duration> list, @Nullable Exponential exponential) {}

  /**
   * Delays that grow.
   *
   * @param first the first delay
   * @param longest the longest delay
   * @param factor from one delay to the next (2)
   * @param jitter the largest random part of a delay (0.2)
   */
  public record Exponential(
      Duration first, Duration longest, @Nullable Double factor, @Nullable Double jitter) {}

  /** Creates a builder in which every setting has the server's default. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private @Nullable Boolean ack;
    private @Nullable Duration ackTimeout;
    private @Nullable Durability ackDurability;
    private @Nullable Integer maxDeliveries;
    private @Nullable Backoff backoff;
    private @Nullable Long deadLetterLimit;
    private @Nullable Duration deadLetterAge;
    private @Nullable String deadLetterQueue;
    private @Nullable Duration expiresAfter;
    private @Nullable String expiryQueue;
    private @Nullable String order;
    private @Nullable String filterExpression;
    private @Nullable Integer maxInFlight;
    private @Nullable Integer window;
    private @Nullable Long maxRate;
    private @Nullable Long maxBytesRate;
    private @Nullable Boolean exclusive;
    private @Nullable Duration lease;
    private @Nullable Position start;

    private Builder() {}

    /**
     * Sets {@code ack}: whether a message is completed by its acknowledgement, or when it is
     * delivered; cannot change later; default true.
     */
    public Builder ack(boolean value) {
      ack = value;
      return this;
    }

    /**
     * Sets {@code ackTimeout}: after which an unfinished message is delivered again; default 30s.
     */
    public Builder ackTimeout(Duration value) {
      ackTimeout = value;
      return this;
    }

    /**
     * Sets {@code ackDurability}: what an acknowledgement that returned survives: a kill of the
     * process, or a power loss too. {@code DISK} needs {@code ack}; default MEMORY.
     */
    public Builder ackDurability(Durability value) {
      ackDurability = value;
      return this;
    }

    /**
     * Sets {@code maxDeliveries}: how often a message is delivered before it becomes a dead letter;
     * needs {@code ack}; default 0.
     */
    public Builder maxDeliveries(int value) {
      maxDeliveries = value;
      return this;
    }

    /**
     * Sets {@code backoff}: how long a message waits before it is delivered again, by attempt;
     * without it not at all. Needs {@code ack}.
     */
    public Builder backoff(Backoff value) {
      backoff = value;
      return this;
    }

    /**
     * Sets {@code deadLetterLimit}: how many dead letters are kept; of more the oldest are dropped,
     * counted and logged. Needs {@code ack}; default 0.
     */
    public Builder deadLetterLimit(long value) {
      deadLetterLimit = value;
      return this;
    }

    /**
     * Sets {@code deadLetterAge}: how long a dead letter is kept; older ones are dropped, counted
     * and logged, while the subscriber is open. Needs {@code ack}; default 0s.
     */
    public Builder deadLetterAge(Duration value) {
      deadLetterAge = value;
      return this;
    }

    /**
     * Sets {@code deadLetterQueue}: the queue into which the dead letters are moved, those of
     * several subscribers into one, each once; without it they stay with the subscriber.
     */
    public Builder deadLetterQueue(String value) {
      deadLetterQueue = value;
      return this;
    }

    /**
     * Sets {@code expiresAfter}: after which a subscriber that is not in use is removed, with its
     * position and dead letters; default 0s.
     */
    public Builder expiresAfter(Duration value) {
      expiresAfter = value;
      return this;
    }

    /**
     * Sets {@code expiryQueue}: the queue to which messages are transferred that expired before
     * this subscriber had completed them; without it that of the queue.
     */
    public Builder expiryQueue(String value) {
      expiryQueue = value;
      return this;
    }

    /**
     * Sets {@code order}: the order of delivery. With {@code KEY}, later messages of a key wait
     * until the one before is completed; with {@code STRICT}, all do. Both need {@code ack}; {@code
     * KEY} is for good; default SEQUENCE.
     */
    public Builder order(String value) {
      order = value;
      return this;
    }

    /**
     * Sets {@code filterExpression}: which messages it wants, over {@code key}, {@code headers} and
     * the fields of data that is JSON, as {@code headers.type == 'order' && json.amount > 100};
     * what it refuses is completed.
     */
    public Builder filterExpression(String value) {
      filterExpression = value;
      return this;
    }

    /**
     * Sets {@code maxInFlight}: how many messages may be in flight at once; at the limit polls
     * return nothing new; default 10000.
     */
    public Builder maxInFlight(int value) {
      maxInFlight = value;
      return this;
    }

    /**
     * Sets {@code window}: how far above the lowest unfinished message reading goes; at least
     * {@code maxInFlight} counts; default 262144.
     */
    public Builder window(int value) {
      window = value;
      return this;
    }

    /**
     * Sets {@code maxRate}: how many messages are delivered a second at most, further deliveries
     * included; default 0.
     */
    public Builder maxRate(long value) {
      maxRate = value;
      return this;
    }

    /**
     * Sets {@code maxBytesRate}: how many bytes of data are delivered a second at most; default 0.
     */
    public Builder maxBytesRate(long value) {
      maxBytesRate = value;
      return this;
    }

    /**
     * Sets {@code exclusive}: whether it delivers to one owner at a time, until that releases its
     * lease or the lease ends; others wait; default false.
     */
    public Builder exclusive(boolean value) {
      exclusive = value;
      return this;
    }

    /**
     * Sets {@code lease}: how long an owner of an exclusive subscriber has it after its last poll
     * or acknowledgement; needs {@code exclusive}; default 30s.
     */
    public Builder lease(Duration value) {
      lease = value;
      return this;
    }

    /**
     * Sets {@code start}: where a new subscriber begins, a sequence or time also in the backup;
     * counts only when it is created; default earliest.
     */
    public Builder start(Position value) {
      start = value;
      return this;
    }

    /** Returns the settings. */
    public SubscriberSettings build() {
      return new SubscriberSettings(
          ack,
          ackTimeout,
          ackDurability,
          maxDeliveries,
          backoff,
          deadLetterLimit,
          deadLetterAge,
          deadLetterQueue,
          expiresAfter,
          expiryQueue,
          order,
          filterExpression,
          maxInFlight,
          window,
          maxRate,
          maxBytesRate,
          exclusive,
          lease,
          start);
    }

    /** Waits for the same delay before each redelivery. */
    public Builder backoff(Duration fixed) {
      backoff = new Backoff(fixed, null, null);
      return this;
    }

    /** Delivers messages with the same key one at a time. */
    public Builder orderByKey() {
      order = "KEY";
      return this;
    }
  }
}
