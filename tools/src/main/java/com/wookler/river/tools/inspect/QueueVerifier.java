package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.ids.IdFiles;
import com.wookler.river.common.keys.KeyIndex;
import com.wookler.river.common.removed.RemovedFiles;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.delay.DelayFiles;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.log.QueueIdentity.Part;
import com.wookler.river.core.log.SideFiles;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.transfer.Origins;
import com.wookler.river.forward.ForwardPosition;
import com.wookler.river.forward.Redrives;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Verifies all of a queue's directory: every message's checksum and sequence, seals and their
 * digests, settings and acknowledgements, and that they fit each other; the index of keys, ids,
 * delayed messages, the positions of forwarding, and the record of damage.
 *
 * <p>Reads only, in bounded memory, also while a process has the queue open: what is being written
 * at that moment is not reported as damage. For that, the beginning of the log is read before the
 * subscribers, whose positions only rise, and its end after them.
 */
public final class QueueVerifier {
  private final Reporter report;
  private final Progress progress;
  private final @Nullable Path backup;

  private QueueVerifier(Reporter report, Progress progress, @Nullable Path backup) {
    this.report = report;
    this.progress = progress;
    this.backup = backup;
  }

  /**
   * What was verified.
   *
   * @param blocks or backups
   * @param messages with valid checksums
   * @param subscribers of the queue
   * @param damages findings that are damage
   */
  public record Result(int blocks, long messages, int subscribers, long damages) {}

  /**
   * Verifies a queue's directory.
   *
   * @param backup directory of the queue's backups, which subscribers may read from, or null; it is
   *     not verified
   * @throws com.wookler.river.common.errors.ConfigurationException it is no queue's directory, or
   *     {@code backup} is no directory
   */
  public static Result verify(
      Path directory, @Nullable Path backup, Consumer<Finding> findings, Progress progress)
      throws IOException {
    if (backup != null) {
      WrongDirectoryErrors.refuseMissing(backup);
    }
    return new QueueVerifier(new Reporter(findings), progress, backup)
        .run(QueueDirectory.of(directory));
  }

  private Result run(QueueDirectory directory) throws IOException {
    Path json = directory.path().resolve(QueueIdentity.FILE);
    if (directory.identity().isEmpty()) {
      report.damage(json, directory.fault());
    }
    if (!Files.isDirectory(directory.log())) {
      report.damage(directory.log(), "it is missing");
    }
    for (Path stranger : directory.strangers()) {
      report.note(stranger, "is no file of River's");
    }
    if (QueueEraser.isPending(directory.path())) {
      report.note(directory.path(), "an erasure was cut off; another ./river erase finishes it");
    }
    Optional<UUID> queue = directory.queue();
    if (queue.isEmpty()) {
      return new Result(0, 0, 0, report.damages()); // checksums include the identity
    }
    long first = firstSequence(directory.files());
    SubscriberVerifier subscribers = new SubscriberVerifier(queue.get(), report);
    subscribers.run(directory.subscribers(), first);
    SideFiles notes = SideFiles.of(directory.log(), queue.get());
    LogFiles files = directory.files();
    progress.total(LogVerifier.bytes(files));
    LogVerifier log = new LogVerifier(queue.get(), files, notes, report, progress);
    log.run();
    subscribers.compare(readable(queue.get(), first), log.endSequence());
    KeyIndex.verify(directory.keys(), queue.get(), report::damage);
    IdFiles.verify(
        directory.path().resolve("ids"),
        queue.get(),
        has(directory, Part.IDS),
        first,
        log.endSequence(),
        report::damage);
    for (Path aside : IdFiles.quarantined(directory.path().resolve("ids"))) {
      report.note(aside, "was quarantined as damaged before");
    }
    RemovedFiles.faults(directory.path(), queue.get(), has(directory, Part.REMOVED))
        .forEach(report::damage);
    for (Path aside : RemovedFiles.quarantined(directory.path())) {
      report.note(aside, "was quarantined as damaged before");
    }
    SideFiles.recordFault(directory.path())
        .ifPresent(what -> report.damage(directory.path().resolve(SideFiles.RECORD), what));
    delayed(directory, queue.get());
    forwards(directory, queue.get());
    Result letters = deadLetters(directory);
    return new Result(
        log.blocks() + letters.blocks(),
        log.messages() + letters.messages(),
        subscribers.count(),
        report.damages());
  }

