package com.wookler.river.core.backup;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Scans a backup directory once and changes nothing. Files that are not as River leaves them are
 * reported and left alone. Links are not followed.
 *
 * <p>Another process may replace and delete backups meanwhile. A new backup of a block is complete,
 * in the folder of the old one, before that is deleted, its data first. So a folder that has
 * changed since it was listed is listed again, for names that are new; and data without a seal are
 * damaged only if they are still there.
 */
final class BackupScan extends SimpleFileVisitor<Path> {
  private static final int ROUNDS = 100; // of listing a folder that changes

  private final BackupLayout layout;
  private final Report report;
  private final Set<Path> seen = new HashSet<>();
  private final Deque<FileTime> changed = new ArrayDeque<>(); // of a folder and those above it
  private boolean vanished; // a file that was listed

  final List<StoredBlock> blocks = new ArrayList<>(); // with a valid seal, of any queue
  final List<Path> damaged = new ArrayList<>(); // with a damaged or missing seal
  final List<Path> unread = new ArrayList<>(); // whose seal could not be read
  final List<StoredBlock> sealsAlone = new ArrayList<>(); // missing, though their seals are there
  final List<Path> leftovers = new ArrayList<>(); // of a crash, to be deleted
  final List<Path> folders = new ArrayList<>(); // of years, months and days, before their parents

  /** Is called for what is not as River leaves it. */
  @FunctionalInterface
  interface Report {
    void at(Path file, String what);

    /** Reports a backup of which nothing is known now. */
    default void unread(Path file, String what) {
      at(file, what);
    }
  }

  BackupScan(BackupLayout layout, Report report) {
    this.layout = layout;
    this.report = report;
  }

  BackupScan run() throws IOException {
    if (Files.exists(layout.directory())) {
      Files.walkFileTree(layout.directory(), this);
    }
    return this;
  }

  @Override
  public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
    if (folder.equals(layout.directory()) || layout.isDateFolder(folder)) {
      changed.push(attributes.lastModifiedTime());
      return FileVisitResult.CONTINUE;
    }
    report.at(folder, "no folder of a backup; left alone");
    return FileVisitResult.SKIP_SUBTREE;
  }

  @Override
  public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
      throws IOException {
    if (failure != null) {
      throw failure; // not all of its backups have been seen
    }
    settle(folder, changed.pop());
    if (!folder.equals(layout.directory())) {
      folders.add(folder);
    }
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
    boolean isForbidden = failure instanceof AccessDeniedException;
    boolean isMissing = failure instanceof NoSuchFileException;
    boolean isFolder = !isMissing && layout.isDateFolder(file); // an empty one is removed
    if (!isForbidden && (file.equals(layout.directory()) || isFolder)) {
      throw failure; // none of its backups has been seen
    }
    if (isMissing) {
      vanished = true;
    } else {
      report.at(file, "cannot be read: " + failure);
    }
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
    seen.add(file);
    if (!attributes.isRegularFile()) {
      report.at(file, "no file of a backup; left alone");
    } else if (BackupLayout.isTemporary(file)) {
      leftovers.add(file);
    } else if (BackupLayout.block(file, BackupLayout.SEAL).isPresent()) {
      if (!isThere(BackupLayout.dataOf(file))) {
        sealAlone(file);
      }
    } else if (BackupLayout.block(file, BackupLayout.DATA).isPresent()) {
      backup(file);
    } else {
      report.at(file, "no file of a backup; left alone");
    }
    return FileVisitResult.CONTINUE;
  }

  /** Lists a folder again until it has not changed since its last listing began. */
  private void settle(Path folder, FileTime listed) throws IOException {
    FileTime before = listed;
    try {
      for (int round = 0; vanished || !Files.getLastModifiedTime(folder).equals(before); round++) {
        if (round == ROUNDS) {
          throw new IOException(folder + " changes faster than it can be listed");
        }
        before = Files.getLastModifiedTime(folder);
        vanished = false;
        forgetDeleted(folder);
        listAgain(folder);
      }
    } catch (NoSuchFileException e) {
      forgetDeleted(folder); // it was removed, since it was empty
    }
  }

  private void forgetDeleted(Path folder) {
    for (StoredBlock stored : List.copyOf(blocks)) {
      if (folder.equals(stored.file().getParent()) && !isThere(stored.file())) {
        blocks.remove(stored);
        seen.remove(stored.file()); // another may get its name
      }
    }
    sealsAlone.removeIf(
        alone -> isThere(alone.file()) || !isThere(BackupLayout.sealOf(alone.file())));
  }

  private void listAgain(Path folder) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
      for (Path file : all) {
        if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) && !seen.contains(file)) {
          visit(file);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private void visit(Path file) {
    try {
      visitFile(
          file, Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException e) {
      vanished = true;
    } catch (IOException e) {
      report.at(file, "cannot be read: " + e);
    }
  }

  private static boolean isThere(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  private void backup(Path file) {
    try {
      Path sealFile = BackupLayout.sealOf(file);
      BackupSeal seal = BackupSeal.read(sealFile);
      if (Files.isSymbolicLink(sealFile)) {
        throw new DamagedMessageException("it is a link");
      }
      checkName(file, seal);
      blocks.add(StoredBlock.of(file, seal));
    } catch (DamagedException e) {
      damaged.add(file);
      report.at(
          file, "its seal is of no use (" + ContentCheck.text(e) + "); left alone and not read");
    } catch (NoSuchFileException e) {
      if (!isThere(file)) {
        seen.remove(file);
        vanished = true;
        return;
      } else if (Files.exists(BackupLayout.sealOf(file))) {
        backup(file); // another has its name
        return;
      }
      damaged.add(file);
      report.at(file, "its seal is missing; left alone and not read");
    } catch (IOException e) {
      unread.add(file);
      report.unread(file, "its seal cannot be read now (" + e + ")");
    }
  }

  private void sealAlone(Path file) {
    Path data = BackupLayout.dataOf(file);
    if (Files.exists(data.resolveSibling(data.getFileName() + DurableFiles.TEMPORARY))) {
      leftovers.add(file); // a crash came before the backup was renamed
      return;
    }
    try {
      BackupSeal seal = BackupSeal.read(file);
      checkName(data, seal);
      sealsAlone.add(StoredBlock.of(data, seal));
    } catch (DamagedException | IOException e) {
      leftovers.add(file); // nothing is known of its backup
    }
  }

  /** Tries again to read the seals that could not be read. */
  void readAgain() {
    List<Path> files = List.copyOf(unread);
    unread.clear();
    files.forEach(this::backup);
  }

  static void checkName(Path file, BackupSeal seal) {
    if (BackupLayout.numberOf(file) != seal.block().block()) { // it was moved there
      throw new DamagedMessageException("it is the seal of block " + seal.block().block());
    }
  }
}
