package com.wookler.river.rest.server;

import com.wookler.river.common.errors.ConfigurationException;
import java.time.Duration;

/**
 * What a server takes at most.
 *
 * @param bodyBytes of a request
 * @param connections at the same time
 * @param connectionsPerAddress of them, from one address
 * @param requests under way at the same time, but for those that wait
 * @param waiting long polls and streams at the same time
 * @param bufferedBytes in memory, of bodies and answers together
 * @param bodyRate bytes a second that a body brings at least
 * @param idle how long a connection may be without a request
 * @param request how long a request may take to arrive
 */
record ServerLimits(
    long bodyBytes,
    int connections,
    int connectionsPerAddress,
    int requests,
    int waiting,
    long bufferedBytes,
    long bodyRate,
    Duration idle,
    Duration request) {
  private static final int HEAP_PART = 4;

  static final ServerLimits DEFAULT =
      new ServerLimits(
          1 << 20,
          20_000,
          10_000,
          1_000,
          20_000,
          Runtime.getRuntime().maxMemory() / HEAP_PART,
          1 << 10,
          Duration.ofSeconds(60),
          Duration.ofSeconds(30));

  private static final long MOST_BODY_BYTES = 128 << 20;
  private static final int BODIES = 4;

  /** Of method, path and query together. */
  static final int LINE_BYTES = 16 << 10;

  /** Of all headers together. */
  static final int HEADER_BYTES = 16 << 10;

  /** Refuses what would let nothing in. */
  void check() {
    check("server.max.connections", connections);
    check("server.max.connections.per.address", connectionsPerAddress);
    check("server.max.requests", requests);
    check("server.max.waiting", waiting);
    check("server.max.buffered.bytes", bufferedBytes);
    check("server.min.body.rate", bodyRate);
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
    if (bufferedBytes / BODIES < bodyBytes) {
      throw new ConfigurationException(
          "server.max.buffered.bytes is "
              + bufferedBytes
              + ", in which fewer than "
              + BODIES
              + " bodies of server.max.body.bytes, "
              + bodyBytes
              + ", have room: allow smaller bodies, more buffered bytes or, as these are a"
              + " quarter of the heap unless they are set, a larger heap");
    }
  }

  private static void check(String setting, long value) {
    if (value < 1) {
      throw new ConfigurationException(setting + " is " + value + "; it must be positive");
    }
  }

  ServerLimits withBodyBytes(long bytes) {
    return new ServerLimits(
        bytes,
        connections,
        connectionsPerAddress,
        requests,
        waiting,
        bufferedBytes,
        bodyRate,
        idle,
        request);
  }

  ServerLimits withConnections(int number) {
    return new ServerLimits(
        bodyBytes,
        number,
        connectionsPerAddress,
        requests,
        waiting,
        bufferedBytes,
        bodyRate,
        idle,
        request);
  }

  ServerLimits withConnectionsPerAddress(int number) {
    return new ServerLimits(
        bodyBytes, connections, number, requests, waiting, bufferedBytes, bodyRate, idle, request);
  }

  ServerLimits withRequests(int number) {
    return new ServerLimits(
        bodyBytes,
        connections,
        connectionsPerAddress,
        number,
        waiting,
        bufferedBytes,
        bodyRate,
        idle,
        request);
  }

  ServerLimits withWaiting(int number) {
    return new ServerLimits(
        bodyBytes,
        connections,
        connectionsPerAddress,
        requests,
        number,
        bufferedBytes,
        bodyRate,
        idle,
        request);
  }

  ServerLimits withBufferedBytes(long bytes) {
    return new ServerLimits(
        bodyBytes,
        connections,
        connectionsPerAddress,
        requests,
        waiting,
        bytes,
        bodyRate,
        idle,
        request);
  }

  ServerLimits withBodyRate(long bytes) {
    return new ServerLimits(
        bodyBytes,
        connections,
        connectionsPerAddress,
        requests,
        waiting,
        bufferedBytes,
        bytes,
        idle,
        request);
  }

  ServerLimits withIdle(Duration time) {
    return new ServerLimits(
        bodyBytes,
        connections,
        connectionsPerAddress,
        requests,
        waiting,
        bufferedBytes,
        bodyRate,
        time,
        request);
  }

  ServerLimits withRequest(Duration time) {
    return new ServerLimits(
        bodyBytes,
        connections,
        connectionsPerAddress,
        requests,
        waiting,
        bufferedBytes,
        bodyRate,
        idle,
        time);
  }
}
