package com.wookler.river.core.log;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.message.QueueFullException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disk under a log: gives blocks space, but for the reserve, by writing zeros, the only thing
 * that all file systems keep; and knows whether publishers are refused. It is asked in steps, so
 * that no publish asks the system. Thread-safe; {@link #refused} and {@link #granted} are called
 * under the append lock.
 */
final class Volume {
  private static final Logger LOG = LoggerFactory.getLogger(Volume.class);

  private final LogSettings settings;
  private final Device device;

  // all guarded by BlockLog's append lock
  private boolean logged; // that the volume is full now
  private final RateLimitedLog limiter;
  private long refusals; // since the last line
  private volatile boolean full; // whether publishers are refused; written under the append lock
  private volatile @Nullable Shortage shortage; // the last one; written under the append lock

  Volume(LogSettings settings, Device device) {
    this.settings = settings;
    this.device = device;
    this.limiter = new RateLimitedLog(settings.time());
  }

  /** Fills a part of an existing file with zeros; a NoSpaceException may leave some of them. */
  void allocate(Path file, long from, long to) throws IOException {
    long reserve = settings.diskReserve();
    if (reserve > 0 && device.free(settings.directory()) - (to - from) < reserve) {
      throw new NoSpaceException("only the reserve is left");
    }
    allocateOfReserve(file, from, to);
  }

  /** Allocates a range of a file out of the reserve, for a write that frees space. */
  void allocateOfReserve(Path file, long from, long to) throws IOException {
    try {
      device.zero(file, from, to);
    } catch (IOException e) {
      throw device.isFull(e, settings.directory()) ? new NoSpaceException(text(e), e) : e;
    }
  }

  private static String text(IOException e) {
    return String.valueOf(e.getMessage());
  }

  /**
   * Returns the exception for a refused publisher, and notes that publishing has stopped. Logs and
   * reports that once a minute at most: small messages may fit where large ones are refused.
   */
  QueueFullException refused(NoSpaceException cause) {
    String text =
        String.format(
            Locale.ROOT,
            "queue %s: no space for more messages in %s: %,d bytes are free, %,d are kept in"
                + " reserve (queue.disk.reserve); nothing was stored. Free space on that disk, or"
                + " let subscribers complete messages; publishing continues by itself then",
            settings.queue(),
            settings.directory(),
            device.free(settings.directory()),
            settings.diskReserve());
    refusals++;
    full = true;
    Shortage before = shortage;
    if (!logged && limiter.mayLog()) {
      LOG.warn(
          "{} ({}); refused {} since the last such line",
          text,
          cause.getMessage(),
          Amount.of(refusals, "time"));
      logged = true;
      refusals = 0;
      shortage = new Shortage(before == null ? 1 : before.number() + 1, text);
    }
    return new QueueFullException(text, cause);
  }

  /** Notes that there is space for what publishers want now. */
  void granted() {
    full = false;
    if (logged) {
      logged = false;
      LOG.info(
          "Queue {}: there is space again in {}, publishing continues",
          settings.queue(),
          settings.directory());
    }
  }

  /** Returns whether the last publisher that needed space was refused. */
  boolean isShort() {
    return full;
  }

  /** Returns why publishers were refused the last time; empty if they never were. */
  Optional<Shortage> shortage() {
    return Optional.ofNullable(shortage);
  }
}
