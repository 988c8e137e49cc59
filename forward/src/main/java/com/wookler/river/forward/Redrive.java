package com.wookler.river.forward;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are to be redriven, and where: for {@link Redrives#start}.
 *
 * @param subscriber whose dead letters these are
 * @param target name of another queue of the same directory, which gets the messages as they were
 *     published; null: the queue that they come from, for the subscriber only
 * @param filter an expression over key, headers and JSON ({@link
 *     com.wookler.river.core.subscriber.FilterExpression}), which sees the headers of the dead
 *     letter too; null: all
 */
public record Redrive(String subscriber, @Nullable String target, @Nullable String filter) {
  /** Checks that the subscriber is named. */
  public Redrive {
    Objects.requireNonNull(subscriber, "subscriber");
  }

  /** Returns a redrive of all letters of a subscriber, to the queue that they come from. */
  public static Redrive of(String subscriber) {
    return new Redrive(subscriber, null, null);
  }

  /** Returns the same to another queue. */
  public Redrive to(String queue) {
    return new Redrive(subscriber, Objects.requireNonNull(queue, "queue"), filter);
  }

  /** Returns the same for those letters that match an expression. */
  public Redrive matching(String expression) {
    return new Redrive(subscriber, target, Objects.requireNonNull(expression, "expression"));
  }
}
