package com.wookler.river.core.log.recovery;

import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.log.recovery.BlockContent.Hole;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** What the documents of a block come to, which are shown to it in their order. */
final class BlockTotals {
  private final List<Hole> holes = new ArrayList<>();
  private long[] spaced = new long[64]; // offset of each sixteenth document's header
  private long first;
  private long end;
  private long documents;
  private long bytes;
  private long firstMicros;
  private long lastMicros;
  private long digest;
  private long last;

  /** Adds a document, by its header's offset and its part of the block's digest. */
  void add(long offset, int length, DocumentReader document, long checksum) {
    if (documents == 0) {
      first = document.firstSequence();
      firstMicros = document.micros();
    }
    long behind = document.firstSequence() + document.count();
    if (document.isLost()) {
      holes.add(new Hole(document.firstSequence(), behind, 0));
    }
    if (documents % ChronicleHeader.SPACING == 0) {
      int at = Math.toIntExact(documents / ChronicleHeader.SPACING);
      if (at == spaced.length) {
        spaced = Arrays.copyOf(spaced, at * 2);
      }
      spaced[at] = offset;
    }
    documents++;
    bytes += length;
    end = behind;
    last = offset;
    lastMicros = document.micros();
    digest = DocumentFormat.digest(digest, checksum);
  }

  /** Returns the offset of each sixteenth document's header, the first one's first. */
  long[] spaced() {
    long used = (documents + ChronicleHeader.SPACING - 1) / ChronicleHeader.SPACING;
    return Arrays.copyOf(spaced, Math.toIntExact(used));
  }

  long documents() {
    return documents;
  }

  long first() {
    return first;
  }

  /** Returns the offset of the last document's header. */
  long last() {
    return last;
  }

  List<Hole> holes() {
    return holes;
  }

  /** Returns the block with these documents, from its first sequence up to this offset. */
  RecoveredBlock block(UUID queue, int number, Path file, long start, long offset) {
    long lost = holes.stream().mapToLong(hole -> hole.end() - hole.first()).sum();
    Seal seal =
        new Seal(
            queue,
            number,
            start,
            Math.max(0, end - start),
            documents,
            offset,
            firstMicros,
            lastMicros,
            digest,
            Math.toIntExact(lost));
    return new RecoveredBlock(seal, file, bytes);
  }
}
