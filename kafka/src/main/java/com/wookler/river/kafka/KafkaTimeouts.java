package com.wookler.river.kafka;

import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.ConfigException;

/** How long clients of a source wait for brokers. */
final class KafkaTimeouts {
  private static final String REQUEST = CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG;
  private static final String CALL = CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG;
  private static final int DEFAULT_MILLIS = 10_000;

  private KafkaTimeouts() {}

  /** Adds those that are not given, so that a call does not end before its request. */
  static void complete(Map<String, Object> properties) {
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
   * Checks those that are given.
   *
   * @throws ConfigException a call would end before its request
   */
  static void check(Map<String, Object> properties) {
    Object request = properties.get(REQUEST);
    Object call = properties.get(CALL);
    if (request != null && call != null && number(call) < number(request)) {
      throw new ConfigException(CALL, call, "it is less than " + REQUEST + ", " + request);
    }
  }

  private static int number(Object value) {
    return Integer.parseInt(value.toString().trim());
  }
}
