package com.wookler.river.core.log;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.log.files.FileWindow;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens documents of damaged blocks at addresses that a scan has found: through the mapping if
 * their header is intact, else through the file. An interrupted thread must clear its flag before.
 */
final class DamagedBlockReader {
  private static final Logger LOG = LoggerFactory.getLogger(DamagedBlockReader.class);
  private static final int NO_BLOCK = -1;

  private final BlockLog log;
  private final LogSettings settings;
  private final BlockCursor cursor;
  private final DocumentReader document;
  private int unmapped = NO_BLOCK; // the block that cannot be mapped

  DamagedBlockReader(
      BlockLog log, LogSettings settings, BlockCursor cursor, DocumentReader document) {
    this.log = log;
    this.settings = settings;
    this.cursor = cursor;
    this.document = document;
  }

  /** Returns whether a scan covers the message, so that the store's index is not needed. */
  boolean isDue(Block block, long sequence) {
    return log.scans().known(block, sequence) != null;
  }

  /** Opens the document of the message and moves to it; returns false if it is not valid. */
  boolean open(long sequence) throws IOException {
    Block block = log.blockOf(sequence);
    if (block == null) {
      return false;
    }
    try {
      BlockScan scan = log.scans().known(block, sequence);
      if (scan == null) {
        scan = log.scans().make(block, settings, log.nextSequence());
      }
      return scan.holds(sequence) && open(block, scan.offsetOf(sequence), sequence);
    } catch (DamagedException e) {
      LOG.debug("Sequence {}: {}", sequence, e.toString());
      return false;
    }
  }

  private boolean open(Block block, long offset, long sequence) throws IOException {
    if (block.number() == unmapped || log.isFailed() || !opensInPlace(block, offset, sequence)) {
      cursor.close();
      read(block, offset);
    }
    if (!document.holds(sequence)) {
      document.close(); // damaged since the scan
      return false;
    }
    document.skipTo(sequence);
    return true;
  }

  private boolean opensInPlace(Block block, long offset, long sequence) throws IOException {
    try {
      cursor.place(block.number(), offset);
    } catch (DamagedException e) {
      unmapped = block.number();
      return false;
    }
    try {
      return cursor.openNext() && document.holds(sequence);
    } catch (DamagedException e) {
      return false;
    }
  }

  private void read(Block block, long offset) throws IOException {
    try (FileWindow window = new FileWindow(block.file(), block.end())) {
      long start = offset + DocumentHeader.BYTES;
      window.has(start, DocumentFormat.HEADER_BYTES);
      int length = DocumentFormat.lengthAt(window, start);
      try {
        if (!window.has(start, length)) {
          throw new DamagedMessageException("damaged: a document claims " + length + " bytes");
        }
        document.open(window, start, length, block.number());
      } catch (DamagedException e) {
        window.refuseUnreadable();
        throw e;
      }
    }
  }
}
