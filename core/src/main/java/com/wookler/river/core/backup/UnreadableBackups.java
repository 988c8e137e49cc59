package com.wookler.river.core.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports backups that exist and cannot be read now, for want of descriptors or permission, or
 * because of a bad sector: to each caller, and in the log once a minute a file.
 *
 * <p>That is not called damage: a disk for backups is often a removable or remote one, and can be
 * read again later. If it counted as damage, every subscriber that reads these messages meanwhile
 * would skip them for good. So a subscriber waits, and the text says how to let it continue. A
 * block of the log itself is on the queue's own disk; there what cannot be read is lost.
 *
 * <p>Thread-safe.
 */
final class UnreadableBackups {
  private static final Logger LOG = LoggerFactory.getLogger(UnreadableBackups.class);
  private static final int MOST = 1_000; // files that are remembered

  private final String queue;
  private final TimeSource time;

  @GuardedBy("this")
  private final Map<Path, RateLimitedLog> logged = new HashMap<>();

  UnreadableBackups(String queue, TimeSource time) {
    this.queue = queue;
    this.time = time;
  }

  /** Returns the exception to throw; logs it unless that was done within the last minute. */
  RiverException failure(Path file, IOException e) {
    String text =
        String.format(
            "queue %s: backup %s cannot be read now, the next call tries again: %s",
            queue, file, e.getMessage());
    if (mayLog(file)) {
      LOG.warn(
          "{}. Subscribers that read there wait: nothing counts as lost. Repair the disk; or replace"
              + " the file by a copy without what cannot be read, or remove it with its seal: what"
              + " is lost then is treated as queue.on.damage says",
          text);
    }
    return new RiverException(text, e);
  }

  private synchronized boolean mayLog(Path file) {
    if (logged.size() >= MOST && !logged.containsKey(file)) {
      logged.clear();
    }
    return logged.computeIfAbsent(file, each -> new RateLimitedLog(time)).mayLog();
  }
}
