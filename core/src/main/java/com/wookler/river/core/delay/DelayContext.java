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

/**
 * The queue around its delayed messages.
 *
 * @param queue its name
 * @param identity its UUID
 * @param directory of the files
 * @param log of the queue
 * @param time its clock
 * @param queueParts what else of it is needed
 */
public record DelayContext(
    String queue,
    UUID identity,
    Path directory,
    BlockLog log,
    TimeSource time,
    QueueParts queueParts) {

  /** Implemented by the queue; thread-safe. */
  public interface QueueParts {
    /** Has the log forced and then {@link Delays#flush} called, soon, on the flusher. */
    void flushSoon();

    /** Where the log goes on behind damage; the same sequence if that cannot be told. */
    long passOver(long sequence);

    /** Returns whether what is damaged is passed over; else it stands still before it. */
    boolean passesDamage();

    /** Reports messages that damage has taken. */
    void lost(Damage damage);

    /** Returns the message as the log or a backup has it, null if neither does. */
    @Nullable StoredMessage original(long sequence);

    /** Shows all messages of the backups and the log, in order; what is damaged is left out. */
    void readAll(Consumer<StoredMessage> sink);

    /** Returns whether files of delayed messages were begun, so that they must be there. */
    boolean hasFiles();

    /** Notes, on the device, that files of delayed messages are there from now on. */
    void begunFiles() throws IOException;

    /** Counts messages that were due. */
    void delivered(long messages);
  }

  /** Numbers no block: what is lost was in a file of this package. */
  static final int NO_BLOCK = -1;

  /** Stands for the sequence of a message of which nothing is left. */
  static final long UNKNOWN = -1;

  /** Reports messages whose bytes are lost. */
  void lost(Path file, long first, long messages, long from, long to) {
    queueParts.lost(new Damage(NO_BLOCK, file, first, first + messages, from, to));
  }
}
