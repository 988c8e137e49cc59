package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.Message;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the filter of a subscriber that was not opened in this run: one that is code, of which
 * only the name is on disk, or an expression that cannot be compiled without river-filter.
 *
 * @param name of its class
 * @param expression its text, if it is an expression
 */
public record LostFilter(String name, @Nullable String expression)
    implements Predicate<Message<Object>> {
  @Override
  public boolean test(Message<Object> message) {
    throw new IllegalStateException("the filter " + name + " was not given in this run");
  }

  /** Returns which filter it replaces, and why. */
  public String reason() {
    return expression == null
        ? name + ", which is not kept on disk"
        : expression + ", which cannot be read here";
  }
}
