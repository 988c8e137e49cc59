package com.wookler.river.rest.server;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.settings.Settings;
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
  private static final int BODIES = 4;

  /** Of method, path and query together. */
  static final int LINE_BYTES = 16 << 10;

  /** Of all headers together. */
  static final int HEADER_BYTES = 16 << 10;

  /**
   * Takes the limits from the settings.
   *
   * @throws ConfigurationException they would let nothing in
   */
  static ServerLimits of(Settings settings) {
    ServerLimits limits =
        new ServerLimits(
            settings.get(ServerOptions.MAX_BODY_BYTES),
            settings.number(ServerOptions.MAX_CONNECTIONS),
            settings.number(ServerOptions.MAX_CONNECTIONS_PER_ADDRESS),
            settings.number(ServerOptions.MAX_REQUESTS),
            settings.number(ServerOptions.MAX_WAITING),
            settings.get(ServerOptions.MAX_BUFFERED_BYTES),
            settings.get(ServerOptions.MIN_BODY_RATE),
            settings.get(ServerOptions.IDLE_TIMEOUT),
            settings.get(ServerOptions.REQUEST_TIMEOUT));
    limits.check();
    return limits;
  }

  private void check() {
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
}
