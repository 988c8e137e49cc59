package com.wookler.river.core.backup;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the messages around a given one that a damaged backup has lost: those that {@link
 * BackupReader} cannot read. The seal has the first sequence of each frame, so a damaged frame
 * affects no other.
 */
final class LostMessages implements BlockWalk.Visitor {
  private static final Logger LOG = LoggerFactory.getLogger(LostMessages.class);
  private static final long UNKNOWN = -1;

  private final StoredBlock stored;
  private final DocumentReader reader;
  private long sequence;
  private long first; // after the last valid message before it
  private long end = UNKNOWN; // the first valid message after it
  private boolean isThere;

  private LostMessages(StoredBlock stored, long sequence, long first) {
    this.stored = stored;
    this.reader = new DocumentReader(stored.block().queue());
    this.sequence = sequence;
    this.first = first;
  }

  /**
   * Returns the lost messages in a row around this one, from the start of its frame at the
   * earliest; null if it is valid after all.
   */
  static @Nullable Damage around(StoredBlock stored, long sequence) throws IOException {
    BackupSeal seal;
    try {
      seal = BackupReader.seal(stored);
    } catch (DamagedException e) {
      return lost(
          stored,
          stored.block().firstSequence(),
          stored.block().endSequence(),
          0,
          Files.size(stored.file()));
    }
    Frame frame = seal.holding(sequence);
    long first = Math.max(stored.block().firstSequence(), frame.firstSequence());
    LostMessages found = new LostMessages(stored, sequence, first);
    List<Frame> frames = seal.frames();
    long to = seal.length();
    try (FrameFile file = new FrameFile(stored.file())) {
      for (int i = frames.indexOf(frame); i < frames.size() && found.end == UNKNOWN; i++) {
        file.walk(frames.get(i), found);
        to = frames.get(i).offset() + frames.get(i).length();
      }
    }
    if (found.isThere) {
      return null;
    }
    long end = found.end == UNKNOWN ? stored.block().endSequence() : found.end;
    return lost(stored, found.first, end, frame.offset(), to);
  }

  private static Damage lost(StoredBlock stored, long first, long end, long from, long to) {
    return new Damage(stored.block().block(), stored.file(), first, end, from, to);
  }

  @Override
  public void document(long offset, byte[] document, int length) {
    if (!BackupReader.opens(reader, document, length, stored.block().block())) {
      return;
    }
    if (reader.isLost() && end == UNKNOWN) { // lost before the block was archived, and reported
      passOver(reader.firstSequence(), reader.firstSequence() + reader.count());
    }
    while (reader.hasNext() && end == UNKNOWN) {
      long next = reader.nextSequence();
      try {
        reader.prove();
        valid(next);
      } catch (DamagedException e) {
        LOG.debug("Sequence {} of {}", next, stored.file(), e); // it is lost
      }
    }
  }

  private void passOver(long from, long to) {
    if (from > sequence) {
      end = from;
    } else {
      sequence = Math.max(sequence, to);
      first = to;
    }
  }

  private void valid(long found) {
    if (found == sequence) {
      isThere = true;
    } else if (found > sequence) {
      end = found;
    } else {
      first = found + 1;
    }
  }
}
