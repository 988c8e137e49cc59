package com.wookler.river.reactor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes objects of the user's, as far as they can be closed. */
final class Closeables {
  private static final Logger LOG = LoggerFactory.getLogger(Closeables.class);

  private Closeables() {}

  /** Closes an object if it is {@link AutoCloseable}, and logs what it throws. */
  static void closeAndLog(Object used) {
    if (used instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        LOG.warn("Closing {} failed", used, e);
      }
    }
  }
}
