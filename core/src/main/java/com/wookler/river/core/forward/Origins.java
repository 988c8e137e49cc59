package com.wookler.river.core.forward;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.CheckedJson;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The last message that a queue has from each queue that forwards to it, as the file {@code
 * origins.json} keeps it:
 *
 * <pre>
 *  {"format":1,"queue":"…","covered":5678,"last":{"&lt;id of a queue&gt;":1233},"check":"…"}
 * </pre>
 *
 * It is true of the messages below {@code covered}; what the log has from there on, an opening adds
 * from the messages' headers.
 *
 * @param covered all messages below it count
 * @param last by the identity of the queue that a message came from, its sequence there
 */
public record Origins(long covered, Map<UUID, Long> last) {
  /** The name of the file. */
  public static final String FILE = "origins.json";

  private static final int FORMAT = 1;

  /** Copies the map. */
  public Origins {
    last = Map.copyOf(last);
  }

  /** Writes the file; it is on the device when this returns. */
  public void write(Path file, UUID queue) throws IOException {
    ObjectNode json = CheckedJson.object();
    json.put("format", FORMAT).put("queue", queue.toString()).put("covered", covered);
    ObjectNode all = json.putObject("last");
    last.forEach((source, sequence) -> all.put(source.toString(), sequence));
    CheckedJson.write(file, json);
  }

  /** Whether there is a file: whether another queue has ever forwarded to this one. */
  public static boolean exist(Path file) {
    return Files.exists(file);
  }

  /**
   * Reads the file.
   *
   * @throws DamagedMessageException it is not what was written, or another queue's
   * @throws RiverException a newer River wrote it
   */
  public static Origins read(Path file, UUID queue) throws IOException {
    ObjectNode json = CheckedJson.read(file);
    if (!CheckedJson.isWhole(json)) {
      throw new DamagedMessageException("damaged: " + file + ": its check is wrong");
    }
    if (json.path("format").asInt() != FORMAT) {
      throw new RiverException(
          file + " has format " + json.path("format").asInt() + "; this River reads " + FORMAT);
    }
    if (!json.path("queue").asText().equals(queue.toString())) {
      throw new DamagedMessageException("damaged: " + file + " is that of another queue");
    }
    Map<UUID, Long> last = new HashMap<>();
    json.path("last")
        .properties()
        .forEach(entry -> last.put(UUID.fromString(entry.getKey()), entry.getValue().asLong()));
    return new Origins(json.path("covered").asLong(), last);
  }
}
