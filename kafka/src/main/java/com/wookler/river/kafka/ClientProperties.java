package com.wookler.river.kafka;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.errors.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.ConfigException;

/** What holds for the properties of all of Kafka's clients. */
final class ClientProperties {
  private static final String REQUEST = CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG;
  private static final String CALL = CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG;
  private static final int DEFAULT_MILLIS = 10_000;

  private ClientProperties() {}

  /**
   * Refuses properties that River sets.
   *
   * @param owner what sets them, in the text of the error
   * @throws ConfigurationException one is given
   */
  static void refuse(Map<String, ?> given, List<String> own, String owner) {
    for (String name : own) {
      if (given.containsKey(name)) {
        throw new ConfigurationException(
            "the property " + name + " of Kafka is set by the " + owner + "; leave it out");
      }
    }
  }

  /**
   * Returns what Kafka makes of properties.
   *
   * @throws ConfigurationException it refuses them
   */
  @CanIgnoreReturnValue
  static <T> T accepted(Supplier<T> use) {
    try {
      return use.get();
    } catch (ConfigException e) {
      throw new ConfigurationException("Kafka refuses its properties: " + e.getMessage(), e);
    }
  }

  /** Adds the timeouts that are not given, so that a call does not end before its request. */
  static void completeTimeouts(Map<String, Object> properties) {
    Object request = properties.get(REQUEST);
    Object call = properties.get(CALL);
    if (request == null) {
      properties.put(
          REQUEST, call == null ? DEFAULT_MILLIS : Math.min(DEFAULT_MILLIS, number(call)));
    }
    if (call == null) {
      properties.put(
          CALL, request == null ? DEFAULT_MILLIS : Math.max(DEFAULT_MILLIS, number(request)));
    }
  }

  /**
   * Checks the timeouts that are given, which are numbers.
   *
   * @throws ConfigurationException a call would end before its request
   */
  static void checkTimeouts(Map<String, Object> properties) {
    Object request = properties.get(REQUEST);
    Object call = properties.get(CALL);
    if (request != null && call != null && number(call) < number(request)) {
      throw new ConfigurationException(
          "Kafka's property %s is %s, less than %s, which is %s; set it to that at least"
              .formatted(CALL, call, REQUEST, request));
    }
  }

  private static int number(Object value) {
    return Integer.parseInt(value.toString().trim());
  }
}
