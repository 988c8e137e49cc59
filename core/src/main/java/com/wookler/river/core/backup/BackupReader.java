package com.wookler.river.core.backup;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.StoredMessage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads single messages of backups by the seal and one frame; keeps nothing. Thread-safe. */
final class BackupReader {
  private static final Logger LOG = LoggerFactory.getLogger(BackupReader.class);

  private final String queue;
  private final Set<Path> reported = ConcurrentHashMap.newKeySet(); // damage is logged once a file

  BackupReader(String queue) {
    this.queue = queue;
  }

  /** Returns messages in a row up to the frame's end, without those that a power loss took. */
  List<StoredMessage> read(StoredBlock stored, long sequence, int max) throws IOException {
    Pick pick = new Pick(stored, sequence, max);
    String where = "sequence " + sequence + ", its seal";
    try {
      Frame frame = seal(stored).holding(sequence);
      where = "sequence " + sequence + ", the frame at byte " + frame.offset();
      String fault = walk(stored, frame, pick);
      if (pick.found.isEmpty() && pick.wanted > sequence) {
        return read(stored, pick.wanted, max); // the next message is in the next frame
      }
      if (pick.found.isEmpty()) {
        throw new DamagedMessageException(
            "damaged: " + (fault == null ? "it is not in its frame" : fault));
      }
      if (fault != null && reported.add(stored.file())) {
        LOG.warn(
            "Queue {}: damaged: backup {}: {}; sequence {} in it is intact",
            queue,
            stored.file(),
            fault,
            sequence);
      }
      return pick.found;
    } catch (DamagedException e) {
      throw located(stored, where, e);
    } catch (NoSuchFileException | FileNotFoundException e) { // names the file
      throw e;
    } catch (IOException e) { // does not say where
      throw new IOException(where + ": " + e.getMessage(), e);
    }
  }

  /** Returns the first readable message published at or after a time; empty if there is none. */
  OptionalLong find(StoredBlock stored, long micros) throws IOException {
    Search search = new Search(stored, micros);
    try {
      for (Frame frame : seal(stored).publishedFrom(micros)) {
        String fault = walk(stored, frame, search);
        if (search.found >= 0) {
          return OptionalLong.of(search.found);
        }
        LOG.debug("Backup {}: {}", stored.file(), fault);
      }
    } catch (DamagedException e) {
      LOG.debug("Backup {}", stored.file(), e);
    }
    return OptionalLong.empty();
  }

  /** Reads the seal of a backup, which must be the one that was indexed. */
  static BackupSeal seal(StoredBlock stored) throws IOException {
    BackupSeal seal = BackupSeal.read(BackupLayout.sealOf(stored.file()));
    if (!seal.block().equals(stored.block())) {
      throw new DamagedMessageException("damaged: its seal is another one now");
    }
    return seal;
  }

  private static @Nullable String walk(StoredBlock stored, Frame frame, BlockWalk.Visitor visitor)
      throws IOException {
    try (FrameFile file = new FrameFile(stored.file())) {
      return file.walk(frame, visitor);
    }
  }

  private DamagedMessageException located(StoredBlock stored, String what, DamagedException e) {
    return new DamagedMessageException(
        String.format(
            "queue %s, backup %s, block %d, %s: %s",
            queue, stored.file(), stored.block().block(), what, e.getMessage()),
        e);
  }

  /** Opens a document; returns false if it is damaged, so that its messages are not found. */
  static boolean opens(DocumentReader reader, byte[] document, int length, int block) {
    try {
      reader.open(document, length, block);
      return true;
    } catch (DamagedException e) {
      return false;
    }
  }

  /** Collects consecutive messages. A damaged document before the first is passed over. */
  private static final class Pick implements BlockWalk.Visitor {
    private final DocumentReader reader;
    private final int block;
    private final List<StoredMessage> found = new ArrayList<>();
    private long wanted;
    private int missing;

    Pick(StoredBlock stored, long sequence, int max) {
      this.reader = new DocumentReader(stored.block().queue());
      this.block = stored.block().block();
      this.wanted = sequence;
      this.missing = max;
    }

    @Override
    public void document(long offset, byte[] document, int length) {
      if (missing == 0 || !opens(reader, document, length, block) || !reader.holds(wanted)) {
        return;
      }
      if (reader.isLost()) {
        wanted = reader.firstSequence() + reader.count();
        missing = found.isEmpty() ? missing : 0;
      } else {
        reader.skipTo(wanted);
        collect();
      }
    }

    private void collect() {
      try {
        while (missing > 0 && reader.hasNext()) {
          found.add(reader.next());
          wanted++;
          missing--;
        }
      } catch (DamagedException e) {
        if (found.isEmpty()) {
          throw e;
        }
        missing = 0; // the messages before it are intact; a read from it on meets the damage
      }
    }
  }

  /** Finds the first document from a time on. */
  private static final class Search implements BlockWalk.Visitor {
    private final DocumentReader reader;
    private final int block;
    private final long micros;
    private long found = -1;

    Search(StoredBlock stored, long micros) {
      this.reader = new DocumentReader(stored.block().queue());
      this.block = stored.block().block();
      this.micros = micros;
    }

    @Override
    public void document(long offset, byte[] document, int length) {
      if (found < 0
          && opens(reader, document, length, block)
          && !reader.isLost()
          && reader.micros() >= micros) {
        found = reader.firstSequence();
      }
    }
  }
}
