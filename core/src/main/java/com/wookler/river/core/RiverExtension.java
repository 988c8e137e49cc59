package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;

/**
 * Starts what an element beside the queues of a file configures. Found by {@link
 * java.util.ServiceLoader}; the module river-jdbc brings one, for {@code <outbox>}.
 */
public interface RiverExtension {
  /** Returns the name of the element, which may be several times in a file. */
  String element();

  /**
   * Starts what one such element says. All queues run, and are closed after the result.
   *
   * @param root of the file, with its queues' elements
   * @throws com.wookler.river.common.errors.ConfigurationException something in it is wrong: all
   *     that was opened is closed
   */
  AutoCloseable start(ConfigNode element, ConfigNode root, River river);
}
