package com.wookler.river.reactor;

/**
 * Says what a reactor does with a message over which a processor threw, by the class of the
 * exception: {@link Reactor.Builder#onFailure}.
 */
public enum FailurePolicy {
  /**
   * The message is delivered again by the subscriber's backoff, and becomes a dead letter at its
   * limit of deliveries; what holds without a policy.
   */
  RETRY,
  /** The message becomes a dead letter at once, with the exception. */
  REJECT,
  /**
   * The subscriber is paused, and the message is given back without its attempt, to be the next
   * when the subscriber is resumed ({@code Subscriber.resume}, over REST {@code resume}) or opened
   * again. For what an operator has to repair.
   */
  PAUSE
}
