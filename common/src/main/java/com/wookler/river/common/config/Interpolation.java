package com.wookler.river.common.config;

import java.util.Map;
import org.apache.commons.configuration2.interpol.ConfigurationInterpolator;
import org.apache.commons.configuration2.interpol.DefaultLookups;

/**
 * Replaces {@code ${sys:…}} and {@code ${env:…}}. No other lookup is registered, so that a
 * configuration cannot read files or reach hosts.
 */
final class Interpolation {
  private final ConfigurationInterpolator interpolator = new ConfigurationInterpolator();

  Interpolation() {
    interpolator.registerLookups(
        Map.of(
            DefaultLookups.SYSTEM_PROPERTIES.getPrefix(),
            DefaultLookups.SYSTEM_PROPERTIES.getLookup(),
            DefaultLookups.ENVIRONMENT.getPrefix(),
            DefaultLookups.ENVIRONMENT.getLookup()));
  }

  /**
   * Returns the text with its variables replaced.
   *
   * @throws IllegalArgumentException a variable is not set
   */
  String resolve(String text) {
    if (!text.contains("${")) {
      return text;
    }
    Object resolved;
    try {
      resolved = interpolator.interpolate(text);
    } catch (IllegalStateException e) {
      throw new IllegalArgumentException("the variables in '" + text + "' go round in circles", e);
    }
    if (resolved == null || resolved.toString().contains("${")) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' holds a variable that is not set; use ${sys:name} for a system property,"
              + " ${env:name} for the environment, ${env:name:-default} with a default");
    }
    return resolved.toString();
  }
}
