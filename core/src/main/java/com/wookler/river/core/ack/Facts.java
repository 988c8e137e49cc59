package com.wookler.river.core.ack;

/** Who is told what a subscriber's files say, in the order of the files. */
interface Facts {
  /** Everything told before is void; the subscriber stands here. */
  void restart(long floor);

  /** The floor is known to have stood here at this point. */
  void floor(long floor);

  /** The next sequence that was never handed over; the highest counts. */
  void handedOver(long mark);

  /** A run of messages is finished. */
  void finished(long from, long count);

  /** So many deliveries of an unfinished message count, and it is not delayed. */
  void attempts(long sequence, int attempts);

  /** It is delayed: until when, in milliseconds since 1970, and how long that was to be. */
  void notBefore(long sequence, long untilMillis, int delaySeconds);
}
