package com.wookler.river.ack.journal;

import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of one subscriber, listed once, of no use once they have changed. The content of a
 * small file is kept, so that an opening, which looks at each subscriber several times, reads it
 * once; a large one is read again, so that what is kept of a subscriber is below some KB. Not
 * thread-safe.
 */
public final class LedgerFiles {
  private static final int KEPT_RECORDS = 64;
  private static final int KEPT_BYTES = 2 << 10;

  private final Path directory;
  private final Owner owner;
  private final List<String> names;
  private final List<Generations.Numbered> numbered;
  private final Map<Long, AckLogFile> logs = new HashMap<>(2);
  private final Map<Long, byte[]> snapshots = new HashMap<>(2);
  private Cursor.@Nullable Content cursor;

  private LedgerFiles(Path directory, Owner owner, List<String> names) {
    this.directory = directory;
    this.owner = owner;
    this.names = names;
    this.numbered = Generations.numbered(directory, names);
  }

  public static LedgerFiles list(Path directory, Owner owner) throws IOException {
    return new LedgerFiles(directory, owner, names(directory));
  }

  static List<String> names(Path directory) throws IOException {
    String[] names = directory.toFile().list(); // in one call, without an object for each
    if (names != null) {
      return List.of(names);
    }
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
      paths.forEach(path -> found.add(String.valueOf(path.getFileName())));
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  Path directory() {
    return directory;
  }

  Owner owner() {
    return owner;
  }

  public List<String> names() {
    return names;
  }

  /** Returns the logs and snapshots, by number. */
  List<Generations.Numbered> numbered() {
    return numbered;
  }

  /** The kind of a subscriber; {@code known}: by its files, else it is a guess. */
  public record Kind(boolean known, boolean ack, boolean byKey) {}

  /** Returns the kind of subscriber whose files these are, for when nothing else says it. */
  public Kind kind() throws IOException {
    Cursor.Content content = cursor();
    int kind = content == null ? -1 : content.kind();
    boolean ack = kind == -1 ? !numbered.isEmpty() : kind != Cursor.WITHOUT_ACK;
    return new Kind(kind >= 0, ack, kind == Cursor.BY_KEY);
  }

  /** Returns the content of the cursor, null if there is none; nothing if it is of another kind. */
  Cursor.@Nullable Content cursor(int kind) throws IOException {
    Cursor.Content content = cursor();
    return content == null || content.kind() < 0 || content.kind() == kind
        ? content
        : Cursor.OF_ANOTHER_KIND;
  }

  /** Returns the content of the cursor, null if there is none. */
  Cursor.@Nullable Content cursor() throws IOException {
    if (cursor == null && names.contains(Cursor.NAME)) {
      cursor = Cursor.read(directory.resolve(Cursor.NAME), owner);
    }
    return cursor;
  }

  /** Reads a log that is not quarantined. */
  AckLogFile log(Generations.Numbered file) throws IOException {
    AckLogFile log = logs.get(file.generation());
    if (log == null) {
      log = AckLogFile.read(file.path(), file.generation(), owner);
      if (log.size() <= KEPT_RECORDS) {
        logs.put(file.generation(), log);
      }
    }
    return log;
  }

  /** Reads a snapshot that is not quarantined. */
  byte[] snapshot(Generations.Numbered file) throws IOException {
    byte[] snapshot = snapshots.get(file.generation());
    if (snapshot == null) {
      snapshot = Files.readAllBytes(file.path());
      if (snapshot.length <= KEPT_BYTES) {
        snapshots.put(file.generation(), snapshot);
      }
    }
    return snapshot;
  }

  /** Returns the files that an opening found damaged and kept. */
  List<Path> quarantined() {
    return names.stream()
        .filter(DurableFiles::isQuarantined)
        .sorted()
        .map(directory::resolve)
        .toList();
  }
}
