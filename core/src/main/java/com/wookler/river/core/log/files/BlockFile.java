package com.wookler.river.core.log.files;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.LimitedStream;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads a block's file at any time, also while its owner appends to it; writes, locks and maps
 * nothing. A file that grows is read in two passes, of which the first finds where it ends: so a
 * document that is being written is never taken for damage.
 */
public final class BlockFile {
  private static final int READ_BYTES = 1 << 20;
  private static final int TRIES = 5;
  private static final long BETWEEN_NANOS = Duration.ofMillis(20).toNanos();

  private final int number;
  private final Path file;

  /**
   * How a walk ended.
   *
   * @param offset where the last document that was shown ends
   * @param ending what is there
   * @param noted whether the owner has noted a document after that: the tail was removed
   */
  public record End(long offset, BlockWalk.Ending ending, boolean noted) {}

  /**
   * The valid messages after a break.
   *
   * @param messages how many; with 0 the break is the torn end of the block
   * @param firstSequence of the first of them
   * @param endSequence the sequence after the last of them
   */
  public record Behind(long messages, long firstSequence, long endSequence) {}

  public BlockFile(int number, Path file) {
    this.number = number;
    this.file = file;
  }

  public int number() {
    return number;
  }

  public Path file() {
    return file;
  }

  /** Returns {@link #start}; waits a moment for a block that its owner is just beginning. */
  public Optional<BlockStart> settledStart() throws IOException {
    Optional<BlockStart> start = start();
    for (int i = 0; i < TRIES && start.isEmpty(); i++) {
      LockSupport.parkNanos(this, BETWEEN_NANOS);
      start = start();
    }
    return start;
  }

  /** Returns the block's start; empty if it has none that is valid. */
  public Optional<BlockStart> start() throws IOException {
    return BlockStart.read(file);
  }

  /** Reads the seal of a block, which must be that of this one. */
  public static Seal seal(Path file, int block) throws IOException {
    Seal seal = Seal.read(file);
    if (seal.block() != block) {
      throw new DamagedMessageException("damaged: it is the seal of block " + seal.block());
    }
    return seal;
  }

  /** Shows the documents of a block that is closed and does not change. */
  public End walkClosed(BlockWalk.Visitor visitor) throws IOException {
    try (InputStream in = stream()) {
      BlockWalk.Result result = BlockWalk.scan(in, visitor);
      return new End(result.end(), result.ending(), false);
    }
  }

  /** Shows the documents of a block to which its owner may append meanwhile. */
  public End walk(BlockWalk.Visitor visitor) throws IOException {
    long noted = ChronicleHeader.lastDocument(file); // first: it must not be ahead of the look
    BlockWalk.Result found;
    try (InputStream in = stream()) {
      found = BlockWalk.scan(in, BlockWalk.Visitor.NONE);
    }
    End end = settled(found, noted);
    try (InputStream in = stream()) {
      BlockWalk.scan(new LimitedStream(in::read, end.offset()), visitor);
    }
    return end;
  }

  /** Returns the end once it is settled: a document that is being written is soon complete. */
  private End settled(BlockWalk.Result found, long noted) throws IOException {
    if (found.ending() == BlockWalk.Ending.CLOSED) {
      return new End(found.end(), found.ending(), false);
    }
    int header = header(found.end());
    for (int i = 0; i < TRIES; i++) {
      if (header != 0 && DocumentHeader.sizeOf(header) > 0 && fits(found.end(), header)) {
        return new End(found.end(), BlockWalk.Ending.OPEN, false); // it has grown meanwhile
      }
      if (found.ending() == BlockWalk.Ending.OPEN && noted < found.end()) {
        return new End(found.end(), found.ending(), false);
      }
      LockSupport.parkNanos(this, BETWEEN_NANOS);
      header = header(found.end());
    }
    boolean closed = header == DocumentHeader.END;
    return new End(
        found.end(),
        closed ? BlockWalk.Ending.CLOSED : found.ending(),
        !closed && (header == 0 ? noted >= found.end() : noted > found.end()));
  }

  private boolean fits(long offset, int header) throws IOException {
    return offset + DocumentHeader.sizeOf(header) <= Files.size(file);
  }

  /** Returns the header at an offset; 0 after the end of the file. */
  private int header(long offset) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.read(header, offset) == 4 ? header.getInt(0) : 0;
    }
  }

  /**
   * Passes on valid documents of this queue after a break: without messages there the break is a
   * torn end. The document that was being written when the process died does not count: the store's
   * header of it is not complete.
   */
  public Behind behind(long offset, UUID queue, BlockWalk.Visitor visitor) throws IOException {
    Search search = new Search(new DocumentReader(queue), visitor);
    long bytes = Files.size(file); // limits may have been larger when it was written
    try (FileWindow window = new FileWindow(file, bytes)) {
      BlockWalk.search(
          window,
          offset + 3 & ~3L,
          bytes,
          number,
          search.reader,
          (at, header, length, document) -> header == length && search.accept(window, at, length));
      window.refuseUnreadable();
    }
    return new Behind(search.messages, search.firstSequence, search.endSequence);
  }

  /** Verifies documents, and counts their messages. */
  private static final class Search {
    private final DocumentReader reader;
    private final BlockWalk.Visitor visitor;
    private long messages;
    private long firstSequence = Long.MAX_VALUE;
    private long endSequence = -1;

    Search(DocumentReader reader, BlockWalk.Visitor visitor) {
      this.reader = reader;
      this.visitor = visitor;
    }

    boolean accept(FileWindow window, long offset, int length) throws IOException {
      if (reader.isLost()) {
        return false; // it has no messages
      }
      long first = reader.firstSequence();
      int count = reader.count();
      try {
        reader.verify();
      } catch (DamagedException e) {
        return false;
      }
      messages += count;
      firstSequence = Math.min(firstSequence, first);
      endSequence = Math.max(endSequence, first + count);
      byte[] document = new byte[length];
      window.copy(offset + DocumentHeader.BYTES, document, length);
      visitor.document(offset, document, length);
      return true;
    }
  }

  /** Returns whether the store has completed its first header; without it nothing can be walked. */
  public boolean hasHeader() throws IOException {
    return header(0) > 0;
  }

  private InputStream stream() throws IOException {
    return new BufferedInputStream(Files.newInputStream(file), READ_BYTES);
  }
}