  private static boolean has(QueueDirectory directory, Part part) {
    return directory.identity().map(QueueIdentity::has).orElse(Set.of()).contains(part);
  }

  private void delayed(QueueDirectory queueDirectory, UUID queue) throws IOException {
    Path directory = queueDirectory.path();
    try {
      if (has(queueDirectory, Part.DELAYED) && !DelayFiles.exist(directory)) {
        report.damage(directory.resolve(Delays.DIRECTORY), "its files are missing");
      }
      DelayFiles.Look look = DelayFiles.look(directory, queue, true);
      look.faults().forEach(fault -> report.damage(fault.file(), fault.what()));
      look.quarantined().forEach(file -> report.note(file, "was quarantined as damaged before"));
    } catch (RiverException e) { // a newer version
      report.damage(directory.resolve(Delays.DIRECTORY), String.valueOf(e.getMessage()));
    }
  }

  /** Verifies the positions of forwarding to other queues and from them, and of redrives. */
  private void forwards(QueueDirectory directory, UUID queue) throws IOException {
    Path forwards = directory.path().resolve("forwards");
    for (String target : ForwardPosition.targets(forwards)) {
      Path file = ForwardPosition.file(forwards, target);
      if (!exists(file, () -> ForwardPosition.read(forwards, queue, target))) {
        report.note(file, "was removed meanwhile");
      }
    }
    for (Path file : Redrives.files(directory.path())) {
      if (!exists(file, () -> Redrives.verify(file, queue))) {
        report.note(file, "was removed meanwhile");
      }
    }
    Path origins = directory.path().resolve(Origins.FILE);
    if ((has(directory, Part.ORIGINS) || Origins.exist(origins))
        && !exists(origins, () -> Origins.read(origins, queue))) {
      report.damage(origins, "it is missing");
    }
  }

  @FunctionalInterface
  private interface Read {
    void run() throws IOException;
  }

  /** Reads a file and reports its damage; returns whether it exists. */
  private boolean exists(Path file, Read read) throws IOException {
    try {
      read.run();
    } catch (NoSuchFileException e) {
      return false;
    } catch (RiverException e) {
      report.damage(file, String.valueOf(e.getMessage()));
    }
    return true;
  }

  /** Verifies the queues of dead letters in the subscribers' directories. */
  private Result deadLetters(QueueDirectory directory) throws IOException {
    int blocks = 0;
    long messages = 0;
    for (Path subscriber : SubscriberFiles.list(directory.subscribers())) {
      try {
        for (Path queue : SubscriberFiles.queues(subscriber)) {
          if (SubscriberFiles.isQuarantined(queue)) {
            report.note(queue, "was quarantined as damaged before");
            continue;
          }
          Result result =
              new QueueVerifier(report, Progress.NONE, null).run(QueueDirectory.of(queue));
          blocks += result.blocks();
          messages += result.messages();
        }
      } catch (NoSuchFileException e) {
        report.note(subscriber, "was removed meanwhile");
      }
    }
    return new Result(blocks, messages, 0, report.damages());
  }

  private static long firstSequence(LogFiles files) throws IOException {
    for (Map.Entry<Integer, Path> entry : files.blocks().entrySet()) {
      int number = entry.getKey();
      Optional<Seal> seal = files.seal(number);
      if (seal.isPresent()) {
        return seal.get().firstSequence();
      }
      try {
        Optional<BlockStart> start = new BlockFile(number, entry.getValue()).start();
        if (start.isPresent()) {
          return start.get().firstSequence();
        }
      } catch (NoSuchFileException e) {
        // the verification of the block reports it
      }
    }
    return ContentCheck.UNKNOWN;
  }

  /** Returns the first sequence that can be read, in the log or the backups before it. */
  private long readable(UUID queue, long first) throws IOException {
    long readable = first;
    if (backup != null) {
      var blocks = BackupFiles.scan(backup).blocks();
      for (int i = blocks.size() - 1; i >= 0; i--) {
        StoredBlock stored = blocks.get(i);
        Seal seal = stored.block();
        if (seal.queue().equals(queue) && seal.endSequence() >= readable) {
          readable = Math.min(readable, seal.firstSequence());
        }
      }
    }
    return readable;
  }
}
