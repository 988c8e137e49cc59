package com.wookler.river.common;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;

/**
 * Which application, where, since when; it stands before each line of counters and heartbeats.
 *
 * @param name the application's name ({@code app.name})
 * @param ip this host's address
 * @param host this host's name; the address if it has none
 * @param startTime when the environment was created
 */
public record ApplicationInfo(String name, String ip, String host, Instant startTime) {

  /** The application of this name on this host. */
  static ApplicationInfo of(String name, Instant startTime) {
    try {
      InetAddress local = InetAddress.getLocalHost();
      return new ApplicationInfo(name, local.getHostAddress(), local.getHostName(), startTime);
    } catch (UnknownHostException e) {
      // A host that cannot resolve its own name: containers often.
      InetAddress loopback = InetAddress.getLoopbackAddress();
      return new ApplicationInfo(
          name, loopback.getHostAddress(), loopback.getHostName(), startTime);
    }
  }

  /** As the log shows it, the start time in milliseconds since 1970-01-01T00:00Z. */
  @Override
  public String toString() {
    return "[APP INFO: [APP NAME:%s][IP:%s][HOSTNAME:%s][START TIME:%d]]"
        .formatted(name, ip, host, startTime.toEpochMilli());
  }
}
