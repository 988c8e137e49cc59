package com.wookler.river.forward;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.forward.RedriveStatus.State;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How far a redrive is: {@code redrives/<id>.json} in the queue's directory,
 *
 * <pre>
 *  {"format":1,"queue":"…","id":"…","subscriber":"billing","target":"repair","filter":"…",
 *   "started":"…","letters":"…","total":90,"end":100,"position":40,"counted":50,"moved":45,
 *   "skipped":5,"state":"RUNNING","check":"…"}
 * </pre>
 *
 * @param id under which the target knows the messages
 * @param letters the identity of the dead letters' queue; null until one was shown
 * @param total letters that were there when it was started
 * @param end the sequence up to which these are, in the dead letters' queue
 * @param position below which all that were moved are taken out
 * @param counted below which all are in the target or refused, and counted; position or more
 */
record RedriveFile(
    UUID id,
    Redrive redrive,
    Instant started,
    @Nullable UUID letters,
    long total,
    long end,
    long position,
    long counted,
    long moved,
    long skipped,
    State state) {
  static final String DIRECTORY = "redrives";
  private static final String ENDING = ".json";
  private static final int FORMAT = 1;

  static RedriveFile start(Redrive redrive, Instant started, long total, long end) {
    return new RedriveFile(
        UUID.randomUUID(), redrive, started, null, total, end, 0, 0, 0, 0, State.RUNNING);
  }

  RedriveFile with(State other) {
    return new RedriveFile(
        id, redrive, started, letters, total, end, position, counted, moved, skipped, other);
  }

  RedriveFile at(long sequence) {
    return new RedriveFile(
        id, redrive, started, letters, total, end, sequence, counted, moved, skipped, state);
  }

  RedriveFile count(UUID shown, long below, long nowMoved, long nowSkipped) {
    return new RedriveFile(
        id,
        redrive,
        started,
        shown,
        total,
        end,
        position,
        Math.max(counted, below),
        moved + nowMoved,
        skipped + nowSkipped,
        state);
  }

  RedriveStatus status(String waiting) {
    return new RedriveStatus(
        id.toString(),
        redrive,
        state,
        started,
        moved,
        skipped,
        Math.max(0, total - moved - skipped),
        state.isOver() ? "" : waiting);
  }

  /** Returns the files in a queue's directory. */
  static List<Path> all(Path queue) throws IOException {
    return Directories.list(queue.resolve(DIRECTORY), name -> name.endsWith(ENDING));
  }

  /** Returns its file in a queue's directory. */
  Path file(Path queue) {
    return queue.resolve(DIRECTORY).resolve(id + ENDING);
  }

  /** Writes the file; it is on the device when this returns. */
  void write(Path directory, UUID queue) throws IOException {
    DurableFiles.createDirectories(directory.resolve(DIRECTORY));
    ObjectNode json = CheckedJson.object(FORMAT);
    json.put("queue", queue.toString()).put("id", id.toString());
    json.put("subscriber", redrive.subscriber());
    if (redrive.target() != null) {
      json.put("target", redrive.target());
    }
    if (redrive.filter() != null) {
      json.put("filter", redrive.filter());
    }
    json.put("started", started.toString());
    if (letters != null) {
      json.put("letters", letters.toString());
    }
    json.put("total", total).put("end", end);
    json.put("position", position).put("counted", counted);
    json.put("moved", moved).put("skipped", skipped).put("state", state.name());
    CheckedJson.write(file(directory), json);
  }

  /**
   * Reads a file.
   *
   * @throws DamagedException it is not what was written, or another queue's
   */
  static RedriveFile read(Path file, UUID queue) throws IOException {
    ObjectNode json = CheckedJson.read(file, FORMAT);
    if (!json.path("queue").asText().equals(queue.toString())) {
      throw new DamagedException("damaged: " + file + " is that of another queue");
    }
    try {
      return read(json);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new DamagedException("damaged: " + file + " is no redrive", e);
    }
  }

  private static RedriveFile read(ObjectNode json) {
    String letters = text(json, "letters");
    return new RedriveFile(
        UUID.fromString(json.path("id").asText()),
        new Redrive(json.path("subscriber").asText(), text(json, "target"), text(json, "filter")),
        Instant.parse(json.path("started").asText()),
        letters == null ? null : UUID.fromString(letters),
        json.path("total").asLong(),
        json.path("end").asLong(),
        json.path("position").asLong(),
        json.path("counted").asLong(),
        json.path("moved").asLong(),
        json.path("skipped").asLong(),
        State.valueOf(json.path("state").asText()));
  }

  private static @Nullable String text(ObjectNode json, String field) {
    return json.has(field) ? json.get(field).asText() : null;
  }
}
