package com.wookler.river.examples.recipes;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An audit log: each change of a record is written down with who made it, and is on the device when
 * {@link #record} returns. All changes are kept for a time; of what is older, compaction leaves the
 * last change of each record, so that the log does not grow with its age.
 */
public final class AuditLog implements AutoCloseable {
  private static final String BY = "by";
  private static final int MOST = 1_000;

  private final MessageQueue<String> changes;

  /**
   * A change.
   *
   * @param at when it was recorded
   * @param by who made it
   * @param state of the record after it
   */
  public record Change(Instant at, String by, String state) {}

  /**
   * Opens the log.
   *
   * @param directory where it is
   * @param keepAll how long every change is kept
   */
  public AuditLog(Path directory, Duration keepAll) {
    changes =
        MessageQueue.builder("audit", MessageConverter.utf8())
            .directory(directory)
            .durability(Durability.DISK)
            .recycle(SizeBasedRecycle.ofMessages(1_000)) // a block is compacted when it is closed
            .keyIndex(true)
            .compact(true)
            .compactAge(keepAll)
            .open();
  }

  /** Records a change. */
  public void record(String id, String by, String state) {
    changes
        .publisher()
        .publish(Message.of(state).withKey(id).withHeader(BY, by.getBytes(StandardCharsets.UTF_8)));
  }

  /** Records that a record was deleted: after a day nothing of it is left in what is compacted. */
  public void forget(String id) {
    changes.publisher().publish(Message.of("").withKey(id));
  }

  /** Returns the last change of a record; empty if there is none, or it was deleted. */
  public Optional<Change> last(String id) {
    return changes.latest(id).map(AuditLog::change);
  }

  /** Returns the changes of a record that are kept, the oldest first, a thousand at most. */
  public List<Change> history(String id) {
    return changes.read(id, 0, MOST).stream().map(AuditLog::change).toList();
  }

  private static Change change(Delivery<String> found) {
    return new Change(found.publishedAt(), by(found.headers().get(BY)), found.data());
  }

  private static Change change(StoredMessage found) {
    return new Change(
        found.publishedAt(),
        by(found.headers().get(BY)),
        new String(found.data(), StandardCharsets.UTF_8));
  }

  private static String by(byte @Nullable [] name) {
    return name == null ? "" : new String(name, StandardCharsets.UTF_8);
  }

  /** Compacts now, which the queue does by itself in the background; returns how many left. */
  public long compact() {
    return changes.compact();
  }

  /** Ends; everything is on the device. */
  @Override
  public void close() {
    changes.close();
  }
}
