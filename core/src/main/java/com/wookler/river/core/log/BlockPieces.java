package com.wookler.river.core.log;

import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The documents of a block whose headers prove themselves, looked for at every place where one may
 * stand, for a recovery: what leads to them is damaged, or was never written.
 */
final class BlockPieces {
  private static final int STEP = 4;

  private final int number;
  private final long below;
  private final DocumentReader reader;
  private final Sink sink;
  private long checksum;
  private long expected; // what comes before is a copy, in a message's data, of what was seen
  private long usedEnd;

  private BlockPieces(int number, long below, LogSettings settings, Sink sink) {
    this.number = number;
    this.below = below;
    this.reader = new DocumentReader(settings.identity());
    this.sink = sink;
  }

  /** Hears of the documents, in the order of their sequences. */
  @FunctionalInterface
  interface Sink {
    /**
     * One document.
     *
     * @param document it, as far as its header tells
     * @param checksum its part of the block's digest, if it is whole
     */
    void piece(Piece piece, DocumentReader document, long checksum) throws IOException;
  }

  /**
   * One document.
   *
   * @param offset where its header stands, which Chronicle writes
   * @param length of its bytes behind that
   * @param headed whether that header is complete: not so while it is being written
   * @param whole whether all its messages prove themselves
   */
  record Piece(long offset, int length, long first, int count, boolean headed, boolean whole) {
    /** The sequence after its last message. */
    long end() {
      return first + count;
    }

    /** Where the next header may stand. */
    long behind() {
      return offset + BlockScanner.HEADER_BYTES + (length + 3L & ~3L);
    }
  }

  /**
   * Looks through a file.
   *
   * @param used no document starts behind this offset, as {@link UsedEnd} finds it
   * @param below all its sequences are: what says otherwise stands behind its end, where it was
   *     being written when the process was killed, and its sequences were given to others
   * @return the offset behind the last bytes that are not 0
   */
  static long search(int number, Path file, long used, long below, LogSettings settings, Sink sink)
      throws IOException {
    BlockPieces search = new BlockPieces(number, below, settings, sink);
    try (FileWindow window = new FileWindow(file, Files.size(file))) {
      search.run(window, used);
    }
    return search.usedEnd;
  }

  private void run(FileWindow window, long used) throws IOException {
    long offset = 0;
    while (offset < used && window.has(offset, BlockScanner.HEADER_BYTES)) {
      int header = window.intAt(offset);
      long start = offset + BlockScanner.HEADER_BYTES;
      int length = length(window, start);
      if (length > 0 && opens(window, start, length)) {
        offset = piece(offset, header, length);
        usedEnd = offset;
      } else if (header == 0) {
        offset = Math.max(offset + STEP, window.behindZeros(offset) - STEP); // most of a new block
      } else {
        offset += STEP;
        usedEnd = offset;
      }
    }
  }

  private static int length(FileWindow window, long start) {
    return window.has(start, DocumentFormat.HEADER_BYTES)
        ? DocumentFormat.lengthAt(window, start)
        : 0;
  }

  private long piece(long offset, int header, int length) throws IOException {
    int count = reader.count();
    boolean whole = isWhole();
    Piece piece = new Piece(offset, length, reader.firstSequence(), count, header == length, whole);
    expected = piece.end();
    sink.piece(piece, reader, checksum);
    return piece.behind();
  }

  private boolean opens(FileWindow window, long start, int length) {
    if (!window.has(start, length)) {
      return false;
    }
    try {
      reader.open(window, start, length, number);
      long first = reader.firstSequence();
      return first >= expected && first < below;
    } catch (DamagedMessageException e) {
      return false;
    }
  }

  private boolean isWhole() {
    try {
      checksum = reader.verify();
      return true;
    } catch (DamagedMessageException e) {
      return false;
    }
  }
}
