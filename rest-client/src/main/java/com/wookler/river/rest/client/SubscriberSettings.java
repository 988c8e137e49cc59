package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a subscriber. What is null has the server's default.
 *
 * @param ack false: a message is finished when it is handed over
 * @param ackTimeout after which a message comes again
 * @param ackDurability what an acknowledgement survives once it returned
 * @param maxInFlight how many may be out
 * @param window how far it reads ahead of the oldest unfinished message
 * @param maxDeliveries before a message becomes a dead letter; 0: any number
 * @param backoff from one delivery of a message to the next
 * @param deadLetterLimit how many dead letters are kept, of more the oldest are dropped; 0: any
 *     number
 * @param deadLetterAge how long a dead letter is kept; zero: for ever
 * @param order {@code SEQUENCE} or {@code KEY}
 * @param start where it begins when it is made
 * @param filterExpression which messages it wants, over key, headers and fields of JSON data
 * @param expiryQueue that gets what has expired
 */
public record SubscriberSettings(
    @Nullable Boolean ack,
    @Nullable Duration ackTimeout,
    @Nullable Durability ackDurability,
    @Nullable Integer maxInFlight,
    @Nullable Integer window,
    @Nullable Integer maxDeliveries,
    @Nullable Backoff backoff,
    @Nullable Long deadLetterLimit,
    @Nullable Duration deadLetterAge,
    @Nullable String order,
    @Nullable Position start,
    @Nullable String filterExpression,
    @Nullable String expiryQueue) {

  /**
   * How long a message waits that was given back; exactly one of the three is there.
   *
   * @param fixed always so long
   * @param list so long after the first delivery, the second and so on; the last for all further
   * @param exponential growing
   */
  public record Backoff(
      @Nullable Duration fixed, @Nullable List<Duration> list, @Nullable Exponential exponential) {}

  /**
   * Pauses that grow.
   *
   * @param first the first one
   * @param longest no longer than this
   * @param factor from one to the next (2)
   * @param jitter up to which part it is changed at random (0.2)
   */
  public record Exponential(
      Duration first, Duration longest, @Nullable Double factor, @Nullable Double jitter) {}

  /** The server's defaults, to be changed. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private @Nullable Boolean ack;
    private @Nullable Duration ackTimeout;
    private @Nullable Durability ackDurability;
    private @Nullable Integer maxInFlight;
    private @Nullable Integer window;
    private @Nullable Integer maxDeliveries;
    private @Nullable Backoff backoff;
    private @Nullable Long deadLetterLimit;
    private @Nullable Duration deadLetterAge;
    private @Nullable String order;
    private @Nullable Position start;
    private @Nullable String filterExpression;
    private @Nullable String expiryQueue;

    private Builder() {}

    /** False: a message is finished when it is handed over. */
    public Builder ack(boolean required) {
      ack = required;
      return this;
    }

    /** After which a message comes again. */
    public Builder ackTimeout(Duration timeout) {
      ackTimeout = timeout;
      return this;
    }

    /** What an acknowledgement survives once it returned. */
    public Builder ackDurability(Durability level) {
      ackDurability = level;
      return this;
    }

    /** How many may be out. */
    public Builder maxInFlight(int messages) {
      maxInFlight = messages;
      return this;
    }

    /** How far it reads ahead of the oldest unfinished message. */
    public Builder window(int messages) {
      window = messages;
      return this;
    }

    /** Deliveries before a message becomes a dead letter; 0: any number. */
    public Builder maxDeliveries(int deliveries) {
      maxDeliveries = deliveries;
      return this;
    }

    /** The same pause from each delivery to the next. */
    public Builder backoff(Duration fixed) {
      backoff = new Backoff(fixed, null, null);
      return this;
    }

    /** Any pauses. */
    public Builder backoff(Backoff pauses) {
      backoff = pauses;
      return this;
    }

    /** How many dead letters are kept; 0: any number. */
    public Builder deadLetterLimit(long letters) {
      deadLetterLimit = letters;
      return this;
    }

    /** How long a dead letter is kept; zero: for ever. */
    public Builder deadLetterAge(Duration age) {
      deadLetterAge = age;
      return this;
    }

    /** One message of a key at a time. */
    public Builder orderByKey() {
      order = "KEY";
      return this;
    }

    /** Where it begins when it is made. */
    public Builder start(Position position) {
      start = position;
      return this;
    }

    /** Which messages it wants, such as {@code headers.type == 'order' && json.amount > 100}. */
    public Builder filterExpression(String expression) {
      filterExpression = expression;
      return this;
    }

    /** The queue that gets what has expired. */
    public Builder expiryQueue(String name) {
      expiryQueue = name;
      return this;
    }

    /** The settings so far. */
    public SubscriberSettings build() {
      return new SubscriberSettings(
          ack,
          ackTimeout,
          ackDurability,
          maxInFlight,
          window,
          maxDeliveries,
          backoff,
          deadLetterLimit,
          deadLetterAge,
          order,
          start,
          filterExpression,
          expiryQueue);
    }
  }
}
