package com.wookler.river.common.config;

import com.wookler.river.common.errors.ConfigurationException;
import java.nio.file.Path;

/** Reads configuration files. */
public final class ConfigParser {
  private ConfigParser() {}

  /**
   * Reads a file.
   *
   * @return its root element
   * @throws ConfigurationException if it cannot be read or used
   */
  public static ConfigNode parse(Path file) {
    throw new ConfigurationException("Cannot read " + file);
  }
}
