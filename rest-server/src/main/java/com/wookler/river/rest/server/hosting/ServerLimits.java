package com.wookler.river.rest.server.hosting;

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
   * Checks that the limits let something in.
   *
   * @throws ConfigurationException they do not
   */
  public void check() {
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
