package com.wookler.river.common.ids;

import com.wookler.river.common.file.RecordFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Removes ids from the files of ids, while no queue has them open. All files are written anew, each
 * under a number above those that are there, and then the old ones are deleted: a crash leaves
 * either complete, and what is there of the other changes nothing.
 */
public final class IdEraser {
  private final Path directory;
  private final UUID queue;
  private final Which which;

  /** Selects ids. */
  @FunctionalInterface
  public interface Which {
    /** Returns whether to remove this id of the message with this sequence. */
    boolean matches(long sequence, String id);
  }

  /** Creates an eraser for the files in a directory. */
  public IdEraser(Path directory, UUID queue, Which which) {
    this.directory = directory;
    this.queue = queue;
    this.which = which;
  }

  private boolean isErased(IdRecord record) {
    return record.kind() == IdRecord.ID
        && which.matches(record.sequence(), new String(record.id(), StandardCharsets.UTF_8));
  }

  private RecordFile open(long number) {
    return new RecordFile(IdHeader.FILES, directory, queue, number, true);
  }

  /**
   * Returns how many ids would be removed.
   *
   * @param faulty gets the files of which a part cannot be read
   */
  public long count(List<Path> faulty) throws IOException {
    long[] found = {0};
    for (long number : IdHeader.FILES.list(directory).keySet()) {
      RecordFile file = open(number);
      IdScan scan =
          new IdScan(
              file,
              (record, at) -> {
                found[0] += isErased(record) ? 1 : 0;
                return true;
              });
      if (!scan.fault(false).isEmpty()) {
        faulty.add(file.path());
      }
    }
    return found[0];
  }

  /** Removes the ids from files that are intact. */
  public void erase() throws IOException {
    List<Path> old = new ArrayList<>(IdHeader.FILES.list(directory).values());
    long next = IdHeader.FILES.number(old.get(old.size() - 1)) + 1;
    List<IdHeader.Entry> made = new ArrayList<>();
    long[] covered = {0, 0}; // sequence and time
    for (int i = 0; i < old.size(); i++) {
      List<IdRecord> kept = new ArrayList<>();
      IdScan scan =
          new IdScan(
              open(IdHeader.FILES.number(old.get(i))),
              (record, at) -> {
                if (record.kind() == IdRecord.COVERED) {
                  covered[0] = record.sequence();
                  covered[1] = record.micros();
                } else if (!isErased(record)) {
                  kept.add(record);
                }
                return true;
              });
      long since = scan.header == null ? 0 : scan.header.micros();
      IdFile file =
          IdFile.begin(
              directory,
              queue,
              new IdHeader(next + i, since, made),
              channel -> channel.force(true));
      kept.forEach(record -> file.add(record, 0));
      if (i == old.size() - 1) {
        file.append(IdRecord.covered(covered[0], covered[1], next));
      }
      made.add(file.entry());
      file.write(file.pending(), 0);
    }
    for (Path file : old) {
      Files.delete(file);
    }
  }
}
