package com.wookler.river.ack;

/**
 * The acknowledgement journal: keeps the state of a subscriber that acknowledges. Each entry
 * survives the death of the process when its method returns, and a power loss after the next {@link
 * #force()}. Guarded by the subscriber's lock, but for {@code force}.
 *
 * <p>An entry is written before the {@link Ring} has the change, and may be written twice. None of
 * the methods that write one fails: what cannot be written is counted by {@link #unjournaled()},
 * because a full disk must not stop consumers.
 */
public interface AckJournal extends AutoCloseable {
  /** The highest number that one entry has: of messages in a run, or of seconds of a delay. */
  int MAX_NUMBER = (1 << 28) - 1;

  /** Returns the epoch, which changes with each opening and each seek and is never used twice. */
  long epoch();

  /** Records the next sequence that was never delivered. */
  void deliveredEnd(long next);

  void completed(long from, long count);

  /** Records how many deliveries of an unfinished message count, and that it is not delayed. */
  void attempts(long sequence, int attempts);

  /**
   * Records how many deliveries of an unfinished message count, and that it is delayed: until when,
   * in milliseconds since 1970, and for how many seconds, rounded up; at most {@link #MAX_NUMBER}.
   */
  void notBefore(long sequence, int attempts, long untilMillis, int delaySeconds);

  /**
   * Records that everything below is completed and nothing from it on was delivered; survives a
   * power loss when it returns. If it throws, {@link #epoch()} shows whether it took effect.
   */
  void seek(long sequence);

  /** Returns the number of entries of this run that are not on disk. */
  long unjournaled();

  /** Forces what was written since the last call. Thread-safe. */
  void force();

  /** Forces all but the end of what was delivered, most of which follows from it. Thread-safe. */
  void forceCompleted();

  /** Runs a task while nothing changes the files, under the subscriber's lock. */
  default void whileStill(Runnable task) {
    task.run();
  }

  @Override
  void close();
}
