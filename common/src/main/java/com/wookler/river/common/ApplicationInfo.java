package com.wookler.river.common;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;

/**
 * Identifies the running application: name, host and start time. Each line of counters and
 * heartbeats begins with it.
 *
 * @param name the application's name ({@code app.name})
 * @param ip this host's address
 * @param host this host's name; the address if it has none
 * @param startTime when the environment was created
 */
public record ApplicationInfo(String name, String ip, String host, Instant startTime) {

  /** Returns the application of this name on this host. */
  static ApplicationInfo of(String name, Instant startTime) {
    try {
      InetAddress local = InetAddress.getLocalHost();
      return new ApplicationInfo(name, local.getHostAddress(), local.getHostName(), startTime);
    } catch (UnknownHostException e) {
      // The host cannot resolve its own name, which is common in containers.
      InetAddress loopback = InetAddress.getLoopbackAddress();
      return new ApplicationInfo(
          name, loopback.getHostAddress(), loopback.getHostName(), startTime);
    }
  }

  /** Returns the form in the log, with the start time in milliseconds since 1970-01-01T00:00Z. */
  @Override
  public String toString() {
    return "[APP INFO: [APP NAME:%s][IP:%s][HOSTNAME:%s][START TIME:%d]]"
        .formatted(name, ip, host, startTime.toEpochMilli());
  }
}
