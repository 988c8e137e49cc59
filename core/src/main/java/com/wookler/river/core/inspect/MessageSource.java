package com.wookler.river.core.inspect;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.log.Gaps;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * All messages that can be proven of a queue's directory, or of a directory of backups, in the
 * order of their sequences. Reads only, a document at a time, also while the queue is open.
 */
public interface MessageSource {
  /** Where the messages go. */
  interface Sink {
    /**
     * Messages in a row, of one document: all of it, or a part.
     *
     * @return whether to go on
     */
    boolean messages(List<StoredMessage> run) throws IOException;

    /** Sequences that cannot be proven, in the order of the messages; the place is why. */
    void lost(Lost lost);
  }

  /**
   * Sequences that cannot be proven.
   *
   * @param first of them
   * @param last of them
   * @param why file, block, offset and what stands there
   */
  record Lost(long first, long last, Finding why) {
    /** Returns how many. */
    public long count() {
      return last - first + 1;
    }

    /** As a log that lacks them records it, found now. */
    Gaps.Gap asGap(int block) {
      return new Gaps.Gap(first, last + 1, TimeSource.system().epochMicros(), block, true);
    }

    @Override
    public String toString() {
      return "lost: sequences " + first + " to " + last + " (" + why + ")";
    }
  }

  /** Identity of the queue. */
  UUID queue();

  /** Name of the queue; empty if its files don't tell. */
  String name();

  /** Returns the subscribers' directory beside the messages; null where there is none. */
  @Nullable Path subscribers();

  /**
   * Walks through the messages from one sequence up to and with another.
   *
   * @throws IOException a file cannot be read
   */
  void walk(long from, long to, Sink sink, Progress progress) throws IOException;

  /** Returns whether this is the directory of a queue, sound or not. */
  static boolean isQueue(Path directory) {
    return QueueDirectory.is(directory);
  }

  /**
   * Returns the source in a directory.
   *
   * @param id which queue's backups, if there are those of several; null for the only one
   * @throws ConfigurationException it holds neither a queue nor backups, or those of several
   */
  static MessageSource of(Path directory, @Nullable UUID id) throws IOException {
    if (QueueDirectory.is(directory)) {
      return LogSource.of(directory);
    }
    if (!Files.isDirectory(directory)) {
      throw WrongDirectoryErrors.neither(directory);
    }
    return BackupSource.of(directory, id);
  }
}
