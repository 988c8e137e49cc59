package com.wookler.river.ack.journal;

/** Receives the content of a subscriber's files, in the order of the files. */
interface JournalVisitor {
  /** Everything before is void; the subscriber begins here. */
  void restart(long lowWatermark);

  /** The low watermark was here at this point. */
  void lowWatermark(long lowWatermark);

  /** The next sequence that was never delivered; the highest counts. */
  void deliveredEnd(long next);

  /** A run of messages is completed. */
  void completed(long from, long count);

  /** This number of deliveries of an unfinished message counts, and it is not delayed. */
  void attempts(long sequence, int attempts);

  /** It is delayed: until when, in milliseconds since 1970, and how long that was to be. */
  void notBefore(long sequence, long untilMillis, int delaySeconds);
}
