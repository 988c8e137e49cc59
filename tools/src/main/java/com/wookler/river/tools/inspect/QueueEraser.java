package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.Sealed;
import com.wookler.river.common.ids.IdEraser;
import com.wookler.river.common.ids.IdFiles;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.BackupRewriter;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.delay.DelayEraser;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DocumentEraser;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.forward.ForwardPosition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Erases messages wherever a queue keeps them: log, backups, delayed messages, ids, dead letters,
 * and blocks that were quarantined. Each file is written anew and then replaced, so that a crash
 * leaves the old one or the new one. The sequences are in the file {@value #PENDING} until all is
 * done: what a crash has cut off is finished by the next call, whatever that is to erase.
 *
 * <p>The queue must not be open, and the caller must hold its lock.
 */
public final class QueueEraser {
  /** The file that says which sequences are being erased. */
  static final String PENDING = "erasing";

  private static final Sealed FORM = new Sealed("ERA", 1);
  private static final String UNSEARCHED = "was not searched";

  private final QueueDirectory directory;
  private final UUID queue;
  private final @Nullable Path backup;
  private final EraseSelection selection;
  private final Reporter report;
  private final Consumer<Erased> sink;
  private final Progress progress;
  private boolean write;
  private boolean counts;
  private boolean hadKey;
  private long messages;
  private int files;

  private QueueEraser(
      QueueDirectory directory,
      @Nullable Path backup,
      EraseSelection selection,
      Reporter report,
      Consumer<Erased> sink,
      Progress progress) {
    this.directory = directory;
    this.queue = identityOf(directory);
    this.backup = backup;
    this.selection = selection;
    this.report = report;
    this.sink = sink;
    this.progress = progress;
  }

  private static UUID identityOf(QueueDirectory directory) {
    return directory
        .queue()
        .orElseThrow(
            () ->
                new ConfigurationException(
                    directory.path() + ": its queue is unknown: " + directory.fault()));
  }

  /** Takes what is found. */
  public interface Sink {
    /** Takes a file with messages that are, or would be, erased. */
    void erased(Erased file);

    /** Takes what could not be searched, as damage, and what lies elsewhere, as a note. */
    void finding(Finding finding);
  }

  /** How many messages, or ids, of a file are erased, or would be. */
  public record Erased(Path file, long messages) {}

  /**
   * What was, or would be, erased.
   *
   * @param messages with each copy, and ids
   * @param unsearched files that could not be searched
   */
  public record Result(long messages, int files, long unsearched) {}

  /** Returns whether an erasure of this queue was cut off. */
  public static boolean isPending(Path directory) {
    return Files.exists(directory.resolve(PENDING));
  }

  /**
   * Erases messages.
   *
   * @param backup directory of the queue's backups; null if it has none
   * @param write whether to erase them; else they are counted only
   * @throws ConfigurationException the directory is not a queue's, or {@code backup} holds none of
   *     its backups
   */
  public static Result erase(
      Path directory,
      @Nullable Path backup,
      EraseSelection selection,
      boolean write,
      Sink sink,
      Progress progress)
      throws IOException {
    QueueEraser eraser =
        new QueueEraser(
            QueueDirectory.of(directory),
            backup,
            selection,
            new Reporter(sink::finding),
            sink::erased,
            progress);
    return eraser.run(write);
  }

  private Result run(boolean writes) throws IOException {
    if (backup != null) {
      WrongDirectoryErrors.refuseWithoutBackups(backup, queue);
    }
    Path pending = directory.path().resolve(PENDING);
    if (Files.exists(pending)) {
      selection.decode(FORM.read(pending, queue));
    }
    progress.total(2 * bytes());
    originals(); // finds the sequences of what has no id or key, and of what was redriven
    if (writes) {
      FORM.write(pending, queue, selection.encode(Sealed.payload(selection.bytes())));
    }
    write = writes;
    counts = true;
    for (Path subscriber : SubscriberFiles.list(directory.subscribers())) {
      for (Path letters : SubscriberFiles.list(subscriber)) {
        letters(letters);
      }
    }
    originals();
    ids();
    named();
    if (writes) {
      if (hadKey) {
        deleteAll(directory.keys(), name -> true); // made anew of the log
      }
      Files.deleteIfExists(pending);
      DurableFiles.forceDirectory(directory.path());
    }
    return new Result(messages, files, report.damages());
  }

  /** Searches what holds the messages as they were published, and re-enqueued copies. */
  private void originals() throws IOException {
    if (backup != null) {
      backups(backup);
    }
    log(directory, queue, this::finds);
    delayed(directory, queue, this::finds);
  }

  private boolean finds(StoredMessage message) {
    boolean found = selection.finds(message);
    hadKey |= found && message.key() != null;
    return found;
  }

  /** Searches the dead letters of a subscriber. */
  private void letters(Path path) throws IOException {
    if (!QueueDirectory.is(path)) {
      return;
    }
    QueueDirectory letters = QueueDirectory.of(path);
    Optional<UUID> identity = letters.queue();
    if (identity.isEmpty()) {
      report.damage(path, UNSEARCHED + ": which queue it is of is unknown");
      return;
    }
    log(letters, identity.get(), selection::findsLetter);
    delayed(letters, identity.get(), selection::findsLetter);
  }

  private void log(QueueDirectory of, UUID identity, Predicate<StoredMessage> which)
      throws IOException {
    LogFiles all = of.files();
    if (write) {
      deleteAll(of.log(), name -> name.endsWith(DurableFiles.TEMPORARY));
    }
    for (Map.Entry<Integer, Path> block : all.blocks().entrySet()) {
      block(of.log(), identity, block.getKey(), block.getValue(), all.seal(block.getKey()), which);
    }
    for (Map.Entry<Integer, Path> block : all.damaged().entrySet()) {
      block(of.log(), identity, block.getKey(), block.getValue(), Optional.empty(), which);
    }
    if (counts) {
      List<Path> others = new ArrayList<>(all.others());
      others.removeAll(all.damaged().values());
      others.addAll(Directories.list(of.path().resolve("damaged"), name -> true));
      others.forEach(file -> report.damage(file, UNSEARCHED));
    }
  }

  private void block(
      Path log,
      UUID identity,
      int number,
      Path file,
      Optional<Seal> seal,
      Predicate<StoredMessage> which)
      throws IOException {
    DocumentEraser messagesOf = new DocumentEraser(identity, which);
    BlockEraser eraser = new BlockEraser(identity, number, messagesOf);
    long found = eraser.count(file);
    unreadable(file, messagesOf.damaged());
    try {
      if (found > 0 && write && seal.isPresent()) {
        eraser.replace(file, BlockName.seal(log, number), seal.get());
      } else if (found > 0 && write) {
        eraser.replace(file);
      }
      erased(file, found);
    } catch (DamagedException e) {
      report.damage(file, "was not changed: " + ContentCheck.text(e));
    }
    progress.done(Files.size(file));
  }

  private void unreadable(Path file, long damaged) {
    if (counts && damaged > 0) {
      report.damage(file, damaged + " of its messages are damaged; what they hold is unknown");
    }
  }

  private void delayed(QueueDirectory of, UUID identity, Predicate<StoredMessage> which)
      throws IOException {
    Path delays = of.path().resolve("delayed");
    if (write) {
      deleteAll(delays, name -> name.endsWith(DurableFiles.TEMPORARY));
    }
    DocumentEraser messagesOf = new DocumentEraser(identity, which);
    long found =
        DelayEraser.erase(
            of.path(),
            identity,
            messagesOf,
            write,
            (file, what) -> {
              if (counts) {
                report.damage(file, UNSEARCHED + ": " + what);
              }
            });
    unreadable(delays, messagesOf.damaged());
    erased(delays, found);
    quarantined(Directories.list(delays, DurableFiles::isQuarantined));
  }

  private void quarantined(List<Path> all) {
    if (counts) {
      all.forEach(file -> report.damage(file, UNSEARCHED + ": it was quarantined as damaged"));
    }
  }

  private void backups(Path from) throws IOException {
    if (write) {
      BackupRewriter.deleteLeftovers(from);
    }
    BackupFiles all = BackupFiles.scan(from);
    for (StoredBlock stored : all.blocks()) {
      if (stored.block().queue().equals(queue)) {
        backup(stored, all.blocks());
      }
    }
    if (counts) {
      all.unexpected().stream()
          .filter(BackupFiles.UnexpectedFile::isBackup)
          .forEach(found -> report.damage(found.file(), UNSEARCHED + ": " + found.what()));
    }
  }

  private void backup(StoredBlock stored, List<StoredBlock> all) throws IOException {
    DocumentEraser messagesOf = new DocumentEraser(queue, this::finds);
    BackupEraser eraser = new BackupEraser(messagesOf);
    try {
      long found = eraser.count(stored);
      unreadable(stored.file(), messagesOf.damaged());
      if (found > 0 && write) {
        eraser.replace(stored, all);
      }
      progress.done(stored.length());
      erased(stored.file(), found);
    } catch (DamagedException e) {
      if (counts) {
        report.damage(stored.file(), "was not changed: " + ContentCheck.text(e));
      }
    }
  }

  private void ids() throws IOException {
    Path ids = directory.path().resolve("ids");
    List<Path> faulty = new ArrayList<>();
    IdEraser eraser = new IdEraser(ids, queue, selection::isId);
    long found = eraser.count(faulty);
    faulty.forEach(file -> report.damage(file, UNSEARCHED + ": a part of it is damaged"));
    if (found > 0 && write && faulty.isEmpty()) {
      eraser.erase();
    }
    erased(ids, found);
    quarantined(IdFiles.quarantined(ids));
  }

  /** Names where copies may be that this queue does not hold. */
  private void named() throws IOException {
    for (String target : ForwardPosition.targets(directory.path().resolve("forwards"))) {
      report.note(directory.path(), "forwards to the queue " + target + ": erase there too");
    }
    if (backup == null) {
      report.note(directory.path(), "backups were not searched: if there are any, name --backup");
    }
    Path own = directory.path().toAbsolutePath().normalize();
    String earlier = own.getFileName() + ".discarded-";
    Path parent = Objects.requireNonNull(own.getParent());
    for (Path other : Directories.list(parent, name -> name.startsWith(earlier))) {
      report.note(other, "is an earlier queue: erase there too, or delete it");
    }
  }

  private static void deleteAll(Path in, Predicate<String> names) throws IOException {
    for (Path file : Directories.list(in, names)) {
      Files.deleteIfExists(file);
    }
  }

  private long bytes() throws IOException {
    long bytes = LogVerifier.bytes(directory.files());
    if (backup != null) {
      for (StoredBlock stored : BackupFiles.scan(backup).blocks()) {
        bytes += stored.length();
      }
    }
    return bytes;
  }

  private void erased(Path file, long found) {
    if (counts && found > 0) {
      messages += found;
      files++;
      sink.accept(new Erased(file, found));
    }
  }
}
