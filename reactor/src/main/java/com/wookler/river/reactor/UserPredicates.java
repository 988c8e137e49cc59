package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.Optional;
import java.util.function.Predicate;

/** Calls predicates of the user's, so that an exception fails only the message in question. */
final class UserPredicates {
  private UserPredicates() {}

  /**
   * Tests a message.
   *
   * @return empty if the predicate threw; the message has failed then
   */
  static <M> Optional<Boolean> test(
      Predicate<? super Delivery<M>> predicate, Delivery<M> delivery, ResultHandler<M> handler) {
    try {
      return Optional.of(predicate.test(delivery));
    } catch (Throwable e) { // an Error too: it must not fail the other messages
      handler.handle(delivery, ProcessResult.failed(e));
      return Optional.empty();
    }
  }
}
