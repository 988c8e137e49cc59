package com.wookler.river.reactor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what the user gave a reactor to use, if it can be closed. */
final class Closing {
  private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

  private Closing() {}

  /** What it throws is logged. */
  static void close(Object used) {
    if (used instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        LOG.warn("{} did not close well", used, e);
      }
    }
  }
}
