package com.wookler.river.core.ack.journal;

/** Who is told what a subscriber's files say, in the order of the files. */
interface JournalVisitor {
  /** Everything told before is void; the subscriber stands here. */
  void restart(long lowWatermark);

  /** The low watermark is known to have stood here at this point. */
  void lowWatermark(long lowWatermark);

  /** The next sequence that was never delivered; the highest counts. */
  void deliveredEnd(long mark);

  /** A run of messages is completed. */
  void completed(long from, long count);

  /** So many deliveries of an unfinished message count, and it is not delayed. */
  void attempts(long sequence, int attempts);

  /** It is delayed: until when, in milliseconds since 1970, and how long that was to be. */
  void notBefore(long sequence, long untilMillis, int delaySeconds);
}
