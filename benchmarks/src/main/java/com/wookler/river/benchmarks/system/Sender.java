package com.wookler.river.benchmarks.system;

import java.io.IOException;
import java.util.List;

/** Publishes, for one thread. */
public interface Sender extends AutoCloseable {
  /**
   * Publishes one message: when this returns it is as safe as {@link Work#level} says, or under way
   * if {@link Work#underWay} is above 0.
   */
  void send(byte[] message) throws Exception;

  /** Publishes all of these at once, as one unit where the system knows such. */
  void send(List<byte[]> batch) throws Exception;

  /** Returns when all that was sent is as safe as {@link Work#level} says. */
  default void finish() throws Exception {}

  @Override
  default void close() throws IOException {}
}
