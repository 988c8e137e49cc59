package com.wookler.river.core.subscriber;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** For the subscribers of a queue of dead letters, which make no dead letters themselves. */
final class NoDeadLetters<M> implements DeadLetterStore<M> {
  private final String queue;

  NoDeadLetters(String queue) {
    this.queue = queue;
  }

  private UnsupportedOperationException none() {
    return new UnsupportedOperationException("queue " + queue + " has no dead letters of its own");
  }

  @Override
  public long add(DeadLetter letter) {
    throw none();
  }

  @Override
  public void force() {}

  @Override
  public void settle(long end) {}

  @Override
  public long drop(long most, Duration age) {
    return 0;
  }

  @Override
  public List<DeadLetter.Source> unsettled() {
    return List.of();
  }

  @Override
  public long end() {
    return 0;
  }

  @Override
  public void report(DeadLetter letter) {}

  @Override
  public void later(Runnable task) {
    throw none();
  }

  @Override
  public DeadLetters<M> letters() {
    throw none();
  }

  @Override
  public void copyTo(Path subscriber) {}

  @Override
  public void close() {}
}
