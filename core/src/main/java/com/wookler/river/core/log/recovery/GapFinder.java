package com.wookler.river.core.log.recovery;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.Gaps.Gap;
import com.wookler.river.core.log.files.LogDirectory;
import com.wookler.river.core.log.recovery.BlockContent.Hole;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the sequences that no block holds, by going through the blocks in order, and reports new
 * ones. After an opening that did not come to its end the result is the same: it follows from the
 * blocks and the marks.
 */
final class GapFinder {
  private static final Logger LOG = LoggerFactory.getLogger(GapFinder.class);

  private final LogDirectory log;
  private final TimeSource time;
  private final Gaps known;
  private final long forced;
  private final List<Gap> found = new ArrayList<>();
  private final List<Gap> unknown = new ArrayList<>();
  private long at; // all below it is held or found
  private int behind; // the block that holds what is before that

  /** For a log from this sequence on; what is missing below {@code forced} is damage. */
  GapFinder(LogDirectory log, TimeSource time, Gaps known, long forced, long from) {
    this.log = log;
    this.time = time;
    this.known = known;
    this.forced = forced;
    this.at = startOf(from);
  }

  /** Returns the start of the gaps that end there: a subscriber may be at that of the first. */
  private long startOf(long from) {
    long start = from;
    List<Gap> gaps = known.all();
    for (int i = gaps.size() - 1; i >= 0; i--) {
      if (gaps.get(i).end() >= start) {
        start = Math.min(start, gaps.get(i).first());
      }
    }
    return start;
  }

  /** Takes the next block, and what of it is lost. */
  void block(RecoveredBlock block, List<Hole> holes) {
    missing(block.firstSequence(), between(block.number() - 1), forced);
    for (Hole hole : holes) {
      at = Math.max(at, hole.first());
      missing(hole.end(), block.number(), hole.forced());
    }
    at = Math.max(at, block.endSequence());
    behind = block.number();
  }

  /** Ends the search: the log continues at this sequence, in the block after the newest. */
  void end(long nextSequence, int newest) {
    missing(nextSequence, between(newest), forced);
  }

  /** Returns the first missing block up to this one; the one before if none is missing. */
  private int between(int last) {
    return behind == 0 ? Math.max(1, last) : Math.min(behind + 1, last);
  }

  private void missing(long to, int block, long damaged) {
    for (Gap gap : known.all()) {
      if (at < to && gap.first() < to && gap.end() > at) {
        unknown(Math.max(at, gap.first()), block, damaged);
        found.add(gap.within(at, to));
        at = Math.min(to, gap.end());
      }
    }
    unknown(to, block, damaged);
  }

  private void unknown(long to, int block, long damaged) {
    if (at < Math.min(to, damaged)) {
      add(Math.min(to, damaged), block, true);
    }
    if (at < to) {
      add(to, block, false);
    }
  }

  private void add(long to, int block, boolean damaged) {
    Gap gap = new Gap(at, to, time.epochMicros(), block, damaged);
    found.add(gap);
    unknown.add(gap);
    at = to;
  }

  /** Returns all gaps, known and new. */
  Gaps gaps() {
    return new Gaps(found);
  }

  List<Gap> unknown() {
    return unknown;
  }

  /** Returns whether something is lost, or was found again, that the file does not know of. */
  boolean isNews() {
    return !found.equals(known.all());
  }

  void report() {
    for (Gap gap : unknown) {
      LOG.warn(
          "Queue {}: {}: sequences {} to {} of block {} ({}) are lost, {}; {}. Every"
              + " subscriber continues after them",
          log.queue(),
          gap.damaged() ? "damaged" : "not forced to the device in time",
          gap.first(),
          gap.end() - 1,
          gap.block(),
          BlockName.data(log.path(), gap.block()),
          Amount.of(gap.messages(), "message"),
          gap.damaged()
              ? "they had been forced to the device and are not there any more"
              : "the last run ended before they were forced");
    }
  }
}
