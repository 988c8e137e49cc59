package com.wookler.river.core.log.recovery;

import com.wookler.river.common.file.LastUsedByte;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.chronicle.ChronicleHeaderCheck;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.LogDirectory;
import com.wookler.river.core.log.recovery.BlockContent.Hole;
import com.wookler.river.core.log.recovery.DocumentSearch.Piece;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Plans the repair of a block that is no run of valid documents: finds what of it is valid, and
 * what is to be written into its file so that it is such a run again.
 *
 * <ul>
 *   <li>What is not valid and had been forced to the device is damage. It stays as it is: readers
 *       skip it message by message.
 *   <li>What is not valid and had not been forced is what a power loss leaves, which brings pages
 *       to the device in any order, or none. A document that is torn is replaced whole, as a batch
 *       is all or nothing: by a document that declares these sequences lost, followed by zeros,
 *       hidden from readers.
 *   <li>What is valid stays where it is, with its sequences, after holes too.
 *   <li>The store's header and index, and the block's start, are written anew where they are wrong.
 * </ul>
 *
 * <p>Nothing is changed here. All of it follows from what is valid, so it may be done again after a
 * crash in the middle.
 */
final class BlockRepair implements DocumentSearch.Sink {
  private static final int START_HEADER = DocumentHeader.hidden(BlockStart.BYTES);
  private static final int CONTENT =
      ChronicleHeader.BYTES + DocumentHeader.BYTES + BlockStart.BYTES;
  private static final int LOST_BYTES = DocumentHeader.BYTES + DocumentFormat.HEADER_BYTES;

  private final int number;
  private final Path file;
  private final LogDirectory log;
  private final long forced;
  private final BlockTotals totals = new BlockTotals();
  private final List<Hole> holes = new ArrayList<>();
  private final List<Patch> patches = new ArrayList<>();
  private final DocumentReader lost;
  private final FileChannel channel;
  private boolean started;
  private long first;
  private long expected; // the sequence that comes next
  private long at = CONTENT; // its offset
  private long claimed; // all below it was in the block
  private String damage = "";

  /**
   * What is known of a block besides its file: its start, if that can be read; the sequences below
   * which all was forced, and below which all of its own are; the publish time before it.
   */
  record Known(Optional<BlockStart> start, long forced, long below, long lastMicros) {}

  private BlockRepair(
      int number, Path file, Optional<BlockStart> start, long forced, LogDirectory log)
      throws IOException {
    this.number = number;
    this.file = file;
    this.log = log;
    this.forced = forced;
    this.lost = new DocumentReader(log.identity());
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    this.started = start.isPresent();
    this.first = start.map(BlockStart::firstSequence).orElse(0L);
    this.expected = first;
  }

  /** Bytes that are to be written, and how many zeros follow them. */
  record Patch(long offset, ByteBuffer bytes, long zeros) {}

  /**
   * What is left of a block.
   *
   * @param block as it is when all is written; without messages if nothing is valid
   * @param holes what of its sequences is lost, not by damage
   * @param end the sequence after the last that it was seen to have had
   * @param usedEnd the offset after the last bytes that are not 0
   * @param damage the first that is damaged; empty if nothing is
   */
  record Result(
      RecoveredBlock block,
      List<Hole> holes,
      List<Patch> patches,
      long end,
      long usedEnd,
      String damage) {}

  /** Scans the file of a block that was walked. */
  static Result of(BlockContent.Walked walked, Known known, LogDirectory log) throws IOException {
    int number = walked.block().number();
    Path file = walked.block().file();
    BlockRepair repair = new BlockRepair(number, file, known.start(), known.forced(), log);
    try (repair.channel) {
      long used = LastUsedByte.of(file, walked.block().end());
      long usedEnd = DocumentSearch.search(number, file, used, known.below(), log, repair);
      return repair.result(known.start().isPresent(), known.lastMicros(), usedEnd);
    }
  }

