package com.wookler.river.forward;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How far a queue has forwarded to another one: {@code forwards/<target>.json} in its directory,
 *
 * <pre>
 *  {"format":1,"queue":"…","target":"audit","position":1234,"given":true,
 *   "options":{"forward.filter":"…"},"check":"…"}
 * </pre>
 *
 * All messages below the position are on the device in the target, which may have more, or were not
 * to be forwarded.
 *
 * @param position the sequence up to which that is true
 * @param given whether the target was given any message
 * @param options of a target that was added while the queue ran, as texts by their names; null if
 *     the queue's settings name it
 */
public record ForwardPosition(long position, boolean given, @Nullable Map<String, String> options) {
  /** The directory of these files, in that of the queue. */
  public static final String DIRECTORY = "forwards";

  /** Ends the names of these files. */
  public static final String ENDING = ".json";

  private static final int FORMAT = 1;

  /** Returns the same of a target with these options. */
  ForwardPosition with(@Nullable Map<String, String> others) {
    return new ForwardPosition(position, given, others);
  }

  /** Returns the file for a target in this directory. */
  public static Path file(Path directory, String target) {
    return directory.resolve(target + ENDING);
  }

  /** Returns the names of the targets that have a file there. */
  public static List<String> targets(Path directory) throws IOException {
    List<String> targets = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*" + ENDING)) {
      for (Path file : all) {
        String name = String.valueOf(file.getFileName());
        targets.add(name.substring(0, name.length() - ENDING.length()));
      }
    } catch (NoSuchFileException e) {
      return targets;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    targets.sort(null);
    return targets;
  }

  /** Writes the file; it is on the device when this returns. */
  public void write(Path directory, UUID queue, String target) throws IOException {
    DurableFiles.createDirectories(directory);
    ObjectNode json = CheckedJson.object(FORMAT);
    json.put("queue", queue.toString()).put("target", target);
    json.put("position", position).put("given", given);
    if (options != null) {
      ObjectNode all = json.putObject("options");
      options.forEach(all::put);
    }
    CheckedJson.write(file(directory, target), json);
  }

  /**
   * Reads the file.
   *
   * @throws NoSuchFileException there is none
   * @throws DamagedMessageException it is not what was written, or another queue's
   */
  public static ForwardPosition read(Path directory, UUID queue, String target) throws IOException {
    Path file = file(directory, target);
    ObjectNode json = CheckedJson.read(file, FORMAT);
    if (!json.path("queue").asText().equals(queue.toString())
        || !json.path("target").asText().equals(target)) {
      throw new DamagedMessageException("damaged: " + file + " is that of another queue");
    }
    long position = json.path("position").asLong();
    return new ForwardPosition(
        position, json.path("given").asBoolean(position > 0), options(json.get("options")));
  }

  private static @Nullable Map<String, String> options(@Nullable JsonNode json) {
    if (json == null) {
      return null;
    }
    Map<String, String> all = new LinkedHashMap<>();
    json.properties().forEach(each -> all.put(each.getKey(), each.getValue().asText()));
    return all;
  }
}
