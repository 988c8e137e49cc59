package com.wookler.river.kafka;

import com.wookler.river.common.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * One forwarder that has been started, as it names itself in the metadata of its position, so that
 * one that it shuts out can say who did.
 *
 * @param text a token that no other has, and words for people
 */
record Owner(String text) {
  static Owner of(TimeSource time) {
    return new Owner(
        "river %s host %s process %d started %s"
            .formatted(UUID.randomUUID(), host(), ProcessHandle.current().pid(), time.wallTime()));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }

  /** Returns whether a position was committed by another forwarder. */
  boolean isOther(String metadata) {
    return !metadata.isEmpty() && !metadata.equals(text);
  }
}
