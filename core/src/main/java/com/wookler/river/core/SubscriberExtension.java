package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;

/**
 * Reads further elements of a {@code <subscriber>} in XML. Found by {@link
 * java.util.ServiceLoader}; the module river-reactor brings one, for {@code <executor>}, {@code
 * <processor>} and their like.
 */
public interface SubscriberExtension {
  /** Returns the names of the elements that it reads; the first extension that has one reads it. */
  List<String> elements();

  /**
   * Reads a subscriber's element, of which at least one child is of this extension. Starts nothing,
   * and touches nothing on disk.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException something in it is wrong
   */
  Attachment configure(ConfigNode subscriber);

  /** What is to be started with a subscriber. */
  @FunctionalInterface
  interface Attachment {
    /** Starts it on a running queue, which closes the result before anything else of it. */
    AutoCloseable attach(Subscriber<?> subscriber);
  }
}
