package com.wookler.river.common.config;

/**
 * An object that reads its settings from a configuration. A class named in the configuration that
 * implements this interface gets the node that names it, right after it was created and before any
 * other call.
 */
public interface Configurable {
  /**
   * Reads the settings.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException a setting is not valid; create
   *     it with {@link ConfigNode#error(String, String)}
   */
  void configure(ConfigNode node);
}
