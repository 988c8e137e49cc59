package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.log.files.ContentCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The messages of one queue's backups. */
record BackupSource(Path directory, UUID queue, List<StoredBlock> blocks) implements MessageSource {
  static BackupSource of(Path directory, @Nullable UUID id) throws IOException {
    BackupFiles files = BackupFiles.scan(directory);
    Set<UUID> queues = new TreeSet<>();
    files.blocks().forEach(stored -> queues.add(stored.block().queue()));
    if (id != null) {
      queues.retainAll(Set.of(id));
    }
    if (queues.isEmpty()) {
      throw id == null
          ? WrongDirectoryErrors.neither(directory)
          : new ConfigurationException(
              directory + " holds neither a queue nor backups of queue " + id);
    }
    if (queues.size() > 1) {
      throw new ConfigurationException(
          directory + " holds backups of several queues: " + queues + "; name one by --id");
    }
    UUID queue = queues.iterator().next();
    return new BackupSource(
        directory,
        queue,
        files.blocks().stream().filter(stored -> stored.block().queue().equals(queue)).toList());
  }

  @Override
  public String name() {
    return String.valueOf(directory.toAbsolutePath().normalize().getFileName());
  }

  @Override
  public @Nullable Path subscribers() {
    return null;
  }

  @Override
  public void walk(long from, long to, Sink sink, Progress progress) throws IOException {
    progress.total(blocks.stream().mapToLong(StoredBlock::length).sum());
    Tracker tracker = new Tracker(directory, from, to, sink);
    tracker.begins(blocks.get(0).block().firstSequence());
    for (StoredBlock stored : blocks) {
      if (tracker.done()) {
        return;
      }
      if (stored.block().endSequence() > tracker.expected()) {
        tracker.reaches(stored.block().firstSequence());
        walk(stored, tracker);
        tracker.reaches(stored.block().endSequence());
      }
      progress.done(stored.length());
    }
  }

  private void walk(StoredBlock stored, Tracker tracker) throws IOException {
    tracker.enter(stored.file(), stored.block().block());
    if (tracker.done()) {
      return;
    }
    try {
      BackupFiles.walk(
          stored,
          tracker.expected(),
          new MessageWalk(queue, stored.block().block(), tracker),
          tracker::damaged);
    } catch (DamagedException e) {
      tracker.damaged(Finding.UNKNOWN, ContentCheck.text(e));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
