package com.wookler.river.core.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds backups. Reads all seals when it is first used, and is kept up to date from then on; about
 * 200 bytes a backup. Thread-safe by one lock, which is held for look-ups in memory, and while the
 * first one reads all seals.
 */
final class BackupIndex {
  private static final Logger LOG = LoggerFactory.getLogger(BackupIndex.class);

  private final String queue;
  private final UUID identity;
  private final BackupLayout layout;

  @GuardedBy("this")
  private @Nullable BackupScan loaded;

  @GuardedBy("this")
  private final NavigableMap<Long, StoredBlock> own = new TreeMap<>(); // by first sequence

  @GuardedBy("this")
  private final List<StoredBlock> others = new ArrayList<>(); // foreign or second: only expire

  @GuardedBy("this")
  private final NavigableMap<Long, StoredBlock> removed = new TreeMap<>(); // by another program

  BackupIndex(String queue, UUID identity, BackupLayout layout) {
    this.queue = queue;
    this.identity = identity;
    this.layout = layout;
  }

  @GuardedBy("this")
  private BackupScan load() {
    BackupScan scan = loaded;
    if (scan != null) {
      if (!scan.unread.isEmpty()) {
        scan.readAgain();
        enterAll(scan);
      }
      return scan;
    }
    try {
      scan = new BackupScan(layout, new Reporter()).run();
    } catch (IOException e) {
      throw new RiverException(
          "queue " + queue + ": cannot read the backup directory " + layout.directory(), e);
    }
    loaded = scan;
    enterAll(scan);
    // a seal without data: if a crash left it, the next archive replaces it, and if it is old
    // enough it expires; else the data was removed, and a read reports that
    scan.sealsAlone.forEach(this::enter);
    long foreign = others.stream().filter(block -> !isOwn(block)).count();
    if (foreign > 0) {
      LOG.info(
          "Queue {}: {} holds {} of an earlier queue of this name; they are not read, and"
              + " removed when they are old enough",
          queue,
          layout.directory(),
          Amount.of(foreign, "backup"));
    }
    return scan;
  }

  @GuardedBy("this")
  private void enterAll(BackupScan scan) {
    Comparator<StoredBlock> order = Comparator.comparingLong(each -> each.block().bytes());
    scan.blocks.sort(order.thenComparing(StoredBlock::file)); // a compacted one is the first
    scan.blocks.forEach(this::enter);
    scan.blocks.clear();
  }

  /** Logs what is unexpected; a seal that cannot be read once, though it is tried again. */
  private final class Reporter implements BackupScan.Report {
    private final Set<Path> unread = new HashSet<>();

    @Override
    public void at(Path file, String what) {
      LOG.warn("Queue {}: damaged: backup file {}: {}", queue, file, what);
    }

    @Override
    public void unread(Path file, String what) {
      if (unread.add(file)) {
        LOG.warn("Queue {}: backup file {}: {}; trying again", queue, file, what);
      }
    }
  }

