package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.core.message.MessageConverter;

/**
 * Another system that keeps queues of a file in place of this process: a {@code <queue>} names it
 * by its attribute {@code engine}. Found by {@link java.util.ServiceLoader}; the module river-kafka
 * brings one, {@code kafka}.
 */
public interface QueueEngine {
  /** Returns its name, as the attribute {@code engine} has it. */
  String name();

  /**
   * Reads a queue and its subscribers. Starts nothing, and connects to nothing.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException something in it is wrong, or is
   *     what the engine cannot do
   */
  Plan read(Definition queue);

  /**
   * A queue in a file.
   *
   * @param element its {@code <queue>}, of which the attributes were checked
   * @param name its name, which was checked
   * @param converter of its data
   * @param defaults of the file
   */
  record Definition(
      ConfigNode element, String name, MessageConverter<Object> converter, Defaults defaults) {}

  /** A queue that was read and can be started. */
  @FunctionalInterface
  interface Plan {
    /**
     * Starts it, with the reactors of its subscribers. Returns at once, also while the engine is
     * away, unless a processor asks it something.
     *
     * @throws com.wookler.river.common.errors.ConfigurationException its engine refuses it; nothing
     *     of it runs
     */
    EngineQueue start();
  }

  /** A queue that an engine keeps. Thread-safe. */
  interface EngineQueue extends AutoCloseable {
    /** Returns what publishes into it. */
    Publisher<Object> publisher();

    /** Closes its reactors; its publisher continues. Idempotent. */
    void closeReactors();

    /** Closes its reactors, then its publisher. Idempotent. */
    @Override
    void close();
  }
}
