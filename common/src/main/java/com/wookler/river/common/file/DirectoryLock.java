package com.wookler.river.common.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.FirstFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ownership of a queue's directory: a claim in this JVM, a lock of the file {@code LOCK}, and the
 * {@link OwnerRecord}. Thread-safe.
 *
 * <p><b>The claim</b> is a system property, so that all class loaders of the JVM see it, and it is
 * made first: POSIX ends a process's lock as soon as any descriptor of the file is closed, so a
 * second one must not even be opened. One that was, because the properties were replaced, is never
 * closed.
 *
 * <p><b>The file lock</b> is on two bytes of the file, one of which in turn is released and locked
 * again at each {@link #renew}: a lock that other code in this JVM has ended, such as a backup that
 * reads all files, is there again soon.
 *
 * <p><b>The record</b> keeps other processes out until then, where they can see that its process
 * runs. Where they cannot, this process notices by it that another one took over: {@link #lost}.
 */
public final class DirectoryLock implements OwnershipCheck, AutoCloseable {
  /** The name of the file that is locked. */
  public static final String FILE = "LOCK";

  /** Makes the error for a directory that is locked already. */
  @FunctionalInterface
  public interface Refusal {
    /** Returns it, with its cause if there is one. */
    RiverException of(String text, @Nullable Throwable cause);
  }

  private static final Logger LOG = LoggerFactory.getLogger(DirectoryLock.class);
  private static final String CLAIM = "com.wookler.river.open:";
  private static final int PARTS = 2;

  /** Opened in vain while another class loader's River had the lock; to close them would end it. */
  private static final Map<String, FileChannel> KEPT = new ConcurrentHashMap<>();

  private final Path directory;
  private final String name;
  private final FileChannel channel;
  private final OwnerRecord owner;

  @GuardedBy("this")
  private final @Nullable FileLock[] parts;

  @GuardedBy("this")
  private int next; // the part to be renewed

  private DirectoryLock(
      Path directory,
      String name,
      FileChannel channel,
      @Nullable FileLock[] parts,
      OwnerRecord owner) {
    this.directory = directory;
    this.name = name;
    this.channel = channel;
    this.parts = parts;
    this.owner = owner;
  }

  /** Claims a directory in this JVM, before any file of it is opened. */
  public static void claim(Path directory, String name, Refusal refusal) {
    Object before = System.getProperties().putIfAbsent(CLAIM + directory, name);
    if (before != null) {
      throw inThisProcess(directory, name, refusal, null);
    }
  }

  /** Ends the claim of a directory of which no file is open any more. */
  public static void unclaim(Path directory) {
    System.getProperties().remove(CLAIM + directory);
  }

  private static RiverException inThisProcess(
      Path directory, String name, Refusal refusal, @Nullable Throwable cause) {
    String text =
        "queue " + name + " is open already in this process, in " + directory + "; close it first";
    return refusal.of(text, cause);
  }

  /** Locks a directory that was claimed, making it if there is none. */
  public static DirectoryLock acquire(Path directory, String name, Refusal refusal)
      throws IOException {
    DurableFiles.createDirectories(directory);
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      DurableFiles.create(file).close();
    }
    String key = keyOf(file);
    FileChannel kept = KEPT.remove(directory + key);
    FileChannel channel = kept == null ? FileChannel.open(file, StandardOpenOption.WRITE) : kept;
    try {
      FileLock[] parts = lock(channel, directory, name, refusal);
      refuseRunning(OwnerRecord.read(directory), key, directory, name, refusal);
      OwnerRecord owner = OwnerRecord.ofThisProcess(keyOf(file)); // opening may have changed it
      owner.write(directory);
      return new DirectoryLock(directory, name, channel, parts, owner);
    } catch (OverlappingFileLockException e) {
      KEPT.put(directory + key, channel);
      throw inThisProcess(directory, name, refusal, e);
    } catch (Throwable e) {
      FirstFailure.closeAfter(e, channel);
      throw e;
    }
  }

  private static FileLock[] lock(FileChannel channel, Path directory, String name, Refusal refusal)
      throws IOException {
    FileLock[] parts = new FileLock[PARTS];
    boolean locked = false;
    try {
      for (int i = 0; i < PARTS; i++) {
        FileLock part = channel.tryLock(i, 1, false);
        if (part == null) {
          OwnerRecord owner = OwnerRecord.read(directory);
          throw inAnotherProcess(
              directory, name, refusal, owner == null ? "" : " (" + owner.who() + ")");
        }
        parts[i] = part;
      }
      locked = true;
      return parts;
    } finally {
      if (!locked && parts[0] != null) {
        parts[0].release(); // the channel may stay open
      }
    }
  }

  private static RiverException inAnotherProcess(
      Path directory, String name, Refusal refusal, String which) {
    return refusal.of(
        "queue %s: another process%s has %s open; stop it, or give this queue another directory"
            .formatted(name, which, directory),
        null);
  }

  /** Refuses a directory whose lock is free only because its owner, which still runs, lost it. */
  private static void refuseRunning(
      @Nullable OwnerRecord owner, String key, Path directory, String name, Refusal refusal) {
    if (owner == null || owner.pid() == 0 || !owner.lock().equals(key)) {
      return;
    }
    if (owner.isRunning() && !owner.isOfThisProcess()) {
      throw inAnotherProcess(
          directory, name, refusal, " (" + owner.who() + ", which has lost its file lock)");
    }
    LOG.info("Queue {}: {} did not close {}, and has no lock of it", name, owner.who(), directory);
  }

  /** Identifies a file whatever its name; empty where the system has nothing for it. */
  private static String keyOf(Path file) throws IOException {
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    return key == null ? "" : key.toString();
  }

  @Override
  public Optional<String> lost() {
    try {
      if (!keyOf(directory.resolve(FILE)).equals(owner.lock())) {
        return Optional.of(directory + " was replaced by another directory" + remedy());
      }
      OwnerRecord now = OwnerRecord.read(directory);
      if (now != null && now.token().equals(owner.token())) {
        return Optional.empty();
      }
      return Optional.of(
          now == null || now.pid() == 0
              ? directory.resolve(OwnerRecord.FILE)
                  + ", which says that this process has the queue open, was removed or changed"
                  + remedy()
              : now.who() + " has taken " + directory + " over" + remedy());
    } catch (NoSuchFileException e) {
      return Optional.of(directory + " was deleted or moved away (" + e.getFile() + ")" + remedy());
    } catch (IOException e) { // such as too many open files: nothing is known
      LOG.debug("Queue {}: cannot look at the owner of {}", name, directory, e);
      return Optional.empty();
    }
  }

  private static String remedy() {
    return "; this process writes nothing more to it. Close the queue here, keep to one process for"
        + " a directory, and open it again";
  }

  /** Takes the file lock again where other code in this JVM has ended it. */
  @Override
  public synchronized void renew() {
    try {
      FileLock part = parts[next];
      if (part != null) {
        part.release();
      }
      parts[next] = null;
      parts[next] = channel.tryLock(next, 1, false); // null: another process is just trying
    } catch (IOException | OverlappingFileLockException e) {
      LOG.debug("Queue {}: cannot renew the lock of {}", name, directory, e);
    }
    next = (next + 1) % PARTS;
  }

  /** Unlocks a directory that was renamed. */
  public synchronized void close(Path movedTo) throws IOException {
    try (channel) {
      owner.closed().write(movedTo);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    try (channel) {
      if (lost().isEmpty()) {
        owner.closed().write(directory);
      }
    }
  }
}
