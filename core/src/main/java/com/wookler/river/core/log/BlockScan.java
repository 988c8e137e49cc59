package com.wookler.river.core.log;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.FileWindow;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds the valid messages of a damaged block by searching for documents at every address at which
 * one may be.
 *
 * <p>A document's own header has a checksum, so it needs neither a header of the store's nor the
 * index. After a damaged entry it continues as long as the entry's length may be right. Two kinds
 * are skipped: copies in a message's data, whose sequences were seen already, and documents that
 * declare sequences lost, which are gaps and reported elsewhere.
 *
 * <p>Only bytes that were read are called damaged: where the device did not return all of them,
 * what was not found may be there.
 */
final class BlockScan {
  private final Block block;
  private final long first;
  private final long end;
  private final List<Damage> lost = new ArrayList<>();
  private long[] sequences = new long[64]; // the first of each document
  private long[] offsets = new long[64]; // of each document's header
  private long[] times = new long[64]; // publish time of each document
  private int documents;
  private long expected; // all below it are found or lost
  private long validTo; // offset after the last valid message
  private @Nullable IOException unread; // why a part of the file could not be read

  private BlockScan(Block block, long end) {
    this.block = block;
    this.first = block.firstSequence();
    this.end = end;
    this.expected = first;
  }

  /** Scans a block, as far as it is published now; reads all of its file. */
  static BlockScan of(Block block, LogSettings settings, long nextSequence) throws IOException {
    BlockScan scan = new BlockScan(block, Math.min(block.endSequence(), nextSequence));
    try (FileWindow window = new FileWindow(block.file(), block.end())) {
      scan.search(window, new DocumentReader(settings.identity()));
      window.refuseUnreadable();
    } catch (NoSuchFileException e) {
      scan.validTo = 0; // all of it is lost
    } catch (IOException e) {
      scan.unread = e;
    }
    scan.lost(scan.end, block.end());
    return scan;
  }

  private void search(FileWindow window, DocumentReader reader) throws IOException {
    BlockWalk.search(
        window,
        0,
        Long.MAX_VALUE,
        block.number(),
        reader,
        (offset, header, length, document) -> accept(offset, length, document));
  }

  private boolean accept(long offset, int length, DocumentReader reader) {
    long begin = reader.firstSequence();
    boolean isNext = begin >= expected && begin + reader.count() <= end;
    if (isNext) {
      document(offset, offset + DocumentHeader.BYTES + length, reader);
    }
    return isNext;
  }

  private void document(long offset, long behind, DocumentReader reader) {
    add(reader, offset);
    lost(reader.firstSequence(), offset);
    validTo = reader.offset();
    if (reader.isLost()) {
      expected = reader.firstSequence() + reader.count(); // a gap, which is reported elsewhere
    }
    while (reader.hasNext()) {
      long sequence = reader.nextSequence();
      long at = reader.offset();
      if (isValid(reader)) {
        lost(sequence, at); // what came before it
        expected = sequence + 1;
        validTo = reader.offset();
      }
    }
    lost(reader.firstSequence() + reader.count(), behind);
    validTo = behind;
  }

  private static boolean isValid(DocumentReader reader) {
    try {
      reader.prove();
      return true;
    } catch (DamagedException e) {
      return false;
    }
  }

  private void lost(long to, long offset) {
    if (to <= expected) {
      return;
    }
    Damage before = lost.isEmpty() ? null : lost.get(lost.size() - 1);
    if (before != null && before.end() == expected) {
      lost.remove(lost.size() - 1);
      lost.add(new Damage(block.number(), block.file(), before.first(), to, before.from(), offset));
    } else {
      lost.add(new Damage(block.number(), block.file(), expected, to, validTo, offset));
    }
    expected = to;
  }

  private void add(DocumentReader reader, long offset) {
    if (documents == sequences.length) {
      sequences = Arrays.copyOf(sequences, documents * 2);
      offsets = Arrays.copyOf(offsets, documents * 2);
      times = Arrays.copyOf(times, documents * 2);
    }
    sequences[documents] = reader.firstSequence();
    times[documents] = reader.micros();
    offsets[documents++] = offset;
  }

  /** Returns whether it is known of this message that it is valid, or that it is not. */
  boolean covers(long sequence) {
    return isIn(sequence) && (unread == null || lossOf(sequence) == null);
  }

  private boolean isIn(long sequence) {
    return sequence >= first && sequence < end;
  }

  boolean holds(long sequence) throws IOException {
    return isIn(sequence) && damageOf(sequence) == null;
  }

  /**
   * Returns the damage to this message; null if it is valid, or not in the part that was scanned.
   *
   * @throws IOException it was not found, and not all of the file could be read
   */
  @Nullable Damage damageOf(long sequence) throws IOException {
    Damage damage = lossOf(sequence);
    if (damage != null) {
      ensureRead();
    }
    return damage;
  }

  private void ensureRead() throws IOException {
    if (unread != null) {
      throw new IOException(block.file() + ": " + unread.getMessage(), unread);
    }
  }

  private @Nullable Damage lossOf(long sequence) {
    for (Damage damage : lost) {
      if (sequence >= damage.first() && sequence < damage.end()) {
        return damage;
      }
    }
    return null;
  }

  /** Returns the first message published at or after this time that is valid. */
  OptionalLong publishedAt(long micros) throws IOException {
    ensureRead();
    for (int i = 0; i < documents; i++) {
      if (times[i] >= micros) {
        long sequence = sequences[i];
        for (Damage at = damageOf(sequence); at != null; at = damageOf(sequence)) {
          sequence = at.end();
        }
        return sequence < end ? OptionalLong.of(sequence) : OptionalLong.empty();
      }
    }
    return OptionalLong.empty();
  }

  /** Returns all damage; throws if not all of the file could be read. */
  List<Damage> lost() throws IOException {
    if (!lost.isEmpty()) {
      ensureRead();
    }
    return lost;
  }

  /** Returns the offset of the document that has this message, which is valid. */
  long offsetOf(long sequence) {
    int at = Arrays.binarySearch(sequences, 0, documents, sequence);
    return offsets[at >= 0 ? at : -at - 2];
  }
}
