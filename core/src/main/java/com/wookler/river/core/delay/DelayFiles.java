package com.wookler.river.core.delay;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.file.Directories;
import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.file.RecordFile;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Looks at the files of delayed messages, also while a process has the queue open. */
public final class DelayFiles {
  private static final int TRIES = 5;
  private static final String DAMAGED = "^damaged: ";

  private DelayFiles() {}

  /** A file or directory that is not as it was written, and what is wrong. */
  public record Fault(Path file, String what) {}

  /**
   * What the files hold.
   *
   * @param waiting messages that wait in intact records
   * @param faults what is damaged
   * @param quarantined files that were found damaged before
   */
  public record Look(long waiting, List<Fault> faults, List<Path> quarantined) {
    /** Copies the lists. */
    public Look {
      faults = List.copyOf(faults);
      quarantined = List.copyOf(quarantined);
    }
  }

  /**
   * Lets a queue that is made of blocks look for delayed messages from a sequence on when it is
   * opened: those of which its log has no re-enqueued copy wait.
   *
   * @param queue directory of the queue
   */
  public static void begin(Path queue, UUID identity, long first) throws IOException {
    StoreOpening.create(queue.resolve(Delays.DIRECTORY), identity, first);
  }

  /** Returns whether a queue has files of delayed messages. */
  public static boolean exist(Path queue) throws IOException {
    return StoreOpening.exists(queue.resolve(Delays.DIRECTORY));
  }

  /**
   * Looks at the files of a queue; changes nothing.
   *
   * @param queue directory of the queue
   * @param verifies whether to verify every message, or only to count them
   * @throws com.wookler.river.common.errors.RiverException a newer River wrote them
   */
  public static Look look(Path queue, UUID identity, boolean verifies) throws IOException {
    Path directory = queue.resolve(Delays.DIRECTORY);
    if (!Files.isDirectory(directory)) {
      return new Look(0, List.of(), List.of());
    }
    for (int i = 1; ; i++) {
      TimerState.Look state = TimerState.look(directory, identity);
      Viewer viewer = new Viewer(directory, identity, verifies);
      try {
        return viewer.look(state);
      } catch (NoSuchFileException e) { // a file has gone since the state was read, or is lost
        if (i == TRIES) {
          viewer.fault(Path.of(String.valueOf(e.getFile())), "is missing");
          return viewer.result();
        }
      }
    }
  }

  private static final class Viewer {
    private final Path directory;
    private final UUID identity;
    private final boolean verifies;
    private final List<Fault> faults = new ArrayList<>();
    private final List<Path> quarantined = new ArrayList<>();
    private long waiting;

    Viewer(Path directory, UUID identity, boolean verifies) {
      this.directory = directory;
      this.identity = identity;
      this.verifies = verifies;
    }

    void fault(Path file, String what) {
      faults.add(new Fault(file, what.replaceFirst(DAMAGED, "")));
    }

    Look result() {
      return new Look(waiting, faults, quarantined);
    }

    Look look(TimerState.Look state) throws IOException {
      state.faults().forEach(what -> faults.add(new Fault(directory, what)));
      quarantined.addAll(Directories.list(directory, DurableFiles::isQuarantined));
      TimerState newest = state.newest();
      if (newest == null) {
        if (StoreOpening.exists(directory)) {
          fault(directory, "has no state; the next opening makes one of its files and the log");
        }
        return result();
      }
      for (TimerState.Line line : newest.files()) {
        look(line, newest.done());
      }
      return result();
    }

    private void look(TimerState.Line line, Key done) throws IOException {
      Path path = DelayedRecord.FILES.path(directory, line.number());
      try (RecordFile file = DelayedRecord.open(directory, identity, line.number())) {
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
                  verify(file, offset, sequence);
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
      } catch (DamagedMessageException e) {
        fault(path, String.valueOf(e.getMessage()));
      }
    }

    private void verify(RecordFile file, long offset, long sequence) {
      try {
        if (verifies) {
          DelayedRecord.message(file, offset, sequence);
        }
      } catch (DamagedMessageException | IOException e) {
        String what = e instanceof IOException ? e.toString() : String.valueOf(e.getMessage());
        fault(
            file.path(),
            "sequence " + sequence + ", byte " + offset + ": " + what.replaceFirst(DAMAGED, ""));
      }
    }
  }
}
