package com.wookler.river.core.log;

import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * What stands about a log beside its blocks, by a look that changes nothing; also while the log is
 * in use.
 *
 * @param marks file of the marks
 * @param marksFault what is wrong with it; empty if nothing is
 * @param torn whether a number in it has one of its two slots only, as a kill may leave it
 * @param end the log held all below this sequence, or a power loss has taken it
 * @param forced the log held all below this sequence on the device
 * @param gapsFile file of the gaps
 * @param gapsFault what is wrong with it; empty if nothing is
 * @param gaps what is known to be lost
 */
public record LogNotes(
    Path marks,
    Optional<String> marksFault,
    boolean torn,
    long end,
    long forced,
    Path gapsFile,
    Optional<String> gapsFault,
    Gaps gaps) {

  /** Looks into the directory of a log. */
  public static LogNotes of(Path log, UUID queue) throws IOException {
    Path marks = log.resolve(LogMarks.NAME);
    boolean exists = Files.isRegularFile(marks, LinkOption.NOFOLLOW_LINKS);
    byte[] none = {};
    LogMarks.Look look = LogMarks.look(exists ? Files.readAllBytes(marks) : none, queue);
    Optional<String> fault = Optional.empty();
    if (!look.sound()) {
      fault = Optional.of(exists ? "its checks are wrong" : "is missing");
    }
    Path file = log.resolve(Gaps.NAME);
    Optional<String> gapsFault = Optional.empty();
    Gaps gaps = new Gaps(List.of());
    try {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        gaps = Gaps.decode(Files.readAllBytes(file), queue);
      }
    } catch (DamagedMessageException e) {
      gapsFault = Optional.of(ContentCheck.text(e));
    }
    return new LogNotes(
        marks,
        fault,
        look.sound() && !look.whole(),
        look.end(),
        look.forced(),
        file,
        gapsFault,
        gaps);
  }

  /** All below it was taken out of the log by now, and nothing above; empty if not known. */
  public OptionalLong removed(UUID queue) throws IOException {
    if (marksFault.isPresent()) {
      return OptionalLong.empty();
    }
    return LogMarks.look(Files.readAllBytes(marks), queue).removed();
  }

  /**
   * Writes what belongs beside the blocks of a log that was made of messages which have their
   * sequences already.
   *
   * @param lost sequences that it does not have, in order
   */
  public static void write(
      Path log, UUID queue, long nextSequence, int newestBlock, List<Gaps.Gap> lost)
      throws IOException {
    LogMarks.write(log, queue, nextSequence, newestBlock);
    if (!lost.isEmpty()) {
      new Gaps(lost).write(log, queue);
    }
  }
}
