package com.wookler.river.core.subscriber;

import com.wookler.river.ack.Limits;
import com.wookler.river.ack.Retries;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one subscriber; immutable. Made by {@link #builder}.
 *
 * <p>{@code ackRequired} is fixed when the subscriber is created, and so is whether {@code order}
 * is {@code KEY}. {@code start} counts only then. All others may change each time it is opened; and
 * those of which {@link SubscriberOptions} says so, by {@code MessageQueue.reconfigure}, while it
 * is open.
 */
public final class SubscriberConfig {
  private final String name;
  private final Settings settings;

  private SubscriberConfig(String name, Settings settings) {
    this.name = name;
    this.settings = settings;
    settings.check("subscriber " + name);
  }

  /** Starts from the defaults; the name is unique in the queue, by the rule of queue names. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** Returns its name, unique in the queue. */
  public String name() {
    return name;
  }

  /** Returns whether messages are completed by acknowledgement (default false: by delivery). */
  public boolean ackRequired() {
    return settings.is(SubscriberOptions.ACK_REQUIRED);
  }

  /**
   * Returns after which time an unfinished message is delivered again (default 30 s, at most 12
   * hours). Without acknowledgement it is only the default of a reactor's time limit.
   */
  public Duration ackTimeout() {
    return settings.get(SubscriberOptions.ACK_TIMEOUT);
  }

  /**
   * Returns what an acknowledgement that returned survives: the death of the process (default), or
   * the end of the power too. {@code DISK} needs {@code ackRequired}.
   */
  public Durability ackDurability() {
    return settings.get(SubscriberOptions.ACK_DURABILITY);
  }

  /** Returns the order of delivery (default by sequence); others need {@code ackRequired}. */
  public Order order() {
    return settings.get(SubscriberOptions.ORDER);
  }

  /**
   * Returns which messages it wants (default null: all), a predicate over {@link
   * com.wookler.river.core.message.Message} with all its properties. It is asked at each delivery,
   * on the thread that polls and without a lock; for {@link Subscriber#batchAsync} on a thread of
   * River's, so it should be quick. It must not close the subscriber. What it refuses counts as
   * completed. Where it throws, the attempt counts: the message comes again after the backoff, or
   * without one after the ack timeout, and becomes a dead letter at the limit; without
   * acknowledgement it counts as refused.
   *
   * <p>A {@link FilterExpression} is kept on disk with the other settings. Any other filter is
   * code, and the caller that opens the subscriber after a restart has to give it.
   */
  public @Nullable Predicate<?> filter() {
    return settings.find(SubscriberOptions.FILTER);
  }

  /**
   * Returns how often a message is delivered at most before it becomes a dead letter; 0, the
   * default, is without limit. Needs {@code ackRequired}.
   */
  public int maxDeliveries() {
    return settings.number(SubscriberOptions.MAX_DELIVERIES);
  }

  /**
   * Returns how long a message waits before it is delivered again (default none), also while the
   * subscriber is closed: see {@link Backoff}. Needs {@code ackRequired}.
   */
  public Backoff backoff() {
    return settings.get(SubscriberOptions.BACKOFF);
  }

  /**
   * Returns how many dead letters are kept; 0, the default, is without limit. Of more the oldest
   * are dropped, and counted ({@link SubscriberStats#deadDropped}). Needs {@code ackRequired}.
   */
  public long deadLetterLimit() {
    return settings.get(SubscriberOptions.DEAD_LETTER_LIMIT);
  }

  /**
   * Returns how long a dead letter is kept, from when it was made; zero, the default, is without
   * limit. Older ones are dropped as those beyond {@link #deadLetterLimit} are, while the
   * subscriber is open. Needs {@code ackRequired}.
   */
  public Duration deadLetterAge() {
    return settings.get(SubscriberOptions.DEAD_LETTER_AGE);
  }

  /**
   * Returns after what time without use the subscriber is removed, as by {@link
   * com.wookler.river.core.MessageQueue#removeSubscriber}; zero, the default, is never. In use is
   * one that is polled, acknowledges, or has a consumer that waits. The time counts while the queue
   * is open, from when it was opened on.
   */
  public Duration expiresAfter() {
    return settings.get(SubscriberOptions.EXPIRES_AFTER);
  }

  /**
   * Returns how many messages may be in flight at once (default 10,000, at most 1,048,576); 1 with
   * {@link Order#STRICT}.
   */
  public int maxInFlight() {
    return isStrict() ? 1 : settings.number(SubscriberOptions.MAX_IN_FLIGHT);
  }

  /**
   * Returns how far above the lowest unfinished message reading goes, at 16 bytes of heap a message
   * (default 262,144, at most 1,048,576). With {@link Order#KEY} it is 28 bytes, and at most 48 for
   * each key of which a message is not completed. With {@link Order#STRICT} it is 1: nothing is
   * read above an unfinished message.
   */
  public int window() {
    return isStrict() ? 1 : settings.number(SubscriberOptions.WINDOW);
  }

  private boolean isStrict() {
    return order() == Order.STRICT;
  }

  /** Returns where a new subscriber begins (default earliest). */
  public Position start() {
    return settings.get(SubscriberOptions.START);
  }

  /** Returns how many messages {@link Subscriber#batch()} takes at most (default 64). */
  public int batchSize() {
    return settings.number(SubscriberOptions.BATCH_SIZE);
  }

  /** Returns how many messages are delivered a second at most (default 0: any number). */
  public long maxRate() {
    return settings.get(SubscriberOptions.MAX_RATE);
  }

  /** Returns how many bytes of data are delivered a second at most (default 0: any number). */
  public long maxBytesRate() {
    return settings.get(SubscriberOptions.MAX_BYTES_RATE);
  }

  boolean isRateLimited() {
    return maxRate() > 0 || maxBytesRate() > 0;
  }

  /**
   * Returns whether it delivers to one owner at a time (default no): the first that polls, until it
   * releases its {@link #lease}, or that ends. Another that polls waits until then, takes it, and
   * is given what the one before had not acknowledged, whose acknowledgements are stale then. See
   * {@link Subscriber#consumer}.
   */
  public boolean exclusive() {
    return settings.is(SubscriberOptions.EXCLUSIVE);
  }

  /**
   * Returns how long an owner has the lease after its last poll or acknowledgement (default 30 s);
   * while a poll waits, it has it.
   */
  public Duration lease() {
    return settings.get(SubscriberOptions.LEASE);
  }

  /** Returns how long {@link Subscriber#batch()} waits (default 1 s). */
  public Duration pollTimeout() {
    return settings.get(SubscriberOptions.POLL_TIMEOUT);
  }

  /** Returns whether these are the same settings; {@code start}, which counts only once, aside. */
  public boolean equalsButForStart(SubscriberConfig other) {
    return name.equals(other.name) && differences(other).isEmpty();
  }

  /**
   * Returns how other settings differ, one sentence a setting, such as {@code subscriber.window is
   * 100, not 200}: its value here and then there. Name and {@code start} aside.
   */
  public List<String> differences(SubscriberConfig other) {
    return settings.differences(other.settings, Set.of(SubscriberOptions.START));
  }

  /** Returns a value for each option of {@link SubscriberOptions}. */
  public Settings settings() {
    return settings;
  }

  /**
   * Returns the queue to which messages are transferred that expired before this subscriber had
   * completed them, instead of the one that its queue names (default null: that one).
   */
  public @Nullable String expiryQueue() {
    return settings.find(SubscriberOptions.EXPIRY_QUEUE);
  }

  /** Returns the queue into which the dead letters are moved (default null: none). */
  public @Nullable String deadLetterQueue() {
    return settings.find(SubscriberOptions.DEAD_LETTER_QUEUE);
  }

  /** Returns the part of the settings that its ledger needs. */
  public Limits limits() {
    return new Limits(
        ackTimeout().toMillis(),
        maxInFlight(),
        Math.max(window(), maxInFlight()),
        new RetryPolicy(maxDeliveries(), backoff()),
        order() == Order.KEY);
  }

  /** How often a message is delivered, and how long it waits in between. */
  private record RetryPolicy(int maxDeliveries, Backoff backoff) implements Retries {
    @Override
    public long delayMillis(long sequence, int attempt) {
      return backoff.millis(sequence, attempt);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SubscriberConfig that
        && name.equals(that.name)
        && settings.equals(that.settings);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, settings);
  }

  @Override
  public String toString() {
    return "SubscriberConfig[" + name + ", " + settings + "]";
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private Settings settings = SubscriberOptions.TABLE.defaults();

    private Builder(String name) {
      this.name = Objects.requireNonNull(name, "name");
    }

    /** Sets an option of {@link SubscriberOptions}; null: its default. */
    public <T> Builder set(Option<T> option, @Nullable T value) {
      settings = settings.with(option, value);
      return this;
    }

    /** Sets all options. */
    public Builder settings(Settings all) {
      settings = Objects.requireNonNull(all, "all");
      return this;
    }

    /** See {@link SubscriberConfig#ackRequired}. */
    public Builder ack(boolean required) {
      return set(SubscriberOptions.ACK_REQUIRED, required);
    }

    /** See {@link SubscriberConfig#ackTimeout}. */
    public Builder ackTimeout(Duration timeout) {
      return set(SubscriberOptions.ACK_TIMEOUT, Objects.requireNonNull(timeout, "timeout"));
    }

    /** See {@link SubscriberConfig#ackDurability}. */
    public Builder ackDurability(Durability level) {
      return set(SubscriberOptions.ACK_DURABILITY, Objects.requireNonNull(level, "level"));
    }

    /** See {@link SubscriberConfig#maxDeliveries}. */
    public Builder maxDeliveries(int deliveries) {
      return set(SubscriberOptions.MAX_DELIVERIES, (long) deliveries);
    }

    /** See {@link SubscriberConfig#expiryQueue}. */
    public Builder expiryQueue(@Nullable String queue) {
      return set(SubscriberOptions.EXPIRY_QUEUE, queue);
    }

    /** See {@link SubscriberConfig#deadLetterQueue}. */
    public Builder deadLetterQueue(@Nullable String queue) {
      return set(SubscriberOptions.DEAD_LETTER_QUEUE, queue);
    }

    /** See {@link SubscriberConfig#backoff}. */
    public Builder backoff(Backoff rule) {
      return set(SubscriberOptions.BACKOFF, Objects.requireNonNull(rule, "rule"));
    }

    /** See {@link SubscriberConfig#deadLetterLimit}. */
    public Builder deadLetterLimit(long letters) {
      return set(SubscriberOptions.DEAD_LETTER_LIMIT, letters);
    }

    /** See {@link SubscriberConfig#expiresAfter}. */
    public Builder expiresAfter(Duration time) {
      return set(SubscriberOptions.EXPIRES_AFTER, Objects.requireNonNull(time, "time"));
    }

    /** See {@link SubscriberConfig#deadLetterAge}. */
    public Builder deadLetterAge(Duration age) {
      return set(SubscriberOptions.DEAD_LETTER_AGE, Objects.requireNonNull(age, "age"));
    }

    /** See {@link SubscriberConfig#order}. */
    public Builder order(Order wanted) {
      return set(SubscriberOptions.ORDER, Objects.requireNonNull(wanted, "wanted"));
    }

    /** See {@link SubscriberConfig#filter}. */
    public <M> Builder filter(Predicate<Message<M>> wanted) {
      return set(SubscriberOptions.FILTER, Objects.requireNonNull(wanted, "wanted"));
    }

    /**
     * A filter that is an expression, instead of one that is code; see {@link FilterExpression} and
     * {@link SubscriberConfig#filter}.
     *
     * @throws ConfigurationException it is no expression, with the column
     */
    public Builder filterExpression(String expression) {
      return set(SubscriberOptions.FILTER_EXPRESSION, FilterExpression.parse(expression));
    }

    /** See {@link SubscriberConfig#maxInFlight}. */
    public Builder maxInFlight(int messages) {
      return set(SubscriberOptions.MAX_IN_FLIGHT, (long) messages);
    }

    /** See {@link SubscriberConfig#window}. */
    public Builder window(int messages) {
      return set(SubscriberOptions.WINDOW, (long) messages);
    }

    /** See {@link SubscriberConfig#start}. */
    public Builder start(Position position) {
      return set(SubscriberOptions.START, Objects.requireNonNull(position, "position"));
    }

    /** See {@link SubscriberConfig#batchSize}. */
    public Builder batchSize(int messages) {
      return set(SubscriberOptions.BATCH_SIZE, (long) messages);
    }

    /** See {@link SubscriberConfig#maxRate}. */
    public Builder maxRate(long messages) {
      return set(SubscriberOptions.MAX_RATE, messages);
    }

    /** See {@link SubscriberConfig#maxBytesRate}. */
    public Builder maxBytesRate(long bytes) {
      return set(SubscriberOptions.MAX_BYTES_RATE, bytes);
    }

    /** See {@link SubscriberConfig#exclusive}. */
    public Builder exclusive(boolean one) {
      return set(SubscriberOptions.EXCLUSIVE, one);
    }

    /** See {@link SubscriberConfig#lease}. */
    public Builder lease(Duration time) {
      return set(SubscriberOptions.LEASE, Objects.requireNonNull(time, "time"));
    }

    /** See {@link SubscriberConfig#pollTimeout}. */
    public Builder pollTimeout(Duration timeout) {
      return set(SubscriberOptions.POLL_TIMEOUT, Objects.requireNonNull(timeout, "timeout"));
    }

    /** Returns the settings; throws {@link ConfigurationException} if one is out of its range. */
    public SubscriberConfig build() {
      return new SubscriberConfig(name, settings);
    }
  }
}
