package com.wookler.river.ack;

/** Keeps nothing, for ledgers that live in memory only. */
final class NoJournal implements AckJournal {
  private long epoch = 1;

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public void seek(long sequence) {
    epoch++;
  }

  @Override
  public long unjournaled() {
    return 0;
  }

  @Override
  public void deliveredEnd(long next) {
    // Nothing is kept.
  }

  @Override
  public void completed(long from, long count) {
    // Nothing is kept.
  }

  @Override
  public void attempts(long sequence, int attempts) {
    // Nothing is kept.
  }

  @Override
  public void notBefore(long sequence, int attempts, long untilMillis, int delaySeconds) {
    // Nothing is kept.
  }

  @Override
  public void force() {
    // Nothing is kept.
  }

  @Override
  public void forceCompleted() {
    // Nothing is kept.
  }

  @Override
  public void close() {
    // Nothing is kept.
  }
}
