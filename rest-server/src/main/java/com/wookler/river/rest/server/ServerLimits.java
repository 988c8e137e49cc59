package com.wookler.river.rest.server;

import com.wookler.river.common.errors.ConfigurationException;
import java.time.Duration;

/**
 * What a server takes at most.
 *
 * @param bodyBytes of a request
 * @param connections at the same time
 * @param requests under way at the same time, but for those that wait
 * @param waiting long polls and streams at the same time
 * @param idle how long a connection may be without a request
 * @param request how long a request may take to arrive
 */
record ServerLimits(
    long bodyBytes, int connections, int requests, int waiting, Duration idle, Duration request) {
  static final ServerLimits DEFAULT =
      new ServerLimits(
          1 << 20, 20_000, 1_000, 20_000, Duration.ofSeconds(60), Duration.ofSeconds(30));

  private static final long MOST_BODY_BYTES = 128 << 20;

  /** Of method, path and query together. */
  static final int LINE_BYTES = 16 << 10;

  /** Of all headers together. */
  static final int HEADER_BYTES = 16 << 10;

  /** Refuses what would let nothing in. */
  void check() {
    check("server.max.connections", connections);
    check("server.max.requests", requests);
    check("server.max.waiting", waiting);
    check("server.idle.timeout in ms", idle.toMillis());
    check("server.request.timeout in ms", request.toMillis());
    check("server.max.body.bytes", bodyBytes);
    if (bodyBytes > MOST_BODY_BYTES) {
      throw new ConfigurationException(
          "server.max.body.bytes is "
              + bodyBytes
              + "; at most "
              + MOST_BODY_BYTES
              + " are allowed");
    }
  }

  private static void check(String setting, long value) {
    if (value < 1) {
      throw new ConfigurationException(setting + " is " + value + "; it must be positive");
    }
  }

  ServerLimits withBodyBytes(long bytes) {
    return new ServerLimits(bytes, connections, requests, waiting, idle, request);
  }

  ServerLimits withConnections(int number) {
    return new ServerLimits(bodyBytes, number, requests, waiting, idle, request);
  }

  ServerLimits withRequests(int number) {
    return new ServerLimits(bodyBytes, connections, number, waiting, idle, request);
  }

  ServerLimits withWaiting(int number) {
    return new ServerLimits(bodyBytes, connections, requests, number, idle, request);
  }

  ServerLimits withIdle(Duration time) {
    return new ServerLimits(bodyBytes, connections, requests, waiting, time, request);
  }

  ServerLimits withRequest(Duration time) {
    return new ServerLimits(bodyBytes, connections, requests, waiting, idle, time);
  }
}
