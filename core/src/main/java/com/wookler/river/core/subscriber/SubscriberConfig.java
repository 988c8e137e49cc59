package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.ack.Limits;
import com.wookler.river.core.ack.Retries;
import com.wookler.river.core.filter.FilterExpression;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one subscriber; immutable. Made by {@link #builder}.
 *
 * <p>{@code ackRequired} and {@code order} are fixed when the subscriber is created. {@code start}
 * counts only then. All others may change each time it is opened.
 */
public final class SubscriberConfig {
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

  /** In the place of a name or a filter, and equal to none. */
  private static final Object NONE =
      new Object() {
        @Override
        public String toString() {
          return "none";
        }
      };

  private static final Duration MIN_ACK_TIMEOUT = Duration.ofMillis(1);
  private static final Duration MAX_ACK_TIMEOUT = Duration.ofHours(12);
  private static final Duration MAX_DEAD_LETTER_AGE = Duration.ofDays(36_500);

  private final @Nullable String expiryQueue;
  private final String name;
  private final Position start;
  private final Order order;
  private final @Nullable Predicate<?> filter;
  private final Acks acks;
  private final RetryPolicy retries;
  private final DeadBounds dead;
  private final Bounds bounds;
  private final Polling polling;

  /** How messages are finished. */
  private record Acks(boolean required, Duration timeout, Durability durability) {}

  /** How much may be unfinished. */
  private record Bounds(int maxInFlight, int window) {}

  /** How many dead letters are kept, and for how long. */
  private record DeadBounds(long limit, Duration age) {}

  /** What a poll without arguments does. */
  private record Polling(int batchSize, Duration timeout) {}

  /** How often a message is delivered, and how long it waits in between. */
  private record RetryPolicy(int maxDeliveries, Backoff backoff) implements Retries {
    @Override
    public long delayMillis(long sequence, int attempt) {
      return backoff.millis(sequence, attempt);
    }
  }

  private SubscriberConfig(Builder from) {
    name = from.name;
    start = from.start;
    order = from.order;
    filter = from.filter;
    acks = new Acks(from.ackRequired, from.ackTimeout, from.ackDurability);
    expiryQueue = from.expiryQueue;
    retries = new RetryPolicy(from.maxDeliveries, from.backoff);
    dead = new DeadBounds(from.deadLetterLimit, from.deadLetterAge);
    bounds = new Bounds(from.maxInFlight, from.window);
    polling = new Polling(from.batchSize, from.pollTimeout);
    checkAcks();
    checkBounds();
    check(batchSize() >= 1, "subscriber.batch.size is " + batchSize() + "; it must be positive");
    check(
        !pollTimeout().isNegative(),
        "subscriber.poll.timeout is " + pollTimeout() + "; it must not be negative");
  }

  private void checkAcks() {
    check(
        ackTimeout().compareTo(MIN_ACK_TIMEOUT) >= 0
            && ackTimeout().compareTo(MAX_ACK_TIMEOUT) <= 0,
        "subscriber.ack.timeout is " + ackTimeout() + "; 1 ms to 12 hours are allowed");
    checkNeedsAck("subscriber.order", order, Order.SEQUENCE);
    checkNeedsAck("subscriber.ack.durability", ackDurability(), Durability.MEMORY);
    checkNeedsAck("subscriber.max.deliveries", maxDeliveries(), 0);
    checkNeedsAck("subscriber.backoff", backoff(), Backoff.none());
    checkNeedsAck("subscriber.dead.max", dead.limit(), 0L);
    checkNeedsAck("subscriber.dead.age", dead.age(), Duration.ZERO);
    check(dead.limit() >= 0, "subscriber.dead.max is " + dead.limit() + "; 0 or more is allowed");
    check(
        !dead.age().isNegative() && dead.age().compareTo(MAX_DEAD_LETTER_AGE) <= 0,
        "subscriber.dead.age is "
            + dead.age()
            + "; 0, which is without limit, to 36500 days are allowed");
    check(
        maxDeliveries() >= 0 && maxDeliveries() <= Retries.MOST_DELIVERIES,
        "subscriber.max.deliveries is "
            + maxDeliveries()
            + "; 0, which is without limit, to "
            + Retries.MOST_DELIVERIES
            + " are allowed");
  }

  /**
   * Refuses a setting that promises what only acknowledgement makes possible. Bounds on what is
   * unfinished are not among them: without acknowledgement they always hold.
   */
  private void checkNeedsAck(String setting, Object value, Object dflt) {
    check(
        ackRequired() || value.equals(dflt),
        setting
            + " is "
            + value
            + ", but without subscriber.ack.required a message is finished when it is delivered,"
            + " so this has no effect; require acknowledgement, or leave "
            + setting
            + " out");
  }

  private void checkBounds() {
    check(
        maxInFlight() >= 1 && maxInFlight() <= Limits.MAX_WINDOW,
        "subscriber.max.in.flight is "
            + maxInFlight()
            + "; 1 to "
            + Limits.MAX_WINDOW
            + " are allowed");
    check(
        window() >= 1 && window() <= Limits.MAX_WINDOW,
        "subscriber.window is " + window() + "; 1 to " + Limits.MAX_WINDOW + " are allowed");
  }

  private void check(boolean right, String what) {
    if (!right) {
      throw new ConfigurationException("subscriber " + name + ": " + what);
    }
  }

  /**
   * Starts from the defaults.
   *
   * @param name unique in the queue, the same rule as for queue names
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** Its name, unique in the queue. */
  public String name() {
    return name;
  }

  /**
   * Whether messages are finished by acknowledgement (default false: when they are handed over).
   */
  public boolean ackRequired() {
    return acks.required();
  }

  /**
   * After which an unfinished message is delivered again (default 30 s, at most 12 hours). Without
   * acknowledgement it is only the default of a reactor's time limit.
   */
  public Duration ackTimeout() {
    return acks.timeout();
  }

  /**
   * What an acknowledgement that returned survives: the death of the process (default), or the end
   * of the power too. {@code DISK} needs {@code ackRequired}.
   */
  public Durability ackDurability() {
    return acks.durability();
  }

  /**
   * In which order messages are handed over (default by sequence). {@code KEY} needs {@code
   * ackRequired}.
   */
  public Order order() {
    return order;
  }

  /**
   * Which messages it wants (default null: all), a predicate over {@link
   * com.wookler.river.core.message.Message} with all that was said of it, but for the id of one
   * that was delayed. It is asked at each delivery, on the thread that polls and without a lock;
   * for {@link Subscriber#batchAsync} on a thread of River's, so it should be quick. It must not
   * close the subscriber. What it refuses counts as finished. Where it throws, the attempt counts:
   * the message comes again after the backoff, or without one after the ack timeout, and becomes a
   * dead letter at the limit; without acknowledgement it counts as refused.
   *
   * <p>A {@link FilterExpression} is kept on disk with the other settings. Any other filter is
   * code, and whoever opens the subscriber after a restart has to give it.
   */
  public @Nullable Predicate<?> filter() {
    return filter;
  }

  /**
   * How often a message is delivered at most before it becomes a dead letter; 0, the default, is
   * without limit. Needs {@code ackRequired}.
   */
  public int maxDeliveries() {
    return retries.maxDeliveries();
  }

  /**
   * How long a message waits before it is delivered again (default none), also while the subscriber
   * is closed: see {@link Backoff}. Needs {@code ackRequired}.
   */
  public Backoff backoff() {
    return retries.backoff();
  }

  /**
   * How many dead letters are kept; 0, the default, is without limit. Of more the oldest are
   * dropped, and counted ({@link SubscriberStats#deadDropped}). Needs {@code ackRequired}.
   */
  public long deadLetterLimit() {
    return dead.limit();
  }

  /**
   * How long a dead letter is kept, from when its message was given up; zero, the default, is
   * without limit. Older ones are dropped as those beyond {@link #deadLetterLimit} are, while the
   * subscriber is open. Needs {@code ackRequired}.
   */
  public Duration deadLetterAge() {
    return dead.age();
  }

  /** How many may be out at once (default 10,000, at most 1,048,576). */
  public int maxInFlight() {
    return bounds.maxInFlight();
  }

  /**
   * How far above the lowest unfinished message reading goes, at 16 bytes of heap a message
   * (default 262,144, at most 1,048,576). With {@link Order#KEY} it is 28 bytes, and at most 48 for
   * each key of which a message is not finished.
   */
  public int window() {
    return bounds.window();
  }

  /** Where a new subscriber begins (default earliest). */
  public Position start() {
    return start;
  }

  /** What {@link Subscriber#batch()} takes at most (default 64). */
  public int batchSize() {
    return polling.batchSize();
  }

  /** How long {@link Subscriber#batch()} waits (default 1 s). */
  public Duration pollTimeout() {
    return polling.timeout();
  }

  /** Whether these are the same settings; {@code start}, which counts only once, aside. */
  public boolean equalsButForStart(SubscriberConfig other) {
    return name.equals(other.name) && differences(other).isEmpty();
  }

  /**
   * What others say otherwise, one sentence a setting, such as {@code subscriber.window is 100, not
   * 200}: its value here and then there. Name and {@code start} aside.
   */
  public List<String> differences(SubscriberConfig other) {
    List<String> all = new ArrayList<>();
    Map<String, Object> others = other.values();
    values()
        .forEach(
            (setting, value) -> {
              Object there = others.get(setting);
              if (!value.equals(there)) {
                all.add(setting + " is " + value + ", not " + there);
              }
            });
    return all;
  }

  /** All but name and start, as they are called in XML. */
  private Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("subscriber.ack.required", ackRequired());
    values.put("subscriber.ack.timeout", ackTimeout());
    values.put("subscriber.ack.durability", ackDurability());
    values.put("subscriber.max.deliveries", maxDeliveries());
    values.put("subscriber.backoff", backoff());
    values.put("subscriber.dead.max", deadLetterLimit());
    values.put("subscriber.dead.age", deadLetterAge());
    values.put("subscriber.expiry.queue", expiryQueue == null ? NONE : expiryQueue);
    values.put("subscriber.order", order);
    values.put("subscriber.filter", filter == null ? NONE : filter);
    values.put("subscriber.max.in.flight", maxInFlight());
    values.put("subscriber.window", window());
    values.put("subscriber.batch.size", batchSize());
    values.put("subscriber.poll.timeout", pollTimeout());
    return values;
  }

  /**
   * The queue to which messages are handed on that expired before this subscriber had finished
   * them, instead of the one that its queue names (default null: that one).
   */
  public @Nullable String expiryQueue() {
    return expiryQueue;
  }

  /** The part of the settings that its ledger needs. */
  public Limits limits() {
    return new Limits(
        ackTimeout().toMillis(),
        maxInFlight(),
        Math.max(window(), maxInFlight()),
        retries,
        order == Order.KEY);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SubscriberConfig that
        && start.equals(that.start)
        && equalsButForStart(that);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, start, order, filter, acks, retries, dead, bounds, polling);
  }

  @Override
  public String toString() {
    return "SubscriberConfig"
        + List.<Object>of(
            name, "order=" + order, acks, retries, dead, bounds, polling, "start=" + start);
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private boolean ackRequired;
    private Duration ackTimeout = DEFAULT_ACK_TIMEOUT;
    private Durability ackDurability = Durability.MEMORY;
    private Order order = Order.SEQUENCE;
    private @Nullable Predicate<?> filter;
    private int maxDeliveries;
    private Backoff backoff = Backoff.none();
    private long deadLetterLimit;
    private Duration deadLetterAge = Duration.ZERO;
    private @Nullable String expiryQueue;
    private int maxInFlight = DEFAULT_MAX_IN_FLIGHT;
    private int window = DEFAULT_WINDOW;
    private Position start = Position.earliest();
    private int batchSize = DEFAULT_BATCH_SIZE;
    private Duration pollTimeout = DEFAULT_POLL_TIMEOUT;

    private Builder(String name) {
      this.name = Objects.requireNonNull(name, "name");
    }

    /** See {@link SubscriberConfig#ackRequired}. */
    public Builder ack(boolean required) {
      this.ackRequired = required;
      return this;
    }

    /** See {@link SubscriberConfig#ackTimeout}. */
    public Builder ackTimeout(Duration timeout) {
      this.ackTimeout = Objects.requireNonNull(timeout, "timeout");
      return this;
    }

    /** See {@link SubscriberConfig#ackDurability}. */
    public Builder ackDurability(Durability level) {
      this.ackDurability = Objects.requireNonNull(level, "level");
      return this;
    }

    /** See {@link SubscriberConfig#maxDeliveries}. */
    public Builder maxDeliveries(int deliveries) {
      this.maxDeliveries = deliveries;
      return this;
    }

    /** See {@link SubscriberConfig#expiryQueue}. */
    public Builder expiryQueue(@Nullable String queue) {
      this.expiryQueue = queue;
      return this;
    }

    /** See {@link SubscriberConfig#backoff}. */
    public Builder backoff(Backoff rule) {
      this.backoff = Objects.requireNonNull(rule, "rule");
      return this;
    }

    /** See {@link SubscriberConfig#deadLetterLimit}. */
    public Builder deadLetterLimit(long letters) {
      this.deadLetterLimit = letters;
      return this;
    }

    /** See {@link SubscriberConfig#deadLetterAge}. */
    public Builder deadLetterAge(Duration age) {
      this.deadLetterAge = Objects.requireNonNull(age, "age");
      return this;
    }

    /** See {@link SubscriberConfig#order}. */
    public Builder order(Order wanted) {
      this.order = Objects.requireNonNull(wanted, "wanted");
      return this;
    }

    /** See {@link SubscriberConfig#filter}. */
    public <M> Builder filter(Predicate<Message<M>> wanted) {
      this.filter = Objects.requireNonNull(wanted, "wanted");
      return this;
    }

    /**
     * A filter that is an expression, instead of one that is code; see {@link FilterExpression} and
     * {@link SubscriberConfig#filter}.
     *
     * @throws ConfigurationException it is no expression, with the column
     */
    public Builder filterExpression(String expression) {
      this.filter = FilterExpression.parse(expression);
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
      this.start = Objects.requireNonNull(position, "position");
      return this;
    }

    /** See {@link SubscriberConfig#batchSize}. */
    public Builder batchSize(int messages) {
      this.batchSize = messages;
      return this;
    }

    /** See {@link SubscriberConfig#pollTimeout}. */
    public Builder pollTimeout(Duration timeout) {
      this.pollTimeout = Objects.requireNonNull(timeout, "timeout");
      return this;
    }

    /**
     * The settings.
     *
     * @throws ConfigurationException one is out of its range
     */
    public SubscriberConfig build() {
      return new SubscriberConfig(this);
    }
  }
}
