package com.wookler.river.rest.server;

import java.time.Duration;

/**
 * What a server takes at most.
 *
 * @param bodyBytes of a request
 * @param headerBytes of a request
 * @param idle how long a connection may be silent
 */
record ServerLimits(long bodyBytes, int headerBytes, Duration idle) {
  static final ServerLimits DEFAULT = new ServerLimits(1 << 20, 16 << 10, Duration.ofSeconds(90));
}
