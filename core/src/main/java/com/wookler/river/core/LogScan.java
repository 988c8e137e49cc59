package com.wookler.river.core;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.util.function.Consumer;

/** Reads a part of a log for what an opening has to find out again. */
final class LogScan {
  /** Damaged messages in a row after which the rest of their block is taken for damaged too. */
  private static final int MAX_DAMAGED = 1_000;

  private LogScan() {}

  /**
   * Shows the messages from a sequence on, up to the log's end; what is lost or damaged is passed
   * over.
   *
   * @return whether something is damaged
   */
  static boolean scan(BlockLog log, long from, Consumer<StoredMessage> sink) {
    boolean damaged = false;
    try (LogReader reader = log.reader()) {
      long next = Math.max(from, log.firstSequence());
      int inARow = 0;
      while (next < log.nextSequence()) {
        long gapEnd = log.gaps().endOf(next);
        if (gapEnd > next) {
          next = gapEnd;
        } else if (show(reader, next, sink)) {
          inARow = 0;
          next++;
        } else {
          damaged = true;
          inARow++;
          next = inARow % MAX_DAMAGED == 0 ? reader.behindBlock(next) : next + 1;
        }
      }
    }
    return damaged;
  }

  private static boolean show(LogReader reader, long sequence, Consumer<StoredMessage> sink) {
    reader.moveTo(sequence);
    try {
      StoredMessage message = reader.next();
      if (message != null) {
        sink.accept(message);
      }
      return true;
    } catch (DamagedMessageException e) {
      return false;
    }
  }
}
