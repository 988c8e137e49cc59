package com.wookler.river.benchmarks.system;

import java.io.IOException;
import java.time.Duration;

/** Consumes, for one thread. */
public interface Receiver extends AutoCloseable {
  /** Takes the content of one message, in an array that is not used again. */
  @FunctionalInterface
  interface Sink {
    /** Called once a message, in order. */
    void accept(byte[] data);
  }

  /**
   * Delivers up to {@code max} messages, then acknowledges them if {@link Work#ack} says so.
   *
   * @param timeout how long to wait for the first; zero for not at all
   * @return how many
   */
  int receive(int max, Duration timeout, Sink sink) throws Exception;

  @Override
  default void close() throws IOException {}
}
