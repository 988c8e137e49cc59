package com.wookler.river.core.log.files;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentCompactor;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.StoredMessage;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Writes a closed block anew without some of its messages, whose sequences stay: documents of which
 * none is left become one ({@link DocumentFormat}). So addresses in the block change. Used once.
 */
public final class BlockCompactor implements BlockWalk.Visitor {
  private static final int MOST = 1 << 16; // messages that one document replaces
  private static final int BUFFER_BYTES = 256 << 10;

  private final Path file;
  private final Seal seal;
  private final DocumentCompactor documents;
  private OutputStream out = OutputStream.nullOutputStream();
  private long removed;
  private long removedBytes;
  private long left;

  private long position;
  private long last; // offset of the last document
  private long ordinal;
  private long[] spaced = new long[16];

  private long firstOfRun; // of documents without messages
  private int inRun;
  private long microsOfRun;

  /** For a block's file, which its seal describes, and the messages to take out. */
  public BlockCompactor(Path file, Seal seal, Predicate<StoredMessage> which) {
    this.file = file;
    this.seal = seal;
    this.documents = new DocumentCompactor(seal.queue(), which);
  }

  /**
   * What is taken out of a block.
   *
   * @param removed messages, without those that were taken out before
   * @param left messages
   * @param freed bytes of the file
   * @param removedBytes of the content of these messages
   */
  public record Compacted(long removed, long left, long freed, long removedBytes) {}

  /** Shows all documents of a block. */
  @FunctionalInterface
  public interface Walk {
    void run(BlockWalk.Visitor visitor) throws IOException;
  }

  /**
   * Counts what would be taken out of a block.
   *
   * @throws DamagedMessageException a part of the block is damaged
   */
  public static Compacted count(Seal seal, Predicate<StoredMessage> which, Walk walk)
      throws IOException {
    BlockCompactor counter = new BlockCompactor(Path.of(""), seal, which);
    counter.position = ChronicleHeader.BYTES + DocumentHeader.sizeFor(BlockStart.BYTES);
    walk.run(counter);
    counter.endRun();
    return new Compacted(
        counter.removed,
        counter.left,
        Math.max(0, seal.bytes() - counter.position),
        counter.removedBytes);
  }

  /** Counts what would be taken out of a block's file, which its seal describes. */
  public static Compacted count(Path file, Seal seal, Predicate<StoredMessage> which)
      throws IOException {
    return count(seal, which, visitor -> new BlockFile(seal.block(), file).walkClosed(visitor));
  }

  /**
   * Writes the block to another file, on the device, and returns its seal.
   *
   * @throws DamagedMessageException a part of the block is damaged
   */
  public Seal write(Path to) throws IOException {
    try (FileChannel channel = DurableFiles.create(to)) {
      channel.position(ChronicleHeader.BYTES);
      out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
      walk();
      out.flush();
      DurableFiles.put(channel, DocumentHeader.endMark(), position);
      byte[] header = ChronicleHeader.of(spaced(), ordinal, last);
      DurableFiles.put(channel, ByteBuffer.wrap(header), 0);
      channel.force(true);
    }
    return reseal(to, seal, position);
  }

  /** Throws a DamagedMessageException unless a file is what its seal says. */
  public static void require(Path file, Seal seal) throws IOException {
    if (!reseal(file, seal, seal.bytes()).equals(seal)) {
      throw new DamagedMessageException("damaged: " + file + " is not what its seal says");
    }
  }

  /** Returns the seal of a file that has the messages of a seal, and perhaps other content. */
  public static Seal reseal(Path file, Seal seal, long bytes) throws IOException {
    ContentCheck check =
        new ContentCheck(
            seal.queue(),
            seal.block(),
            seal.firstSequence(),
            (sequence, offset, what) -> {
              throw new DamagedMessageException(
                  "damaged: " + file + ", sequence " + sequence + ", byte " + offset + ": " + what);
            });
    new BlockFile(seal.block(), file).walkClosed(check);
    return check.seal(seal, bytes);
  }

  private void walk() throws IOException {
    BlockFile block = new BlockFile(seal.block(), file);
    Optional<BlockStart> start = block.start();
    position = ChronicleHeader.BYTES;
    put(DocumentHeader.hidden(BlockStart.BYTES), start.orElseThrow(this::broken).encode());
    BlockFile.End end = block.walkClosed(this);
    endRun();
    if (end.offset() < seal.bytes()) {
      throw broken();
    }
  }

  private DamagedMessageException broken() {
    return new DamagedMessageException("damaged: " + file + " is not what its seal says");
  }

  @Override
  public void document(long offset, byte[] document, int length) throws IOException {
    byte[] kept = documents.compact(document, length, seal.block());
    removed += documents.removed();
    removedBytes += documents.removedBytes();
    left += documents.left();
    if (documents.length() > 0) {
      endRun();
      message(kept, documents.length());
      return;
    }
    if (inRun + documents.count() > MOST) {
      endRun();
    }
    if (inRun == 0) {
      firstOfRun = documents.firstSequence();
    }
    inRun += documents.count();
    microsOfRun = documents.micros();
  }

  private void endRun() throws IOException {
    if (inRun > 0) {
      byte[] document =
          DocumentFormat.removed(seal.queue(), seal.block(), firstOfRun, inRun, microsOfRun);
      inRun = 0;
      message(document, document.length);
    }
  }

  private void message(byte[] document, int length) throws IOException {
    last = position;
    if (ordinal % ChronicleHeader.SPACING == 0) {
      int entry = (int) (ordinal / ChronicleHeader.SPACING);
      if (entry == spaced.length) {
        spaced = Arrays.copyOf(spaced, 2 * entry);
      }
      spaced[entry] = position;
    }
    ordinal++;
    put(length, document);
  }

  private void put(int header, byte[] document) throws IOException {
    int length = DocumentHeader.lengthOf(header);
    ByteBuffer start = ByteBuffer.allocate(DocumentHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.write(start.putInt(header).array());
    out.write(document, 0, length);
    out.write(new byte[(int) (DocumentHeader.sizeFor(length) - DocumentHeader.BYTES - length)]);
    position += DocumentHeader.sizeFor(length);
  }

  private long[] spaced() {
    long documents = ordinal;
    int entries = (int) ((documents + ChronicleHeader.SPACING - 1) / ChronicleHeader.SPACING);
    return Arrays.copyOf(spaced, entries);
  }
}
