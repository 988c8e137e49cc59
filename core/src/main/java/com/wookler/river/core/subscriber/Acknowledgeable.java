package com.wookler.river.core.subscriber;

/** One hand-over of one message, whose holder decides. Guarded by the subscriber's lock. */
interface Acknowledgeable {
  /** The message's place in the log. */
  long place();

  long ticket();

  /** When it was handed over, in seconds since 1970; unsigned. */
  int handedOverSecond();

  /** What took effect so far. */
  Acknowledgement acknowledgement();

  void acknowledgement(Acknowledgement decided);
}
