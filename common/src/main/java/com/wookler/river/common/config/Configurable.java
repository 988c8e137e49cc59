package com.wookler.river.common.config;

/**
 * Something that takes its settings from a configuration. A class named in the configuration that
 * implements this gets the node that names it, right after it was made and before anything else is
 * called.
 */
public interface Configurable {
  /**
   * Takes the settings.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException if they cannot be used; make it
   *     with {@link ConfigNode#error(String, String)}
   */
  void configure(ConfigNode node);
}
