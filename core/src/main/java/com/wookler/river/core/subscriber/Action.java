package com.wookler.river.core.subscriber;

/** What a {@link ViewHandler} answers about a message. Without acknowledgement it has no effect. */
public enum Action {
  /** See {@link Delivery#ack}. */
  ACK,

  /** See {@link Delivery#nack()}. */
  NACK,

  /** See {@link Delivery#release}. */
  RELEASE,

  /** See {@link Delivery#reject}, with a text that names no reason. */
  REJECT,

  /**
   * Leaves the message in flight, for {@link Subscriber#settle} with its {@link
   * MessageView#receipt}: for all that the others do not say, such as a reason or a delay.
   */
  KEEP
}
