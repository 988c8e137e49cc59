package com.wookler.river.kafka;

import com.wookler.river.common.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One forwarder that has been started, as it names itself in the metadata of its position, so that
 * one that it shuts out can say who did. After the name comes when the last message before the
 * position was published, which differs in a copy of the queue that has another one there.
 */
final class Owner {
  private static final String LAST = " | last message published at microsecond ";

  private final String text; // a token that no other has, and words for people
  private boolean owns; // confined to the forwarder's thread

  Owner(String text) {
    this.text = text;
  }

  static Owner of(TimeSource time) {
    return new Owner(
        "river %s host %s process %d started %s"
            .formatted(token(), host(), ProcessHandle.current().pid(), time.wallTime()));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }

  /** Returns a text that is another one each time. */
  static String token() {
    return UUID.randomUUID().toString();
  }

  /** Returns what makes a message another one than that of a copy at the same place. */
  static String mark(Instant publishedAt) {
    return Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, publishedAt));
  }

  /**
   * Returns the metadata of a position.
   *
   * @param mark of the message before it; null if that is not known
   */
  String metadata(@Nullable String mark) {
    return mark == null ? text : text + LAST + mark;
  }

  /** Returns the name in the metadata of a position. */
  static String name(String metadata) {
    int at = metadata.indexOf(LAST);
    return at < 0 ? metadata : metadata.substring(0, at);
  }

  /** Returns the mark in the metadata of a position, or null if there is none. */
  static @Nullable String markIn(String metadata) {
    int at = metadata.indexOf(LAST);
    return at < 0 ? null : metadata.substring(at + LAST.length());
  }

  /** Returns whether a position was committed by another forwarder. */
  boolean isOther(String metadata) {
    return !metadata.isEmpty() && !name(metadata).equals(text);
  }

  /** Returns whether this forwarder has committed the position before. */
  boolean owns() {
    return owns;
  }

  void committed() {
    owns = true;
  }
}
