package com.wookler.river.core.log;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogMarks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads the files beside a log's blocks, and changes nothing; also while the log is in use.
 *
 * @param marks file of the marks
 * @param marksFault what is wrong with it; empty if nothing is
 * @param end the log held all below this sequence, or a power loss has taken it
 * @param forced the log held all below this sequence on the device
 * @param gapsFile file of the gaps
 * @param gapsFault what is wrong with it; empty if nothing is
 * @param gaps what is known to be lost
 */
public record SideFiles(
    Path marks,
    Optional<String> marksFault,
    long end,
    long forced,
    Path gapsFile,
    Optional<String> gapsFault,
    Gaps gaps) {

  public static final String RECORD = DamageLog.NAME;

  private static final int TRIES = 20;
  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Looks into the directory of a log. */
  public static SideFiles of(Path log, UUID queue) throws IOException {
    Path marks = log.resolve(LogMarks.NAME);
    boolean exists = Files.isRegularFile(marks, LinkOption.NOFOLLOW_LINKS);
    LogMarks.Look look = look(marks, queue);
    for (int i = 0; i < TRIES && exists && !look.whole(); i++) { // an append may be storing one
      LockSupport.parkNanos(marks, BETWEEN_NANOS);
      look = look(marks, queue);
    }
    Optional<String> fault = Optional.empty();
    if (!look.whole()) {
      String wrong = look.sound() ? LogMarks.ONE_SLOT : "its checks are wrong";
      fault = Optional.of(exists ? wrong : "is missing");
    }
    Path file = log.resolve(Gaps.NAME);
    Optional<String> gapsFault = Optional.empty();
    Gaps gaps = new Gaps(List.of());
    try {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        gaps = Gaps.look(file, queue);
      }
    } catch (DamagedException e) {
      gapsFault = Optional.of(ContentCheck.text(e));
    }
    return new SideFiles(marks, fault, look.end(), look.forced(), file, gapsFault, gaps);
  }

  /** Returns what is wrong with the record of damage of a queue; empty if nothing is. */
  public static Optional<String> recordFault(Path queue) throws IOException {
    List<Integer> broken = new ArrayList<>();
    new DamageLog(queue, "").read(broken);
    return broken.isEmpty()
        ? Optional.empty()
        : Optional.of("lines " + broken + " are torn or damaged and do not count");
  }

  private static LogMarks.Look look(Path marks, UUID queue) throws IOException {
    byte[] none = {};
    boolean exists = Files.isRegularFile(marks, LinkOption.NOFOLLOW_LINKS);
    return LogMarks.look(exists ? Files.readAllBytes(marks) : none, queue);
  }

  /** Returns the sequence below which all was taken out of the log, and nothing above, if known. */
  public OptionalLong removed(UUID queue) throws IOException {
    if (marksFault.isPresent()) {
      return OptionalLong.empty();
    }
    return LogMarks.look(Files.readAllBytes(marks), queue).removed();
  }

  /** Writes what belongs beside the blocks of a log made of messages that had sequences already. */
  public static void write(
      Path log, UUID queue, long nextSequence, int newestBlock, List<Gaps.Gap> lost)
      throws IOException {
    LogMarks.write(log, queue, nextSequence, newestBlock);
    if (!lost.isEmpty()) {
      new Gaps(lost).write(log, queue);
    }
  }
}
