package com.wookler.river.rest.client;

import java.net.URI;
import java.util.concurrent.TimeUnit;

/** One server of a client. Thread-safe. */
final class Server {
  private static final long BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final URI base;
  private final String prefix;
  private volatile long backOffUntil = Ticker.nanos(); // written by any thread; the last one counts

  Server(URI base) {
    this.base = base;
    String text = base.toString();
    this.prefix = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  URI base() {
    return base;
  }

  URI at(String path) {
    return URI.create(prefix + path);
  }

  /** Records that the server could not be reached: other servers are preferred for a second. */
  void markUnreachable() {
    backOffUntil = Ticker.nanos() + BACK_OFF_NANOS;
  }

  void markReachable() {
    backOffUntil = Ticker.nanos();
  }

  boolean isBackingOff() {
    return backOffUntil - Ticker.nanos() > 0;
  }

  @Override
  public String toString() {
    return prefix;
  }
}
