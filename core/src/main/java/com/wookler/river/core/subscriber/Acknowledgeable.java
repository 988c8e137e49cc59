package com.wookler.river.core.subscriber;

/** A delivery that can be acknowledged. Guarded by the subscriber's lock. */
interface Acknowledgeable {
  long place();

  long tag();

  /** Returns when it was delivered, in seconds since 1970; unsigned. */
  int deliveredSecond();

  /** Returns the acknowledgement that took effect, if any. */
  Acknowledgement acknowledgement();

  void acknowledgement(Acknowledgement decided);
}
