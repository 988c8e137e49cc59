package com.wookler.river.common.errors;

import java.io.Serial;

/**
 * A configuration that cannot be used. The message names the file, the line, the element and, where
 * there is one, the parameter, together with the value found and what is allowed.
 */
public class ConfigurationException extends RiverException {
  @Serial private static final long serialVersionUID = 1L;

  /** An error with its place in the configuration. */
  public ConfigurationException(String message) {
    super(message);
  }

  /** An error with its place in the configuration, and the failure underneath. */
  public ConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
