package com.wookler.river.core.delay;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The queue as its delayed messages use it; {@code directory} is that of their files. */
public record DelayContext(
    String queue,
    UUID identity,
    Path directory,
    BlockLog log,
    TimeSource time,
    QueueParts queueParts) {

  /** Implemented by the queue; thread-safe. */
  public interface QueueParts {
    /** Requests that the flusher soon forces the log and then calls {@link Delays#flush}. */
    void flushSoon();

    /** Returns the sequence at which the log continues after damage; the same if it is unknown. */
    long passOver(long sequence);

    /** Returns whether damaged messages are passed over; else they wait. */
    boolean passesDamage();

    void lost(Damage damage);

    /** Returns the message as the log or a backup has it, null if neither does. */
    @Nullable StoredMessage original(long sequence);

    /** Passes all messages of the backups and the log in order, except damaged ones, to a sink. */
    void readAll(Consumer<StoredMessage> sink);

    /** Returns whether files of delayed messages were created, so that they must exist. */
    boolean hasFiles();

    /** Records, on the device, that files of delayed messages exist from now on. */
    void begunFiles() throws IOException;

    void delivered(long messages);
  }

  static final int NO_BLOCK = -1; // the block of a loss in a file of this package
  static final long UNKNOWN = -1; // the sequence of a message of which nothing is left

  /** Reports messages whose bytes are lost. */
  void lost(Path file, long first, long messages, long from, long to) {
    queueParts.lost(new Damage(NO_BLOCK, file, first, first + messages, from, to));
  }
}