  @GuardedBy("this")
  private void enter(StoredBlock block) {
    if (!isOwn(block)) {
      others.add(block);
      return;
    }
    StoredBlock before = own.putIfAbsent(firstOf(block), block);
    if (before != null) {
      others.add(block);
      if (before.block().digest() != block.block().digest() && before.isSameBlock(block)) {
        return; // a crash came before it was deleted: the next compaction does that
      }
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

  /** Returns the backup with this message; throws if it may be one whose seal cannot be read. */
  synchronized Optional<StoredBlock> holding(long sequence) {
    BackupScan scan = load();
    Map.Entry<Long, StoredBlock> entry = own.floorEntry(sequence);
    if (entry != null && entry.getValue().holds(sequence)) {
      return Optional.of(entry.getValue());
    }
    if (!scan.unread.isEmpty()) {
      between(scan.unread, sequence).ifPresent(this::refuse);
    }
    return Optional.empty();
  }

  /** Returns the file of the lowest block that may hold a message which no known backup holds. */
  @GuardedBy("this")
  private Optional<Path> between(Collection<Path> files, long sequence) {
    Map.Entry<Long, StoredBlock> before = own.floorEntry(sequence);
    Map.Entry<Long, StoredBlock> after = own.ceilingEntry(sequence);
    int low = before == null ? -1 : before.getValue().block().block();
    int high = after == null ? Integer.MAX_VALUE : after.getValue().block().block();
    return files.stream()
        .filter(file -> BackupLayout.numberOf(file) > low && BackupLayout.numberOf(file) < high)
        .min(Comparator.comparingInt(BackupLayout::numberOf));
  }

  private void refuse(Path file) {
    throw new RiverException(
        String.format(
            "queue %s: the seal of backup %s cannot be read now, the next call tries again",
            queue, file));
  }

  /**
   * Returns why no backup holds a message: one that was removed, or one with a damaged seal between
   * the backups around the message. All up to the next backup, or {@code before}, is lost with it.
   */
  synchronized Optional<Damage> hole(long sequence, long before) {
    BackupScan scan = load();
    Map.Entry<Long, StoredBlock> entry = removed.floorEntry(sequence);
    if (entry != null && entry.getValue().holds(sequence)) {
      StoredBlock block = entry.getValue();
      long end = block.block().endSequence();
      return Optional.of(
          new Damage(block.block().block(), block.file(), firstOf(block), end, 0, block.length()));
    }
    long to = Math.min(before, Math.min(keyFrom(own, sequence), keyFrom(removed, sequence)));
    return to <= sequence
        ? Optional.empty()
        : between(scan.damaged, sequence)
            .map(
                file ->
                    new Damage(
                        BackupLayout.numberOf(file),
                        file,
                        sequence,
                        to,
                        0,
                        file.toFile().length()));
  }

  private static long keyFrom(NavigableMap<Long, StoredBlock> blocks, long sequence) {
    Long key = blocks.ceilingKey(sequence);
    return key == null ? Long.MAX_VALUE : key;
  }

  synchronized boolean reaches(long sequence) {
    BackupScan scan = load();
    Map.Entry<Long, StoredBlock> last = own.lastEntry();
    if (last != null && last.getValue().block().endSequence() > sequence) {
      return true;
    }
    List<Path> files = new ArrayList<>(scan.damaged);
    files.addAll(scan.unread);
    return between(files, sequence).isPresent();
  }

  /** Returns the end of the run of backups that begins with the one that holds this sequence. */
  synchronized long endFrom(long sequence) {
    load();
    long end = sequence;
    for (var at = own.floorEntry(end); at != null && at.getValue().holds(end); ) {
      end = at.getValue().block().endSequence();
      at = own.floorEntry(end);
    }
    return end;
  }

  /** Records that another program has removed a backup; returns whether it was known. */
  synchronized boolean vanished(StoredBlock block) {
    boolean known = remove(block);
    if (known && isOwn(block)) {
      removed.put(firstOf(block), block);
    }
    return known;
  }

  /** Returns the first backup with a message from this time on; throws if a seal is unreadable. */
  synchronized Optional<StoredBlock> publishedAt(long micros) {
    load().unread.stream().findFirst().ifPresent(this::refuse);
    return own.values().stream()
        .filter(block -> block.block().messages() > 0 && block.block().lastMicros() >= micros)
        .findFirst();
  }

  synchronized Optional<StoredBlock> of(Seal seal) {
    load();
    return Optional.ofNullable(own.get(seal.firstSequence())).filter(block -> block.isOf(seal));
  }

  /**
   * Returns the backups made at matching times, except this queue's that hold a message from the
   * sequence on.
   */
  synchronized List<StoredBlock> made(LongPredicate at, long needed) {
    load();
    return Stream.concat(
            own.values().stream().filter(block -> block.block().endSequence() <= needed),
            others.stream())
        .filter(block -> at.test(block.madeMicros()))
        .toList();
  }

  /** Returns when the newest was made; empty if there is none. */
  synchronized OptionalLong newestMade() {
    load();
    return Stream.concat(own.values().stream(), others.stream())
        .mapToLong(StoredBlock::madeMicros)
        .max();
  }

  synchronized void add(StoredBlock block) {
    load();
    enter(block);
  }

  /** Removes a backup; returns whether it was known. */
  synchronized boolean remove(StoredBlock block) {
    load();
    return own.remove(firstOf(block), block) || others.remove(block);
  }

  /** Replaces a backup by another one of its block; returns whether it was known still. */
  synchronized boolean replace(StoredBlock before, StoredBlock by) {
    load();
    return own.replace(firstOf(before), before, by);
  }

  /** Returns the other backups of the block of one. */
  synchronized List<StoredBlock> twins(StoredBlock block) {
    load();
    return others.stream().filter(block::isSameBlock).toList();
  }

  /** Returns the first block that ends behind a sequence; refuses while a seal cannot be read. */
  synchronized Optional<StoredBlock> endingAfter(long sequence) {
    load().unread.stream().findFirst().ifPresent(this::refuse);
    Map.Entry<Long, StoredBlock> at = own.floorEntry(sequence);
    if (at == null || !at.getValue().holds(sequence)) {
      at = own.higherEntry(sequence);
    }
    return at == null ? Optional.empty() : Optional.of(at.getValue());
  }

  synchronized OptionalLong firstSequenceFrom(long sequence) {
    load();
    Long first = own.ceilingKey(sequence);
    return first == null ? OptionalLong.empty() : OptionalLong.of(first);
  }

  synchronized List<StoredBlock> newest(int below, int max) {
    load();
    return own.descendingMap().values().stream()
        .filter(stored -> stored.block().block() < below)
        .limit(max)
        .toList();
  }

  synchronized int count() {
    load();
    return own.size();
  }

  synchronized long bytes() {
    load();
    return own.values().stream().mapToLong(StoredBlock::length).sum();
  }

  /** Returns this queue's backups and those of an unknown owner, oldest block first. */
  synchronized List<Path> files() {
    BackupScan scan = load();
    List<Path> files = new ArrayList<>(scan.damaged);
    files.addAll(scan.unread);
    own.values().forEach(block -> files.add(block.file()));
    others.stream().filter(this::isOwn).forEach(block -> files.add(block.file()));
    files.sort(
        Comparator.comparingInt(BackupLayout::numberOf).thenComparing(Comparator.naturalOrder()));
    return files;
  }

  /** Returns what a crash left, once: half-made files, then folders that may be empty. */
  synchronized List<Path> takeLeftovers() {
    BackupScan scan = load();
    List<Path> all = new ArrayList<>(scan.leftovers);
    all.addAll(scan.folders);
    scan.leftovers.clear();
    scan.folders.clear();
    return all;
  }
}
