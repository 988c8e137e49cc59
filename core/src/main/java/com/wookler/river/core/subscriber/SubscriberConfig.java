package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.ack.Limits;
import com.wookler.river.core.message.Durability;
import java.time.Duration;
import java.util.Objects;

/**
 * The settings of one subscriber; immutable.
 *
 * <p>{@code ackRequired} is fixed when the subscriber is created. {@code start} counts only then.
 * All others may change each time it is opened.
 *
 * @param name unique in the queue, the same rule as for queue names
 * @param ackRequired whether messages are finished by acknowledgement (default false: when handed
 *     over)
 * @param ackTimeout after which an unfinished message is delivered again (default 30 s)
 * @param ackDurability what an acknowledgement that returned survives: the death of the process
 *     (default), or the end of the power too. {@code DISK} needs {@code ackRequired}
 * @param maxInFlight how many may be out at once (default 10,000, at most 1,048,576)
 * @param window how far above the lowest unfinished message reading goes, at 16 bytes of heap a
 *     message (default 262,144, at most 1,048,576)
 * @param start where a new subscriber begins (default earliest)
 * @param batchSize what {@link Subscriber#batch()} takes at most (default 64)
 * @param pollTimeout how long {@link Subscriber#batch()} waits (default 1 s)
 */
public record SubscriberConfig(
    String name,
    boolean ackRequired,
    Duration ackTimeout,
    Durability ackDurability,
    int maxInFlight,
    int window,
    Position start,
    int batchSize,
    Duration pollTimeout) {

  /** Default of {@link #ackTimeout}. */
  public static final Duration DEFAULT_ACK_TIMEOUT = Duration.ofSeconds(30);

  /** Default of {@link #maxInFlight}. */
  public static final int DEFAULT_MAX_IN_FLIGHT = Limits.DEFAULT_MAX_IN_FLIGHT;

  /** Default of {@link #window}. */
  public static final int DEFAULT_WINDOW = Limits.DEFAULT_WINDOW;

  /** Default of {@link #batchSize}. */
  public static final int DEFAULT_BATCH_SIZE = 64;

  /** Default of {@link #pollTimeout}. */
  public static final Duration DEFAULT_POLL_TIMEOUT = Duration.ofSeconds(1);

  private static final Duration MAX_ACK_TIMEOUT = Duration.ofHours(12);

  /** Checks the limits. */
  public SubscriberConfig {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(ackDurability, "ackDurability");
    check(
        name,
        ackTimeout.toMillis() >= 1 && ackTimeout.compareTo(MAX_ACK_TIMEOUT) <= 0,
        "subscriber.ack.timeout is " + ackTimeout + "; 1 ms to 12 hours are allowed");
    check(
        name,
        ackRequired || ackDurability != Durability.DISK,
        "subscriber.ack.durability is DISK, but without subscriber.ack.required there are no"
            + " acknowledgements");
    check(
        name,
        maxInFlight >= 1 && maxInFlight <= Limits.MAX_WINDOW,
        "subscriber.max.in.flight is "
            + maxInFlight
            + "; 1 to "
            + Limits.MAX_WINDOW
            + " are allowed");
    check(
        name,
        window >= 1 && window <= Limits.MAX_WINDOW,
        "subscriber.window is " + window + "; 1 to " + Limits.MAX_WINDOW + " are allowed");
    check(name, batchSize >= 1, "subscriber.batch.size is " + batchSize + "; it must be positive");
    check(
        name,
        !pollTimeout.isNegative(),
        "subscriber.poll.timeout is " + pollTimeout + "; it must not be negative");
  }

  private static void check(String name, boolean right, String what) {
    if (!right) {
      throw new ConfigurationException("subscriber " + name + ": " + what);
    }
  }

  /** Starts from the defaults. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** Whether these are the same settings; {@code start}, which counts only once, aside. */
  public boolean equalsButForStart(SubscriberConfig other) {
    return equals(
        new SubscriberConfig(
            other.name,
            other.ackRequired,
            other.ackTimeout,
            other.ackDurability,
            other.maxInFlight,
            other.window,
            start,
            other.batchSize,
            other.pollTimeout));
  }

  /** The part of the settings that its ledger needs. */
  public Limits limits() {
    return new Limits(ackTimeout.toMillis(), maxInFlight, Math.max(window, maxInFlight));
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private boolean ackRequired;
    private Duration ackTimeout = DEFAULT_ACK_TIMEOUT;
    private Durability ackDurability = Durability.MEMORY;
    private int maxInFlight = DEFAULT_MAX_IN_FLIGHT;
    private int window = DEFAULT_WINDOW;
    private Position start = Position.earliest();
    private int batchSize = DEFAULT_BATCH_SIZE;
    private Duration pollTimeout = DEFAULT_POLL_TIMEOUT;

    private Builder(String name) {
      this.name = name;
    }

    /** See {@link SubscriberConfig#ackRequired}. */
    public Builder ack(boolean required) {
      this.ackRequired = required;
      return this;
    }

    /** See {@link SubscriberConfig#ackTimeout}. */
    public Builder ackTimeout(Duration timeout) {
      this.ackTimeout = timeout;
      return this;
    }

    /** See {@link SubscriberConfig#ackDurability}. */
    public Builder ackDurability(Durability level) {
      this.ackDurability = level;
      return this;
    }

    /** See {@link SubscriberConfig#maxInFlight}. */
    public Builder maxInFlight(int messages) {
      this.maxInFlight = messages;
      return this;
    }

    /** See {@link SubscriberConfig#window}. */
    public Builder window(int messages) {
      this.window = messages;
      return this;
    }

    /** See {@link SubscriberConfig#start}. */
    public Builder start(Position position) {
      this.start = position;
      return this;
    }

    /** See {@link SubscriberConfig#batchSize}. */
    public Builder batchSize(int messages) {
      this.batchSize = messages;
      return this;
    }

    /** See {@link SubscriberConfig#pollTimeout}. */
    public Builder pollTimeout(Duration timeout) {
      this.pollTimeout = timeout;
      return this;
    }

    /**
     * The settings.
     *
     * @throws ConfigurationException one is out of its range
     */
    public SubscriberConfig build() {
      return new SubscriberConfig(
          name,
          ackRequired,
          ackTimeout,
          ackDurability,
          maxInFlight,
          window,
          start,
          batchSize,
          pollTimeout);
    }
  }
}
