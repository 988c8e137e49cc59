package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.Optional;
import java.util.function.Predicate;

/** Calls predicates of the user's so that what they throw concerns their message only. */
final class UserCode {
  private UserCode() {}

  /** The answer; empty if it threw: the message has failed then. */
  static <M> Optional<Boolean> ask(
      Predicate<? super Delivery<M>> question, Delivery<M> about, Outcomes<M> outcomes) {
    try {
      return Optional.of(question.test(about));
    } catch (Throwable e) {
      outcomes.decide(about, ProcessResult.failed(e));
      return Optional.empty();
    }
  }
}
