package com.wookler.river.rest.server;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a server is started with where there is no file: each as a flag of the command line, {@code
 * --tls-key}, or as an environment variable, {@code RIVER_TLS_KEY}. The command line wins.
 */
enum ServerFlag {
  CONFIG,
  HOST,
  PORT,
  DATA,
  BACKUP,
  SNAPSHOTS,
  KEYS,
  TLS_CERT,
  TLS_KEY,
  CLIENT_CA,
  ALLOWED_HOSTS,
  HEALTH_PORT,
  MEMCACHE,
  INSECURE;

  private static final String TRUE = "true";

  /** Returns the flag of the command line. */
  String flag() {
    return "--" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the environment variable. */
  String variable() {
    return "RIVER_" + name();
  }

  /** Returns whether the flag has no value; the variable is {@code true} then, or {@code false}. */
  boolean isSwitch() {
    return this == INSECURE;
  }

  /**
   * Adds what the environment says and the command line does not. An empty variable counts as one
   * that is not set, an empty flag is refused. Without a file: a variable beside {@code --config}
   * would have no effect, so it is refused as a flag is.
   */
  static Map<ServerFlag, String> completed(
      Map<ServerFlag, String> given, Map<String, String> environment) {
    Map<ServerFlag, String> all = new EnumMap<>(ServerFlag.class);
    for (ServerFlag each : values()) {
      String value = given.get(each);
      String variable = environment.get(each.variable());
      if (value != null) {
        each.ensureGiven(value);
        if (!(each.isSwitch() && isOff(value))) {
          all.put(each, value);
        }
      } else if (variable != null
          && !variable.isEmpty()
          && !each.isServiceLink(variable)
          && !(each.isSwitch() && isOff(variable))) {
        if (each.isSwitch() && !variable.equals(TRUE)) {
          throw new ConfigurationException(
              each.variable() + " is '" + variable + "', neither true nor false");
        }
        all.put(each, variable);
      }
    }
    checkConfig(all, given);
    return all;
  }

  /** Refuses the empty value of a flag, which a shell makes of a variable that is not set. */
  private void ensureGiven(String value) {
    if (value.isBlank()) {
      throw new ConfigurationException(
          flag() + " is empty; give it a value, or leave it out for its default");
    }
  }

  private static boolean isOff(String value) {
    return value.equals("false");
  }

  /**
   * Returns whether Kubernetes has set the variable: in each pod it names the address of a service
   * {@code river} in {@code RIVER_PORT}.
   */
  private boolean isServiceLink(String variable) {
    return (this == PORT || this == HEALTH_PORT) && variable.startsWith("tcp://");
  }

  private static void checkConfig(Map<ServerFlag, String> all, Map<ServerFlag, String> given) {
    if (!all.containsKey(CONFIG)) {
      return;
    }
    for (ServerFlag each : all.keySet()) {
      if (each != CONFIG) {
        throw new ConfigurationException(
            "%s cannot be combined with %s; set it in that file"
                .formatted(
                    given.containsKey(each) ? each.flag() : each.variable(),
                    given.containsKey(CONFIG) ? CONFIG.flag() : CONFIG.variable()));
      }
    }
  }

  /**
   * Returns a port.
   *
   * @throws ConfigurationException it is none
   */
  int port(String value) {
    try {
      int port = Integer.parseInt(value.trim());
      if (port >= 0 && port <= 0xFFFF) {
        return port;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new ConfigurationException(
        "%s (%s) is '%s', not a port from 0 to 65535".formatted(flag(), variable(), value));
  }
}
