package com.wookler.river.forward;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.QueueExtension;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.ValueExpression;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a queue forwards to one of its targets: from where, which messages, and as what. Immutable;
 * made by {@link #to}. It is given to the builder of a queue that names the target in {@code
 * queue.forward}:
 *
 * <pre>{@code
 * builder.forwardTo("audit").with(ForwardConfig.to("audit").filter("headers.type == 'order'").build())
 * }</pre>
 */
public final class ForwardConfig implements QueueExtension.Setting {
  private final String target;
  private final Settings settings;

  private ForwardConfig(String target, Settings settings) {
    this.target = target;
    this.settings = settings;
    settings.check("the forward to " + target);
  }

  /** Starts from the defaults: all that is in the log, as it was published. */
  public static Builder to(String target) {
    return new Builder(Objects.requireNonNull(target, "target"));
  }

  /** Returns the name of the queue to which messages are forwarded. */
  public String target() {
    return target;
  }

  boolean isTo(String queue) {
    return target.equals(queue);
  }

  /** Returns where the forward begins (default: with the oldest message of the log). */
  public Position start() {
    return settings.get(ForwardOptions.START);
  }

  /** Returns which messages are forwarded, or null: all. */
  public @Nullable FilterExpression filter() {
    return settings.find(ForwardOptions.FILTER);
  }

  /** Returns what computes the key, or null: it stays as it is. */
  public @Nullable ValueExpression key() {
    return settings.find(ForwardOptions.KEY);
  }

  /** Returns what computes headers, or null: they stay as they are. */
  public @Nullable ValueExpression headers() {
    return settings.find(ForwardOptions.HEADERS);
  }

  /** Returns what computes the data, or null: they stay as they are. */
  public @Nullable ValueExpression data() {
    return settings.find(ForwardOptions.DATA);
  }

  /** Returns what becomes of a message over which an expression fails. */
  public OnFailure onFailure() {
    return settings.get(ForwardOptions.ON_FAILURE);
  }

  /** Returns all values, by the rows of {@link ForwardOptions}. */
  public Settings settings() {
    return settings;
  }

  /** Refuses a target that {@code queue.forward} does not name. */
  @Override
  public void check(String queue, Settings of) {
    if (!of.get(QueueOptions.FORWARD).contains(target)) {
      throw new ConfigurationException(
          "queue %s: it has settings of a forward to %s, which queue.forward does not name"
              .formatted(queue, target));
    }
  }

  /** Returns the same with another start. */
  ForwardConfig startingAt(Position start) {
    return to(target).settings(settings.with(ForwardOptions.START, start)).build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ForwardConfig that
        && target.equals(that.target)
        && settings.equals(that.settings);
  }

  @Override
  public int hashCode() {
    return Objects.hash(target, settings);
  }

  @Override
  public String toString() {
    return "to " + target + " (" + settings + ")";
  }

  /** Collects the settings of a forward. */
  public static final class Builder {
    private final String target;
    private Settings settings = ForwardOptions.TABLE.defaults();

    private Builder(String target) {
      this.target = target;
    }

    /** Sets all values at once. */
    @CanIgnoreReturnValue
    public Builder settings(Settings values) {
      settings = Objects.requireNonNull(values, "values");
      return this;
    }

    @CanIgnoreReturnValue
    private <T> Builder set(Option<T> option, @Nullable T value) {
      settings = settings.with(option, value);
      return this;
    }

    /**
     * Sets where the forward begins in the log; it counts only when the target is new. What a
     * target has it never gets again.
     */
    @CanIgnoreReturnValue
    public Builder start(Position position) {
      return set(ForwardOptions.START, Objects.requireNonNull(position, "position"));
    }

    /**
     * Sets which messages are forwarded, as {@link FilterExpression} has it; null: all.
     *
     * @throws ConfigurationException naming the column
     */
    @CanIgnoreReturnValue
    public Builder filter(@Nullable String expression) {
      return set(
          ForwardOptions.FILTER, expression == null ? null : FilterExpression.parse(expression));
    }

    /** Sets the key in the target; an expression whose value is null removes it. */
    @CanIgnoreReturnValue
    public Builder key(@Nullable String expression) {
      return set(ForwardOptions.KEY, value(expression));
    }

    /** Sets headers in the target, by an expression whose value is a map; null removes one. */
    @CanIgnoreReturnValue
    public Builder headers(@Nullable String expression) {
      return set(ForwardOptions.HEADERS, value(expression));
    }

    /** Sets the data in the target: a text as its UTF-8, anything else as JSON. */
    @CanIgnoreReturnValue
    public Builder data(@Nullable String expression) {
      return set(ForwardOptions.DATA, value(expression));
    }

    private static @Nullable ValueExpression value(@Nullable String expression) {
      return expression == null ? null : ValueExpression.parse(expression);
    }

    /** Sets what becomes of a message over which an expression fails (default: passed over). */
    @CanIgnoreReturnValue
    public Builder onFailure(OnFailure action) {
      return set(ForwardOptions.ON_FAILURE, Objects.requireNonNull(action, "action"));
    }

    /** Returns the settings, checked. */
    public ForwardConfig build() {
      return new ForwardConfig(target, settings);
    }
  }
}
