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
 * Tells of backups that are there and cannot be read now, for want of descriptors or permission, or
 * because of a bad sector: to whoever asked, each time, and in the log, once a minute a file.
 *
 * <p>That is not called damage. Nothing is known of bytes that were not read: a disk for backups is
 * often one that is plugged in, or on a network, and gives them back when it is there again. Taken
 * for damage, they would be passed over for good by every subscriber that reads there meanwhile. So
 * such a subscriber waits, and the text says how to let it go on. A damaged block of the log itself
 * is on the queue's own disk, which its publishers need too; there what cannot be read is lost.
 *
 * <p>Thread-safe.
 */
final class UnreadableBackups {
  private static final Logger LOG = LoggerFactory.getLogger(UnreadableBackups.class);
  private static final int MOST = 1_000; // files that are remembered

  private final String queue;
  private final TimeSource time;

  @GuardedBy("this")
  private final Map<Path, RateLimitedLog> said = new HashMap<>();

  UnreadableBackups(String queue, TimeSource time) {
    this.queue = queue;
    this.time = time;
  }

  /** Returns what to throw; the log is told if it was not just now. */
  RiverException tell(Path file, IOException e) {
    String text =
        "queue "
            + queue
            + ": backup "
            + file
            + " cannot be read now, the next call tries again: "
            + e.getMessage();
    if (isNews(file)) {
      LOG.warn(
          "{}. Who reads there waits: nothing is taken for lost. Repair the disk; or put a copy of the"
              + " file in its place that was made around what cannot be read, or take it away with"
              + " its seal: what is gone then is treated as queue.on.damage says",
          text);
    }
    return new RiverException(text, e);
  }

  private synchronized boolean isNews(Path file) {
    if (said.size() >= MOST && !said.containsKey(file)) {
      said.clear();
    }
    return said.computeIfAbsent(file, each -> new RateLimitedLog(time)).mayLog();
  }
}
