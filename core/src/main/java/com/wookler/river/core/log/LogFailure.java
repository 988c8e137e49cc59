package com.wookler.river.core.log;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueFailedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What ended a log's life: the first thing that failed. Thread-safe. */
final class LogFailure {
  private static final Logger LOG = LoggerFactory.getLogger(LogFailure.class);

  private final String queue;
  private final Path directory;
  private volatile @Nullable Throwable cause; // set once, by whoever failed first
  private volatile @Nullable NotNowException waiting; // why nothing could be forced the last time

  LogFailure(LogSettings settings) {
    this.queue = settings.queue();
    this.directory = settings.directory();
  }

  boolean isThere() {
    return cause != null;
  }

  Optional<Throwable> cause() {
    return Optional.ofNullable(cause);
  }

  /** Something failed; the log takes no more messages. Returns what to tell who wanted it. */
  QueueFailedException set(String doing, Throwable because) {
    String text = "queue " + queue + " has failed: cannot " + doing + ": " + because + remedy();
    if (cause == null) {
      cause = because;
      LOG.error("{}", text, because);
    }
    return new QueueFailedException(text, because);
  }

  /** Something that may fail. */
  @FunctionalInterface
  interface Attempt {
    void run() throws IOException;
  }

  /**
   * Tries something, unless something failed before; if it fails, that is the log's end, and not
   * thrown: a pool would swallow it. What could not be begun is left to the next time.
   */
  void unlessFails(String doing, Attempt attempt) {
    if (isThere()) {
      return;
    }
    try {
      attempt.run();
      waiting = null;
    } catch (NotNowException e) {
      if (waiting == null) {
        LOG.warn("Queue {}: cannot {} now, trying again: {}", queue, doing, e.getMessage());
      }
      waiting = e;
    } catch (Throwable e) {
      set(doing, e);
    }
  }

  /**
   * Refuses a message.
   *
   * @throws QueueFailedException something has failed
   */
  void refuse() {
    Throwable because = cause;
    if (because != null) {
      throw new QueueFailedException(
          "queue " + queue + " has failed and takes no messages: " + because + remedy(), because);
    }
  }

  /** What to tell those whose message may not be on the device. */
  RiverException notForced() {
    NotNowException passing = waiting;
    if (cause == null && passing != null) {
      return new RiverException(
          "queue "
              + queue
              + ": the messages are in the log, but could not be forced to the device yet; the queue"
              + " goes on trying: "
              + passing.getMessage(),
          passing);
    }
    String text = "queue " + queue + " has failed, its messages may not be on disk";
    Throwable because = cause;
    return because == null
        ? new QueueFailedException(text)
        : new QueueFailedException(text + ": " + because + remedy(), because);
  }

  private String remedy() {
    return ". It takes no more messages; free or repair the disk that has "
        + directory
        + ", then reopen the queue";
  }
}