  @Override
  public void piece(Piece piece, DocumentReader document, long checksum) throws IOException {
    if (!piece.whole() && piece.end() > forced) {
      claimed = piece.headed() ? Math.max(claimed, piece.end()) : claimed;
      return; // torn
    }
    if (!started) {
      started = true;
      first = piece.first();
      expected = first;
    }
    if (piece.first() > expected || piece.offset() > at) {
      hole(piece, document.micros());
    }
    if (!piece.whole()) {
      damaged("a message of the document at byte " + piece.offset() + " is not what was published");
    }
    if (!piece.headed()) {
      if (piece.end() <= forced) {
        damaged("the header at byte " + piece.offset());
      }
      patches.add(new Patch(piece.offset(), littleEndian(piece.length()), 0));
    }
    totals.add(piece.offset(), piece.length(), document, checksum);
    expected = piece.end();
    at = piece.after();
  }

  private void hole(Piece next, long micros) throws IOException {
    long bytes = next.offset() - at;
    if (next.first() == expected) {
      if (!leads(next.offset())) { // such as a page of the store's index
        patches.add(
            new Patch(
                at, littleEndian(DocumentHeader.hidden((int) bytes - DocumentHeader.BYTES)), 0));
      }
    } else if (next.first() <= forced || bytes < LOST_BYTES) {
      damaged("sequences " + expected + " to " + (next.first() - 1) + " at byte " + at);
    } else {
      if (expected < forced) {
        damaged("sequences " + expected + " to " + (forced - 1) + " at byte " + at);
      }
      lose(next.first(), bytes, micros);
    }
  }

  /** Returns whether hidden documents lead there. */
  private boolean leads(long offset) throws IOException {
    long from = at;
    while (from < offset) {
      ByteBuffer header = ChronicleHeader.read(channel, from, DocumentHeader.BYTES);
      long size =
          header.limit() < DocumentHeader.BYTES ? 0 : DocumentHeader.sizeOf(header.getInt(0));
      if (size == 0 || DocumentHeader.isMessage(header.getInt(0))) {
        return false;
      }
      from += size;
    }
    return from == offset;
  }

  private void lose(long end, long bytes, long micros) {
    int count = Math.toIntExact(end - expected);
    byte[] document = DocumentFormat.lost(log.identity(), number, expected, count, micros);
    long rest = bytes - LOST_BYTES;
    int head = rest > 0 ? LOST_BYTES + DocumentHeader.BYTES : LOST_BYTES;
    ByteBuffer patch = ByteBuffer.allocate(head).order(ByteOrder.LITTLE_ENDIAN);
    patch.putInt(document.length).put(document);
    if (rest > 0) {
      patch.putInt(DocumentHeader.hidden((int) (rest - DocumentHeader.BYTES)));
    }
    patches.add(new Patch(at, patch.flip(), bytes - head));
    holes.add(new Hole(expected, end, forced));
    lost.open(document, document.length, number);
    totals.add(at, document.length, lost, lost.verify());
  }

  private Result result(boolean hasStart, long lastMicros, long usedEnd) throws IOException {
    RecoveredBlock block = totals.block(log.identity(), number, file, first, at);
    if (block.documents() > 0) {
      String fault = ChronicleHeaderCheck.fault(file, totals.spaced(), totals.documents(), at);
      if (!hasStart || !fault.isEmpty() || !patches.isEmpty()) {
        begin(lastMicros);
      }
      if (!hasStart) {
        damaged("its beginning");
      }
    }
    for (Hole known : totals.holes()) {
      if (holes.stream().noneMatch(hole -> hole.first() == known.first())) {
        holes.add(known); // by an earlier recovery
      }
    }
    return new Result(block, holes, patches, Math.max(claimed, expected), usedEnd, damage);
  }

  /** The store's header and index, and the start. */
  private void begin(long lastMicros) {
    byte[] header = ChronicleHeader.of(totals.spaced(), totals.documents(), totals.last());
    BlockStart start = new BlockStart(log.identity(), number, first, lastMicros);
    ByteBuffer bytes = ByteBuffer.allocate(CONTENT).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(header).putInt(START_HEADER).put(start.encode());
    patches.add(new Patch(0, bytes.flip(), 0));
  }

  private void damaged(String what) {
    damage = damage.isEmpty() ? what : damage;
  }

  private static ByteBuffer littleEndian(int value) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).flip();
  }
}
