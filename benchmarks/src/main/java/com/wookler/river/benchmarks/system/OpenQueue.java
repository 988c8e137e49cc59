package com.wookler.river.benchmarks.system;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** One open queue; closing it needs that its senders and receivers are closed. */
public interface OpenQueue extends AutoCloseable {
  /** Makes room for this many messages, for a system that needs it before work is timed. */
  default void expect(long messages) throws IOException {}

  /** Opens a publisher for one thread. */
  Sender sender() throws Exception;

  /**
   * Opens a subscriber for one thread. Different numbers are independent: each gets every message.
   * Systems without independent subscribers know number 0 only.
   */
  Receiver receiver(int number) throws Exception;

  @Override
  void close() throws IOException;

  /** Publishes, for one thread. */
  interface Sender extends AutoCloseable {
    /**
     * Publishes one message: when this returns it is as safe as {@link Work#disk} says, or under
     * way if {@link Work#underWay} is above 0.
     */
    void send(byte[] message) throws Exception;

    /** Publishes all of these at once, as one unit where the system knows such. */
    void send(List<byte[]> batch) throws Exception;

    /** Returns when all that was sent is as safe as {@link Work#disk} says. */
    default void finish() throws Exception {}

    @Override
    default void close() throws IOException {}
  }

  /** Consumes, for one thread. */
  interface Receiver extends AutoCloseable {
    /**
     * Delivers up to {@code max} messages, then acknowledges them if {@link Work#ack} says so;
     * returns how many. It waits for the first only.
     */
    int receive(int max, Duration timeout, Sink sink) throws Exception;

    @Override
    default void close() throws IOException {}
  }

  /** Takes the content of one message, in an array that is not used again. */
  @FunctionalInterface
  interface Sink {
    /** Called once a message, in order. */
    void accept(byte[] data);

    /** Called instead where {@link Work#view} says so: the bytes are there until this returns. */
    default void view(ByteBuffer data) {
      byte[] copy = new byte[data.remaining()];
      data.get(copy);
      accept(copy);
    }
  }
}
