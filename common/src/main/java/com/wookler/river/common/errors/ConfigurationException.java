package com.wookler.river.common.errors;

import java.io.Serial;

/**
 * Thrown when a configuration is not valid. The message names the file, the line, the element and,
 * if there is one, the parameter, together with the value found and what is allowed.
 */
public class ConfigurationException extends RiverException {
  @Serial private static final long serialVersionUID = 1L;

  /** Creates an error; the message contains its location in the configuration. */
  public ConfigurationException(String message) {
    super(message);
  }

  /** Creates an error with its cause; the message contains its location in the configuration. */
  public ConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
