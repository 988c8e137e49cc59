package com.wookler.river.core.log;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Whose log it is, kept in the queue's directory as {@code queue.json}:
 *
 * <pre>
 *  {"format":1,"id":"…","name":"…","created":"…","check":"…"}
 * </pre>
 *
 * @param id part of every checksum of the log
 * @param name of the queue when it was made
 * @param created when it was made, for people
 */
public record QueueIdentity(UUID id, String name, String created) {
  /** The name of the file. */
  public static final String FILE = "queue.json";

  /** The format of a queue's directory. */
  public static final int FORMAT = 1;

  /** Writes the file, whole or not at all. */
  public void write(Path file) throws IOException {
    ObjectNode json = CheckedJson.object();
    json.put("format", FORMAT).put("id", id.toString()).put("name", name).put("created", created);
    CheckedJson.write(file, json);
  }

  /**
   * Reads the file.
   *
   * @throws ConfigurationException another River wrote it
   * @throws DamagedMessageException it is not what was written: with a wrong id every block would
   *     look as if it were another queue's
   */
  public static QueueIdentity read(Path file) throws IOException {
    ObjectNode json = CheckedJson.read(file);
    int format = json.path("format").asInt();
    if (format != FORMAT) {
      throw new ConfigurationException(
          file + " has format " + format + "; this River reads " + FORMAT);
    }
    String id = json.path("id").asText();
    String name = json.path("name").asText();
    // the first ones checked id and name only
    String early = CheckedJson.crc(id + '/' + name);
    if (!CheckedJson.isWhole(json) && !json.path("check").asText().equals(early)) {
      throw new DamagedMessageException(
          "damaged: " + file.toAbsolutePath() + " is not a queue's identity: its check is wrong");
    }
    try {
      return new QueueIdentity(UUID.fromString(id), name, json.path("created").asText());
    } catch (IllegalArgumentException e) {
      throw new DamagedMessageException(
          "damaged: " + file.toAbsolutePath() + " is not a queue's identity: no id", e);
    }
  }
}
