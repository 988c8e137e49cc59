package com.wookler.river.tools.inspect;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * All valid messages of a queue's directory, or of a directory of backups, in the order of their
 * sequences. Reads only, a document at a time, also while the queue is open.
 */
public interface MessageSource {
  /** Takes the messages. */
  interface Sink {
    /**
     * Takes consecutive messages of one document: all of it, or a part.
     *
     * @return whether to continue
     */
    boolean messages(List<StoredMessage> run) throws IOException;

    /** Takes sequences without a valid message, in the order of the messages. */
    void lost(Lost lost);
  }

  /**
   * Sequences without a valid message.
   *
   * @param first of them
   * @param last of them
   * @param why what is damaged, and where
   */
  record Lost(long first, long last, Finding why) {
    /** Returns how many. */
    public long count() {
      return last - first + 1;
    }

    /** Returns the gap that a log records for them, found now. */
    Gaps.Gap asGap(int block) {
      return new Gaps.Gap(first, last + 1, TimeSource.system().epochMicros(), block, true);
    }

    @Override
    public String toString() {
      return "lost: sequences " + first + " to " + last + " (" + why + ")";
    }
  }

  /** Returns the identity of the queue. */
  UUID queue();

  /** Returns the name of the queue; empty if it is unknown. */
  String name();

  /** Returns the messages that were removed, which are not to be passed on; of backups none. */
  default SequenceRanges removed() throws IOException {
    return SequenceRanges.NONE;
  }

  /** Returns the subscribers' directory beside the messages; null where there is none. */
  @Nullable Path subscribers();

  /**
   * Walks through the messages from one sequence up to and with another.
   *
   * @throws IOException a file cannot be read
   */
  void walk(long from, long to, Sink sink, Progress progress) throws IOException;

  /**
   * Checks that a queue's directory to be written to is not the one that is read, nor in it.
   *
   * @throws ConfigurationException it is
   */
  static void checkTarget(Path target, Path from) throws IOException {
    WrongDirectoryErrors.refuseWithin(target, from);
  }

  /** Returns whether this is the directory of a queue, intact or not. */
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
