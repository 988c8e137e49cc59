package com.wookler.river.core.log.recovery;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.LastUsedByte;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.FileWindow;
import com.wookler.river.core.log.files.LogDirectory;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds the documents of a block whose own headers are valid, at every address at which one may be:
 * the store's headers are damaged, or were never written.
 */
final class DocumentSearch {
  private final long below;
  private final DocumentReader reader;
  private final Sink sink;
  private long checksum;
  private long expected; // what comes before is a copy, in a message's data, of what was seen

  private DocumentSearch(long below, LogDirectory log, Sink sink) {
    this.below = below;
    this.reader = new DocumentReader(log.identity());
    this.sink = sink;
  }

  /** Is called with the documents, in the order of their sequences. */
  @FunctionalInterface
  interface Sink {
    /** Takes a document, of which only the header is verified, and its part of the digest. */
    void piece(Piece piece, DocumentReader document, long checksum) throws IOException;
  }

  /**
   * One document.
   *
   * @param headed whether the store's header is complete: not so while it is being written
   * @param whole whether all its messages are valid
   */
  record Piece(long offset, int length, long first, int count, boolean headed, boolean whole) {
    /** Returns the sequence after its last message. */
    long end() {
      return first + count;
    }

    long after() {
      return BlockWalk.after(offset, length);
    }
  }

  /**
   * Searches a file up to {@code used}, as {@link LastUsedByte} finds it; returns the offset after
   * the last bytes that are not 0. A document with sequences not {@code below} that one is after
   * the block's end: it was being written when the process was killed, and its sequences were
   * assigned again.
   */
  static long search(int number, Path file, long used, long below, LogDirectory log, Sink sink)
      throws IOException {
    DocumentSearch search = new DocumentSearch(below, log, sink);
    try (FileWindow window = new FileWindow(file, Files.size(file))) {
      return BlockWalk.search(
          window,
          0,
          used,
          number,
          search.reader,
          (offset, header, length, document) -> search.accept(offset, header, length));
    }
  }

  private boolean accept(long offset, int header, int length) throws IOException {
    long first = reader.firstSequence();
    if (first < expected || first >= below) {
      return false;
    }
    int count = reader.count();
    Piece piece = new Piece(offset, length, first, count, header == length, isWhole());
    expected = piece.end();
    sink.piece(piece, reader, checksum);
    return true;
  }

  private boolean isWhole() {
    try {
      checksum = reader.verify();
      return true;
    } catch (DamagedException e) {
      return false;
    }
  }
}
