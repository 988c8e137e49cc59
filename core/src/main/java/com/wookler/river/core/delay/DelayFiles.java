package com.wookler.river.core.delay;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.utils.Amount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads the files of delayed messages from outside, also while a process has the queue open. */
public final class DelayFiles {
  private static final int TRIES = 5;
  private static final String DAMAGED = "^damaged: ";

  private final Path directory;
  private final UUID identity;
  private final boolean verifies;
  private final List<Fault> faults = new ArrayList<>();
  private long waiting;

  private DelayFiles(Path directory, UUID identity, boolean verifies) {
    this.directory = directory;
    this.identity = identity;
    this.verifies = verifies;
  }

  /** A file or directory that is not as it was written, and what is wrong. */
  public record Fault(Path file, String what) {}

  /** Waiting messages in intact records, what is damaged, and files quarantined before. */
  public record Look(long waiting, List<Fault> faults, List<Path> quarantined) {
    public Look {
      faults = List.copyOf(faults);
      quarantined = List.copyOf(quarantined);
    }
  }

  /**
   * Creates the files of a queue that is made of blocks: its opening collects the delayed messages
   * from a sequence on of which its log has no re-enqueued copy.
   */
  public static void begin(Path queue, UUID identity, long first) throws IOException {
    StoreOpening.create(queue.resolve(Delays.DIRECTORY), identity, first);
  }

  public static boolean exist(Path queue) throws IOException {
    return StoreOpening.exists(queue.resolve(Delays.DIRECTORY));
  }

  /**
   * Looks at the files of a queue, changing nothing; {@code verifies} says whether to verify every
   * message, or only to count them. Throws if a newer River wrote them.
   */
  public static Look look(Path queue, UUID identity, boolean verifies) throws IOException {
    Path directory = queue.resolve(Delays.DIRECTORY);
    if (!Files.isDirectory(directory)) {
      return new Look(0, List.of(), List.of());
    }
    for (int i = 1; ; i++) {
      DelayFiles files = new DelayFiles(directory, identity, verifies);
      try {
        files.look();
      } catch (NoSuchFileException e) { // it was deleted since the state was read, or is lost
        if (i < TRIES) {
          continue;
        }
        files.fault(Path.of(String.valueOf(e.getFile())), "is missing");
      }
      List<Path> quarantined = Directories.list(directory, DurableFiles::isQuarantined);
      return new Look(files.waiting, files.faults, quarantined);
    }
  }

  private void fault(Path file, String what) {
    faults.add(new Fault(file, what.replaceFirst(DAMAGED, "")));
  }

  private void look() throws IOException {
    TimerState.Look state = TimerState.look(directory, identity);
    state.faults().forEach(what -> faults.add(new Fault(directory, what)));
    TimerState newest = state.newest();
    if (newest != null) {
      for (TimerState.Line line : newest.files()) {
        look(line, newest.done());
      }
    } else if (StoreOpening.exists(directory)) {
      fault(directory, "has no state; the next opening makes one of its files and the log");
    }
  }

  private void look(TimerState.Line line, Key done) throws IOException {
    Path path = DelayedRecord.FILES.path(directory, line.number());
    try (RecordFile file = DelayedRecord.open(directory, identity, line.number());
        BucketReader messages = new BucketReader(identity)) {
      long before = waiting;
      int known = faults.size();
      DelayedRecord.scan(
          file,
          line.bytes(),
          new DelayedRecord.Visitor() {
            @Override
            public void message(long time, long sequence, long offset, int size) {
              if (done.isBefore(time, sequence)) {
                waiting++;
                verify(messages, file, offset, sequence);
              }
            }

            @Override
            public void damaged(long from, long to) {
              fault(path, "bytes " + from + " to " + to + " are no message");
            }
          });
      long lacks = line.records() - (waiting - before);
      if (lacks > 0 && faults.size() > known) {
        fault(path, "lost: " + Amount.of(lacks, "message"));
      }
    } catch (DamagedException e) {
      fault(path, String.valueOf(e.getMessage()));
    }
  }

  private void verify(BucketReader messages, RecordFile file, long offset, long sequence) {
    try {
      if (verifies) {
        messages.message(file, offset, sequence);
      }
    } catch (DamagedException | IOException e) {
      String what = e instanceof IOException ? e.toString() : String.valueOf(e.getMessage());
      fault(
          file.path(),
          "sequence " + sequence + ", byte " + offset + ": " + what.replaceFirst(DAMAGED, ""));
    }
  }
}
