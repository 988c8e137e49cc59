package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DirectoryLock;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.OwnerRecord;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.message.QueueStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one queue, owned by this process as long as this object is open.
 *
 * <pre>
 *  &lt;base&gt;/&lt;queue&gt;/          mode 0700
 *    LOCK                        locked while the queue is open
 *    owner                       the process that has it open: {@link OwnerRecord}
 *    queue.json                  whose directory it is: {@link QueueIdentity}
 *    log/                        the blocks
 *    damage.log, damaged/        what was lost to damage, and its bytes, if there was any
 *    ids/, keys/                 the indexes of ids and keys, if it has them
 *    removed/                    which messages were removed, if any were
 *    delayed/                    messages that wait for their time, if there were any
 *    forwards/, origins.json     how far it has forwarded, and taken from others
 *    subscribers/&lt;name&gt;/        its settings and its ledger
 *      &lt;queue&gt;.&lt;name&gt;.dead/    its dead letters, in a directory like this one, if there were any
 *  &lt;base&gt;/&lt;queue&gt;.discarded-20261120T101500.000Z/   data that was renamed
 * </pre>
 */
final class DataDirectory implements AutoCloseable {
  static final String DISCARDED = ".discarded-";

  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(10);
  private static final String LOG_NAME = "log";
  private static final String SUBSCRIBERS_NAME = "subscribers";
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSSX").withZone(ZoneOffset.UTC);

  private final Path base; // without links, as other queues find it
  private final Path path; // without links: however it is named, it is claimed once
  private final DirectoryLock lock;
  private final TimeSource time;
  private volatile QueueIdentity identity; // replaced under the monitor

  @GuardedBy("this")
  private boolean released;

  private DataDirectory(
      Path base, Path path, DirectoryLock lock, QueueIdentity identity, TimeSource time) {
    this.time = time;
    this.base = base;
    this.path = path;
    this.lock = lock;
    this.identity = identity;
  }

  /**
   * Locks a queue's directory for this process and creates it if there is none; without {@code
   * reload} renames what it holds. Refuses what is open elsewhere, is something else, or has a
   * sibling whose name differs only in case.
   */
  static DataDirectory open(Path base, String name, boolean reload, TimeSource time) {
    Path path = base.resolve(name);
    try {
      DurableFiles.createDirectories(base);
      refuseSameIgnoringCase(base, name);
      refuseForeign(path, name);
      Path realBase = base.toRealPath();
      Path own = Files.exists(path) ? path.toRealPath() : realBase.resolve(name);
      DirectoryLock.claim(own, name, QueueLockedException::new);
      try {
        return openClaimed(realBase, own, name, reload, time);
      } catch (Throwable e) {
        DirectoryLock.unclaim(own);
        throw e;
      }
    } catch (IOException e) {
      throw new RiverException(
          "queue " + name + ": cannot use the directory " + path.toAbsolutePath() + ": " + e, e);
    }
  }

  private static DataDirectory openClaimed(
      Path base, Path path, String name, boolean reload, TimeSource time) throws IOException {
    DirectoryLock locked = DirectoryLock.acquire(path, name, QueueLockedException::new);
    try {
      if (!reload && Files.exists(path.resolve(LOG_NAME))) {
        Path aside = aside(path, time.wallTime());
        Files.move(path, aside); // the lock goes with it, and keeps others out until it is closed
        LOG.warn(
            "Queue {}: queue.onstart.reload is false; its old data was renamed to {}", name, aside);
        locked.close(aside);
        locked = DirectoryLock.acquire(path, name, QueueLockedException::new);
      }
      return new DataDirectory(base, path, locked, identity(path, name, time), time);
    } catch (Throwable e) {
      FirstFailure.closeAfter(e, locked);
      throw e;
    }
  }

  private static Path aside(Path path, Instant now) {
    for (int i = 0; ; i++) {
      Path aside =
          path.resolveSibling(path.getFileName() + DISCARDED + STAMP.format(now.plusMillis(i)));
      if (!Files.exists(aside)) {
        return aside;
      }
    }
  }

  private static void refuseSameIgnoringCase(Path base, String name) throws IOException {
    try (DirectoryStream<Path> siblings = Files.newDirectoryStream(base)) {
      for (Path sibling : siblings) {
        String other = String.valueOf(sibling.getFileName());
        if (other.equalsIgnoreCase(name) && !other.equals(name)) {
          throw new ConfigurationException(
              "queue %s: %s holds a queue %s; names that differ only in case are the same name"
                  .formatted(name, base.toAbsolutePath(), other));
        }
      }
    }
  }

  private static void refuseForeign(Path path, String name) throws IOException {
    if (!Files.exists(path) || Files.exists(path.resolve(QueueIdentity.FILE))) {
      return;
    }
    if (Files.exists(path.resolve(QueueIdentity.UNFINISHED))) {
      throw new ConfigurationException(
          ("queue %s: %s is a copy that a snapshot, ./river salvage or ./river restore did not"
                  + " finish; delete it, and make it again")
              .formatted(name, path.toAbsolutePath()));
    }
    if (!Files.isDirectory(path)) {
      throw new ConfigurationException(
          "queue " + name + ": " + path.toAbsolutePath() + " is a file, not a queue's directory");
    }
    if (QueueIdentity.look(path).id().isPresent()) {
      return; // a queue that has lost the file
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
      for (Path file : files) {
        String fileName = String.valueOf(file.getFileName());
        if (!isOfABeginning(file, fileName)) {
          throw new ConfigurationException(
              ("queue %s: %s is not a queue's directory (it holds %s but no queue.json, and"
                      + " nothing in it says which queue it is of). Choose another queue.directory; if"
                      + " it was a queue's, ./river salvage copies what can be proven")
                  .formatted(name, path.toAbsolutePath(), fileName));
        }
      }
    }
  }

