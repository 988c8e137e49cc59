package com.wookler.river.core.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.Seal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which backups there are, read from their seals when it is first asked and kept up to date from
 * then on. About 200 bytes a backup.
 *
 * <p>Thread-safe by one lock, which is held for look-ups in memory, and for the first one's reading
 * of all seals.
 */
final class BackupIndex {
  private static final Logger LOG = LoggerFactory.getLogger(BackupIndex.class);

  private final String queue;
  private final UUID identity;
  private final BackupLayout layout;

  @GuardedBy("this")
  private @Nullable BackupScan loaded;

  /** What reads are answered from: this queue's backups by first sequence. */
  @GuardedBy("this")
  private final NavigableMap<Long, StoredBlock> own = new TreeMap<>();

  /** Backups of earlier queues of this name, and second ones of a block: they only expire. */
  @GuardedBy("this")
  private final List<StoredBlock> others = new ArrayList<>();

  BackupIndex(String queue, UUID identity, BackupLayout layout) {
    this.queue = queue;
    this.identity = identity;
    this.layout = layout;
  }

  @GuardedBy("this")
  private BackupScan load() {
    BackupScan scan = loaded;
    if (scan != null) {
      return scan;
    }
    try {
      scan =
          new BackupScan(
                  layout,
                  (file, what) ->
                      LOG.warn("Queue {}: damaged: backup file {}: {}", queue, file, what))
              .run();
    } catch (IOException e) {
      throw new RiverException(
          "queue " + queue + ": cannot read the backup directory " + layout.directory(), e);
    }
    loaded = scan;
    scan.blocks.sort(Comparator.comparing(StoredBlock::file));
    scan.blocks.forEach(this::place);
    scan.blocks.clear();
    long foreign = others.stream().filter(block -> !isOwn(block)).count();
    if (foreign > 0) {
      LOG.info(
          "Queue {}: {} holds {} backups of an earlier queue of this name; they are not read, and"
              + " removed when they are old enough",
          queue,
          layout.directory(),
          foreign);
    }
    return scan;
  }

  @GuardedBy("this")
  private void place(StoredBlock block) {
    if (!isOwn(block)) {
      others.add(block);
      return;
    }
    StoredBlock before = own.putIfAbsent(firstOf(block), block);
    if (before != null) {
      others.add(block);
      LOG.warn(
          "Queue {}: damaged: backup file {}: {} holds block {} already; not read",
          queue,
          block.file(),
          before.file(),
          block.block().block());
    }
  }

  private boolean isOwn(StoredBlock block) {
    return block.block().queue().equals(identity);
  }

  private static long firstOf(StoredBlock block) {
    return block.block().firstSequence();
  }

  /** The backup with this message. */
  synchronized Optional<StoredBlock> holding(long sequence) {
    load();
    Map.Entry<Long, StoredBlock> entry = own.floorEntry(sequence);
    return Optional.ofNullable(entry)
        .map(Map.Entry::getValue)
        .filter(block -> block.holds(sequence));
  }

  /** The first backup with a message published at or after this time. */
  synchronized Optional<StoredBlock> publishedAt(long micros) {
    load();
    return own.values().stream()
        .filter(block -> block.block().messages() > 0 && block.block().lastMicros() >= micros)
        .findFirst();
  }

  /** The backup of this very block. */
  synchronized Optional<StoredBlock> of(Seal seal) {
    load();
    return Optional.ofNullable(own.get(seal.firstSequence())).filter(block -> block.isOf(seal));
  }

  /**
   * All backups made at or before this time, of whatever queue, but for those of this one that hold
   * something from a sequence on.
   */
  synchronized List<StoredBlock> madeUntil(long micros, long needed) {
    load();
    List<StoredBlock> old = new ArrayList<>();
    own.values().stream()
        .filter(block -> block.madeMicros() <= micros && block.block().endSequence() <= needed)
        .forEach(old::add);
    others.stream().filter(block -> block.madeMicros() <= micros).forEach(old::add);
    return old;
  }

  synchronized void add(StoredBlock block) {
    load();
    place(block);
  }

  /** Takes a backup out; returns whether it was in. */
  synchronized boolean remove(StoredBlock block) {
    load();
    return own.remove(firstOf(block), block) || others.remove(block);
  }

  synchronized OptionalLong firstSequenceFrom(long sequence) {
    load();
    Long first = own.ceilingKey(sequence);
    return first == null ? OptionalLong.empty() : OptionalLong.of(first);
  }

  synchronized OptionalLong firstSequence() {
    load();
    return own.isEmpty() ? OptionalLong.empty() : OptionalLong.of(own.firstKey());
  }

  synchronized int count() {
    load();
    return own.size();
  }

  synchronized long bytes() {
    load();
    return own.values().stream().mapToLong(StoredBlock::length).sum();
  }

  /** This queue's backups and those whose owner cannot be told, oldest block first. */
  synchronized List<Path> files() {
    List<Path> files = new ArrayList<>(load().damaged);
    own.values().forEach(block -> files.add(block.file()));
    others.stream().filter(this::isOwn).forEach(block -> files.add(block.file()));
    files.sort(
        Comparator.comparingInt(
                (Path file) -> BackupLayout.block(file, BackupLayout.DATA).orElse(-1))
            .thenComparing(Comparator.naturalOrder()));
    return files;
  }

  /** What a crash left, once: half-made files, then folders that may be empty. */
  synchronized List<Path> takeLeftovers() {
    BackupScan scan = load();
    List<Path> all = new ArrayList<>(scan.leftovers);
    all.addAll(scan.folders);
    scan.leftovers.clear();
    scan.folders.clear();
    return all;
  }
}
