package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.NotNowException;
import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.message.QueueFailedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the first failure of a log, after which it takes no more messages. Thread-safe. */
final class LogFailure {
  private static final Logger LOG = LoggerFactory.getLogger(LogFailure.class);

  private final String queue;
  private final Path directory;
  private final OwnershipCheck ownershipCheck;
  private volatile @Nullable First first; // set once, by the first failure
  private volatile @Nullable String lost; // why nothing more may be written; set before first
  private volatile @Nullable NotNowException waiting; // why nothing could be forced the last time

  @GuardedBy("this")
  private final RateLimitedLog said;

  /** The first thing that failed: what could not be done, and why. */
  private record First(String what, Throwable cause) {}

  LogFailure(LogSettings settings) {
    this.queue = settings.queue();
    this.directory = settings.directory();
    this.ownershipCheck = settings.ownershipCheck();
    this.said = new RateLimitedLog(settings.time());
  }

  boolean isThere() {
    return first != null;
  }

  Optional<Throwable> cause() {
    return Optional.ofNullable(first).map(First::cause);
  }

  /** Records a failure; the log takes no more messages. Returns the exception for the caller. */
  QueueFailedException set(String doing, Throwable error) {
    Throwable because = error instanceof InternalError fault ? unwritable(fault) : error;
    Optional<String> why = isThere() ? Optional.empty() : ownershipCheck.lost();
    if (why.isPresent()) { // the rest follows from it
      return lose(why.get());
    }
    String what = "cannot " + doing + ": " + because;
    String text = "queue " + queue + " has failed: " + what + remedy();
    if (first == null) {
      first = new First(what, because);
      LOG.error("{}", text, because);
    }
    return new QueueFailedException(text, because);
  }

  private IOException unwritable(InternalError fault) {
    return new IOException(
        "a mapped file in "
            + directory
            + " was cut by another program, or is on a volume that cannot be written: "
            + fault.getMessage(),
        fault);
  }

  /** Records that the directory no longer belongs to this process: nothing may be written. */
  QueueFailedException lose(String why) {
    String text = "queue " + queue + ": " + why;
    QueueFailedException failed = new QueueFailedException(text);
    if (lost == null) {
      lost = text;
      LOG.error("{}", text);
    }
    if (first == null) {
      first = new First(text, failed);
    }
    return failed;
  }

  /** Returns whether the directory does not belong to this process any more. */
  boolean isLost() {
    return lost != null;
  }

  @FunctionalInterface
  interface Attempt {
    void run() throws IOException;
  }

  /**
   * Runs an attempt, unless the log has failed. A failure fails the log and is not thrown: a pool
   * would swallow it. What could not be begun is left to the next attempt.
   */
  void unlessFails(String doing, Attempt attempt) {
    if (isThere()) {
      return;
    }
    try {
      attempt.run();
    } catch (NotNowException e) {
      waits(doing, e);
    } catch (Throwable e) {
      set(doing, e);
    }
  }

  /** Logs that nothing can be forced now, at most every minute. */
  private synchronized void waits(String doing, NotNowException e) {
    if (waiting == null) {
      said.reset();
    }
    if (said.mayLog()) {
      LOG.warn("Queue {}: cannot {} now, trying again: {}", queue, doing, e.getMessage());
    }
    waiting = e;
  }

  /** Runs an attempt to force messages to the device, and fails the log if it fails. */
  void unlessForceFails(Attempt attempt) {
    unlessFails(
        "force its blocks to the device",
        () -> {
          attempt.run();
          waiting = null;
        });
  }

  /** Refuses to write to a directory that does not belong to this process. */
  void refuseLost() {
    String why = lost;
    if (why != null) {
      throw new QueueFailedException(why);
    }
  }

  /** Refuses a message if something has failed. */
  void refuse() {
    refuseLost();
    First failed = first;
    if (failed != null) {
      throw new QueueFailedException(
          "queue " + queue + " has failed and takes no messages: " + failed.what() + remedy(),
          failed.cause());
    }
  }

  /** Returns the exception for callers whose message may not be on the device. */
  RiverException notForced() {
    First failed = first;
    if (failed != null) {
      return new QueueFailedException(
          "queue "
              + queue
              + " has failed, its messages may not be on disk: "
              + failed.what()
              + remedy(),
          failed.cause());
    }
    String text =
        "queue "
            + queue
            + ": the messages are in the log, but could not be forced to the device yet; the queue"
            + " keeps trying as long as it is open";
    NotNowException passing = waiting; // null: another force was quicker
    return passing == null
        ? new RiverException(text)
        : new RiverException(text + ": " + passing.getMessage(), passing);
  }

  private String remedy() {
    return ". It takes no more messages; free or repair the disk that has "
        + directory
        + ", then reopen the queue";
  }
}
