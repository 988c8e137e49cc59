package com.wookler.river.core.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.log.files.LogMarks;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.QueueStatus;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Whose log it is, kept in the queue's directory as {@code queue.json}:
 *
 * <pre>
 *  {"format":1,"id":"…","name":"…","created":"…","has":["IDS","ORIGINS"],"status":"DOWN",
 *   "check":"…"}
 * </pre>
 *
 * @param id part of every checksum of the log
 * @param name of the queue when it was made
 * @param created when it was made, or this file was made anew, for people
 * @param has files beside the log that the queue has begun, and which are missing if they are not
 *     there; without any the field is not written
 * @param status of the queue; {@link QueueStatus#UP} is not written
 */
public record QueueIdentity(
    UUID id, String name, String created, Set<Part> has, QueueStatus status) {
  /** Files beside the log that not every queue has, and whose loss nothing else would show. */
  public enum Part {
    /** What waits for its time: the directory {@code delayed}. */
    DELAYED,
    /** Ids of messages: the directory {@code ids}. */
    IDS,
    /** What came from other queues and sources: {@code origins.json}. */
    ORIGINS,
    /** Which messages were removed: the directory {@code removed}. */
    REMOVED
  }

  public QueueIdentity {
    has = Set.copyOf(has);
  }

  /** Makes the identity of a queue that is up. */
  public QueueIdentity(UUID id, String name, String created, Set<Part> has) {
    this(id, name, created, has, QueueStatus.UP);
  }

  public static final String FILE = "queue.json";

  /** The name of a file that is there until a tool has made all of a queue's directory. */
  public static final String UNFINISHED = "unfinished" + DurableFiles.TEMPORARY;

  public static final int FORMAT = 1;

  private static final String LOG = "log";
  private static final int DEPTH = 3; // subscribers/<name>/subscriber.json

  /**
   * What a queue's directory says of whose it is.
   *
   * @param identity that the file holds; empty if it is damaged, missing, or another queue's
   * @param id that counts: that of the file, else the one that the other files name; empty if none
   *     does, or if they differ
   * @param fault what is wrong with the file; empty if nothing is
   */
  public record Look(Optional<QueueIdentity> identity, Optional<UUID> id, String fault) {}

  /** Writes the file, whole or not at all. */
  public void write(Path file) throws IOException {
    ObjectNode json = CheckedJson.object(FORMAT);
    json.put("id", id.toString()).put("name", name).put("created", created);
    if (!has.isEmpty()) {
      ArrayNode parts = json.putArray("has");
      has.stream().sorted().forEach(part -> parts.add(part.name()));
    }
    if (status != QueueStatus.UP) {
      json.put("status", status.name());
    }
    CheckedJson.write(file, json);
  }

  /** Returns the identity of the queue once it has begun these files, too. */
  public QueueIdentity with(Part part) {
    Set<Part> more = new HashSet<>(has);
    more.add(part);
    return new QueueIdentity(id, name, created, more, status);
  }

  /** Returns the identity of the queue with another status. */
  public QueueIdentity with(QueueStatus other) {
    return new QueueIdentity(id, name, created, has, other);
  }

  private static Set<Part> parts(JsonNode names) {
    Set<Part> parts = new HashSet<>();
    names.forEach(name -> parts.add(Part.valueOf(name.asText())));
    return parts;
  }

  /**
   * Reads the file. One that is damaged or of another version is refused: with a wrong id every
   * block would look as if it were another queue's.
   */
  public static QueueIdentity read(Path file) throws IOException {
    ObjectNode json = CheckedJson.read(file, FORMAT);
    try {
      return new QueueIdentity(
          UUID.fromString(json.path("id").asText()),
          json.path("name").asText(),
          json.path("created").asText(),
          parts(json.path("has")),
          QueueStatus.valueOf(json.path("status").asText(QueueStatus.UP.name())));
    } catch (IllegalArgumentException e) {
      throw new DamagedMessageException(
          "damaged: " + file.toAbsolutePath() + " is not a queue's identity", e);
    }
  }

  /** Looks at a queue's file, and at its other files where that is of no use; changes nothing. */
  public static Look look(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    String fault;
    try {
      QueueIdentity identity = read(file);
      fault = misplaced(directory, identity);
      if (fault.isEmpty()) {
        return new Look(Optional.of(identity), Optional.of(identity.id), "");
      }
    } catch (NoSuchFileException e) {
      fault = "it is missing";
    } catch (DamagedException e) {
      fault = String.valueOf(e.getMessage());
    }
    return new Look(Optional.empty(), search(directory), fault);
  }

  /** Returns why the file is another queue's; empty for a renamed queue, which has its own id. */
  private static String misplaced(Path directory, QueueIdentity identity) throws IOException {
    if (directory.endsWith(identity.name)
        || LogMarks.owner(directory.resolve(LOG)).equals(Optional.of(identity.id))) {
      return "";
    }
    Optional<UUID> other = search(directory).filter(id -> !id.equals(identity.id));
    return other.isEmpty()
        ? ""
        : "damaged: "
            + directory.resolve(FILE).toAbsolutePath()
            + " is that of a queue "
            + identity.name
            + " with the id "
            + identity.id
            + ", and the log that of "
            + other.get();
  }

  /** Returns the id that the other files name; empty if none does, or if they differ. */
  private static Optional<UUID> search(Path directory) throws IOException {
    Set<UUID> found = new HashSet<>();
    Path log = directory.resolve(LOG);
    if (Files.isDirectory(log)) {
      LogMarks.owner(log).ifPresent(found::add);
      searchLog(LogFiles.listLive(log), found);
    }
    if (found.isEmpty()) {
      searchNotes(directory, found);
    }
    return found.size() == 1 ? found.stream().findFirst() : Optional.empty();
  }

  private static void searchLog(LogFiles files, Set<UUID> found) throws IOException {
    for (Map.Entry<Integer, Path> seal : files.seals().entrySet()) {
      try {
        found.add(BlockFile.seal(seal.getValue(), seal.getKey()).queue());
      } catch (DamagedException | NoSuchFileException e) {
        // the next one may be whole
      }
    }
    for (Path block : files.blocks().values()) {
      try {
        BlockStart.read(block).ifPresent(start -> found.add(start.queue()));
      } catch (NoSuchFileException e) {
        // it has left the log meanwhile
      }
    }
  }

  /** The small files that name their queue; not those of the queues of dead letters. */
  private static void searchNotes(Path directory, Set<UUID> found) throws IOException {
    List<Path> notes;
    try (Stream<Path> all = Files.walk(directory, DEPTH, new FileVisitOption[0])) {
      notes =
          all.filter(file -> file.toString().endsWith(".json") && !file.endsWith(FILE))
              .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
              .toList();
    }
    for (Path file : notes) {
      try {
        ObjectNode json = CheckedJson.read(file);
        if (CheckedJson.isWhole(json) && json.hasNonNull("queue")) {
          found.add(UUID.fromString(json.path("queue").asText()));
        }
      } catch (DamagedException | IllegalArgumentException | NoSuchFileException e) {
        // the next one may be whole
      }
    }
  }

  /** Writes the file anew, and keeps the damaged one, if there is one; returns where. */
  public Optional<Path> replace(Path file) throws IOException {
    Optional<Path> kept = Optional.empty();
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      Path copy = DurableFiles.quarantineOf(file);
      Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
      kept = Optional.of(copy);
    }
    write(file);
    return kept;
  }
}