  /** Returns whether the file may be of a queue whose creation was interrupted. */
  private static boolean isOfABeginning(Path file, String name) {
    String[] inside = file.toFile().list();
    boolean isEmptyDirectory = inside != null && inside.length == 0;
    return name.equals(DirectoryLock.FILE)
        || name.equals(OwnerRecord.FILE)
        || name.endsWith(DurableFiles.TEMPORARY)
        || ((name.equals(LOG_NAME) || name.equals(SUBSCRIBERS_NAME)) && isEmptyDirectory);
  }

  private static QueueIdentity identity(Path path, String name, TimeSource time)
      throws IOException {
    Path file = path.resolve(QueueIdentity.FILE);
    QueueIdentity.Look look = QueueIdentity.look(path);
    if (look.identity().isPresent()) {
      return look.identity().get();
    }
    boolean exists = Files.exists(file);
    if (look.id().isEmpty() && exists) {
      throw new DamagedMessageException(
          ("queue %s: %s; and no other file of it says which queue it is of. Put the right file in"
                  + " its place, or have ./river salvage %s copy what can be proven")
              .formatted(name, look.fault(), path));
    }
    QueueIdentity made =
        new QueueIdentity(
            look.id().orElseGet(UUID::randomUUID), name, time.wallTime().toString(), Set.of());
    DurableFiles.makeDirectories(path.resolve(LOG_NAME)); // forced with the file
    DurableFiles.makeDirectories(path.resolve(SUBSCRIBERS_NAME));
    Optional<Path> kept = made.replace(file);
    if (look.id().isPresent()) {
      LOG.warn(
          "Queue {}: {}; made anew with the id {}, which its other files name{}",
          name,
          exists ? look.fault() : "damaged: " + file + " is missing",
          made.id(),
          kept.map(at -> "; the damaged one is kept as " + at).orElse(""));
    }
    return made;
  }

  Path log() {
    return path.resolve(LOG_NAME);
  }

  Path ids() {
    return path.resolve("ids");
  }

  Path keys() {
    return path.resolve("keys");
  }

  Path delayed() {
    return path.resolve(Delays.DIRECTORY);
  }

  Path subscribers() {
    return path.resolve(SUBSCRIBERS_NAME);
  }

  Path path() {
    return path;
  }

  /** Returns the directory that holds this queue and the others between which it transfers. */
  Path base() {
    return base;
  }

  UUID identity() {
    return identity.id();
  }

  /** Returns whether the queue has begun these files, so that they are missing if not there. */
  boolean has(QueueIdentity.Part part) {
    return identity.has().contains(part);
  }

  /** Records, on the device, that the queue has begun these files. */
  synchronized void begun(QueueIdentity.Part part) throws IOException {
    if (!has(part)) {
      become(identity.with(part));
    }
  }

  QueueStatus status() {
    return identity.status();
  }

  /** Keeps the status, on the device; refuses it where the directory was released. */
  synchronized void status(QueueStatus to) throws IOException {
    if (released) {
      throw new QueueClosedException("queue " + identity.name() + " is closed");
    }
    become(identity.with(to));
  }

  @GuardedBy("this")
  private void become(QueueIdentity to) throws IOException {
    to.write(path.resolve(QueueIdentity.FILE));
    identity = to;
  }

  /** Deletes data that was renamed longer ago than this. */
  void removeDiscarded(Duration retention, Instant now) {
    String prefix = path.getFileName() + DISCARDED;
    Path base = path.getParent();
    if (base == null) {
      return;
    }
    try (DirectoryStream<Path> siblings =
        Files.newDirectoryStream(base, file -> isDiscarded(file, prefix))) {
      for (Path sibling : siblings) {
        Instant since = since(String.valueOf(sibling.getFileName()).substring(prefix.length()));
        if (since != null && since.isAfter(now.plus(CLOCK_TOLERANCE))) {
          Path renamed = aside(path, now);
          Files.move(sibling, renamed); // otherwise it would stay until the clock has caught up
          LOG.warn(
              "{} was renamed when the clock was ahead of {}: its retention counts from now on,"
                  + " as {}",
              sibling,
              now,
              renamed);
        } else if (since != null && Duration.between(since, now).compareTo(retention) > 0) {
          deleteTree(sibling);
          LOG.info("Removed {}, renamed at {}", sibling, since);
        }
      }
    } catch (IOException e) {
      LOG.warn("Cannot remove the discarded data beside {}", path, e);
    }
  }

  private static boolean isDiscarded(Path file, String prefix) {
    return String.valueOf(file.getFileName()).startsWith(prefix);
  }

  private static @Nullable Instant since(String stamp) {
    try {
      return STAMP.parse(stamp, Instant::from);
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  static void deleteTree(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (UncheckedIOException e) { // out of the walk
      throw e.getCause();
    }
  }

  DirectoryLock lock() {
    return lock;
  }

  /** Deletes the directory while it is locked, and releases it; unless another process owns it. */
  void delete() throws IOException {
    try {
      Optional<String> lost = lock.lost();
      synchronized (this) {
        released = true;
      }
      if (lost.isPresent() && Files.exists(path)) {
        throw new IOException(lost.get());
      }
      if (Files.exists(path)) { // at once, so that no kill leaves a part of it as the queue
        Path aside = aside(path, time.wallTime());
        Files.move(path, aside);
        deleteTree(aside);
      }
    } finally {
      close();
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      released = true;
    }
    try {
      lock.close();
    } catch (IOException e) {
      LOG.warn("Cannot release the lock of {}", path, e);
    } finally {
      DirectoryLock.unclaim(path);
    }
  }
}
