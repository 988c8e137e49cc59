package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.Message;
import java.util.function.Predicate;

/**
 * Stands for the filter of a subscriber that nobody has opened in this run: a filter is code, and
 * only its name is on disk.
 *
 * @param name of its class
 */
public record LostFilter(String name) implements Predicate<Message<Object>> {
  @Override
  public boolean test(Message<Object> message) {
    throw new IllegalStateException("the filter " + name + " was not given in this run");
  }
}
