package com.wookler.river.rest.client;

import java.net.URI;
import java.util.concurrent.TimeUnit;

/** One server of a client. Thread-safe. */
final class Server {
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final URI base;
  private final String prefix;
  private volatile long restsUntil = Ticker.nanos(); // written by any thread; the last one counts

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

  /** It could not be reached: others come first for a second. */
  void refused() {
    restsUntil = Ticker.nanos() + REST_NANOS;
  }

  void answered() {
    restsUntil = Ticker.nanos();
  }

  boolean rests() {
    return restsUntil - Ticker.nanos() > 0;
  }

  @Override
  public String toString() {
    return prefix;
  }
}
