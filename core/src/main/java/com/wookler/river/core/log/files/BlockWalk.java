package com.wookler.river.core.log.files;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the raw bytes of a block, a run of documents each after a {@link DocumentHeader}: from its
 * start, which shows how the block ends ({@link #scan}); or, where headers are damaged, by a search
 * at every address at which a document may be ({@link #search}).
 */
public final class BlockWalk {
  private static final int STEP = 4;
  private static final int SKIP_BYTES = 1 << 16;
  private static final byte[] ZEROS = new byte[SKIP_BYTES];

  private final InputStream in;
  private final Visitor visitor;
  private final Rest rest;
  private byte[] bytes = new byte[SKIP_BYTES];
  private long offset;
  private @Nullable BlockStart start;

  private BlockWalk(InputStream in, Visitor visitor, Rest rest) {
    this.in = in;
    this.visitor = visitor;
    this.rest = rest;
  }

  @FunctionalInterface
  public interface Rest {
    /** Returns whether only zeros follow. */
    boolean isZeros(long offset) throws IOException;
  }

  /** Is called with each document of a block that readers see. */
  @FunctionalInterface
  public interface Visitor {
    Visitor NONE = (offset, document, length) -> {};

    /** Shows a document by the offset of its header; its bytes are valid during the call only. */
    void document(long offset, byte[] document, int length) throws IOException;
  }

  /** How a block ends. */
  public enum Ending {
    /** Closed by the end mark. */
    CLOSED,
    /** Nothing after the last document. */
    OPEN,
    /** An impossible header, or bytes after a header of 0: an unfinished document, or damage. */
    BROKEN
  }

  /** Where the last whole document ends, what is there, and the block's start, if it has one. */
  public record Result(long end, Ending ending, Optional<BlockStart> start) {}

  /** Walks a block's bytes to the end of the stream, which it does not close. */
  public static Ending walk(InputStream block, Visitor visitor) throws IOException {
    return scan(block, visitor).ending();
  }

  public static Result scan(InputStream block, Visitor visitor) throws IOException {
    return scan(block, visitor, offset -> onlyZerosFollow(block));
  }

  /** Walks over a block, at most up to a header of 0. */
  public static Result scan(InputStream block, Visitor visitor, Rest rest) throws IOException {
    return new BlockWalk(block, visitor, rest).run();
  }

  @FunctionalInterface
  public interface Candidate {
    /**
     * Returns whether the document counts, whose own header is valid, the store's {@code header}
     * perhaps not; the search continues after it then, and else within it.
     */
    boolean accepts(long offset, int header, int length, DocumentReader document)
        throws IOException;
  }

  /**
   * Looks for documents at every multiple of four below {@code to}, by their own headers: the
   * store's headers and index may be damaged, or were never written. Returns the offset after the
   * last bytes that are not 0.
   */
  public static long search(
      FileWindow window, long from, long to, int block, DocumentReader reader, Candidate candidate)
      throws IOException {
    long offset = from;
    long usedEnd = 0;
    while (offset < to && window.has(offset, DocumentHeader.BYTES)) {
      int header = window.intAt(offset);
      long content = offset + DocumentHeader.BYTES;
      int length =
          window.has(content, DocumentFormat.HEADER_BYTES)
              ? DocumentFormat.lengthAt(window, content)
              : 0;
      if (length > 0
          && window.has(content, length)
          && opens(reader, window, content, length, block)
          && candidate.accepts(offset, header, length, reader)) {
        offset = after(offset, length);
        usedEnd = offset;
      } else if (header == 0) { // most of a new block
        offset = Math.max(offset + STEP, window.behindZeros(offset) - STEP);
      } else {
        offset += STEP;
        usedEnd = offset;
      }
    }
    return usedEnd;
  }

  private static boolean opens(
      DocumentReader reader, FileWindow window, long start, int length, int block) {
    try {
      reader.open(window, start, length, block);
      return true;
    } catch (DamagedException e) {
      return false;
    }
  }

  /** Returns where the next header may be after a document of this length. */
  public static long after(long offset, int length) {
    return offset + DocumentHeader.sizeFor(length);
  }

  private Result run() throws IOException {
    while (true) {
      int available = fill(4);
      if (available < 4) {
        return result(available == 0 ? Ending.OPEN : Ending.BROKEN);
      }
      int header = intAt(0);
      if (header == DocumentHeader.END) {
        return result(Ending.CLOSED);
      }
      if (header == 0) {
        return result(rest.isZeros(offset) ? Ending.OPEN : Ending.BROKEN);
      }
      if (DocumentHeader.sizeOf(header) == 0 || !document(header)) {
        return result(Ending.BROKEN);
      }
    }
  }

  private boolean document(int header) throws IOException {
    int length = DocumentHeader.lengthOf(header);
    int padded = (length + 3) & ~3;
    try {
      read(length);
    } catch (EOFException e) {
      return false;
    }
    if (DocumentHeader.isMessage(header)) {
      visitor.document(offset, bytes, length);
    } else if (start == null) {
      start = BlockStart.decode(bytes, length).orElse(null);
    }
    offset += 4L + padded;
    return in.readNBytes(bytes, 0, padded - length) == padded - length || padded == length;
  }

  /** Reads in steps, so that a wild length costs no more memory than there are bytes. */
  private void read(int length) throws IOException {
    int done = 0;
    while (done < length) {
      int step = Math.min(length - done, SKIP_BYTES);
      if (bytes.length < done + step) {
        bytes = Arrays.copyOf(bytes, (int) Math.min(bytes.length * 2L, 1L << 30));
      }
      if (in.readNBytes(bytes, done, step) < step) {
        throw new EOFException();
      }
      done += step;
    }
  }

  private int fill(int length) throws IOException {
    return in.readNBytes(bytes, 0, length);
  }

  private static boolean onlyZerosFollow(InputStream in) throws IOException {
    byte[] bytes = new byte[ZEROS.length];
    while (true) {
      int length = in.readNBytes(bytes, 0, ZEROS.length);
      if (!Arrays.equals(bytes, 0, length, ZEROS, 0, length)) {
        return false;
      }
      if (length < ZEROS.length) {
        return true;
      }
    }
  }

  private int intAt(int at) {
    return (bytes[at] & 0xFF)
        | (bytes[at + 1] & 0xFF) << 8
        | (bytes[at + 2] & 0xFF) << 16
        | (bytes[at + 3] & 0xFF) << 24;
  }

  private Result result(Ending ending) {
    return new Result(offset, ending, Optional.ofNullable(start));
  }
}
