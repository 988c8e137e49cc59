package com.wookler.river.core.subscriber;

/** One delivery of one message, whose holder decides. Guarded by the subscriber's lock. */
interface Acknowledgeable {
  /** Returns the message's place in the log. */
  long place();

  long tag();

  /** Returns when it was delivered, in seconds since 1970; unsigned. */
  int deliveredSecond();

  /** Returns what took effect so far. */
  Acknowledgement acknowledgement();

  void acknowledgement(Acknowledgement decided);
}
