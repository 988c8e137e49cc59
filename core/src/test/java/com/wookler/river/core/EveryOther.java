package com.wookler.river.core;

import com.wookler.river.core.message.Message;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** A filter that XML can name. */
public final class EveryOther implements Predicate<Message<String>> {
  private final AtomicLong asked = new AtomicLong();

  @Override
  public boolean test(Message<String> message) {
    return asked.getAndIncrement() % 2 == 0;
  }
}
