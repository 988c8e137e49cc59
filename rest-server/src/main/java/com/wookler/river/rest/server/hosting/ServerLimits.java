package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.errors.ConfigurationException;
import java.time.Duration;

/**
 * Limits of a server.
 *
 * @param bodyBytes largest body of a request
 * @param connections connections at the same time
 * @param connectionsPerAddress connections from one address
 * @param requests requests in progress, without those that wait for messages
 * @param waiting long polls and streams at the same time
 * @param bufferedBytes bodies and responses in memory together
 * @param bodyRate lowest rate of a body, in bytes per second
 * @param idle how long a connection may be without a request
 * @param request how long a request may take to arrive
 */
public record ServerLimits(
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

  /**
   * Checks that the limits are consistent.
   *
   * @throws ConfigurationException they are not
   */
  public void check() {
    if (bufferedBytes / BODIES < bodyBytes) {
      throw new ConfigurationException(
          "server.max.buffered.bytes is "
              + bufferedBytes
              + ", which is less than "
              + BODIES
              + " times server.max.body.bytes, "
              + bodyBytes
              + ": allow smaller bodies, more buffered bytes or, as these are a"
              + " quarter of the heap by default, a larger heap");
    }
  }
}
