package com.wookler.river.core.transfer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.OriginSet;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The last message that a queue has from each queue that forwards to it, and which messages it has
 * because they expired in another queue, as the file {@code origins.json} keeps it:
 *
 * <pre>
 *  {"format":1,"queue":"…","covered":5678,"last":{"&lt;id of a queue&gt;":1233},
 *   "expired":{"&lt;id of a queue&gt;":"…"},"check":"…"}
 * </pre>
 *
 * The value of an expired one is {@link OriginSet#encode}, in Base64; without any the field is
 * missing.
 *
 * <p>It is true of the messages below {@code covered}; what the log has from there on, an opening
 * adds from the messages' headers.
 */
public record Origins(long covered, Map<UUID, Long> last, Map<UUID, byte[]> expired) {
  /** The origins of a queue that has nothing of any other. */
  public static final Origins NONE = new Origins(0, Map.of(), Map.of());

  /** The name of the file. */
  public static final String FILE = "origins.json";

  private static final int FORMAT = 1;

  /** Copies the maps. */
  public Origins {
    last = Map.copyOf(last);
    expired = Map.copyOf(expired);
  }

  /** Writes the file; it is on the device when this returns. */
  public void write(Path file, UUID queue) throws IOException {
    ObjectNode json = CheckedJson.object(FORMAT);
    json.put("queue", queue.toString()).put("covered", covered);
    ObjectNode all = json.putObject("last");
    last.forEach((source, sequence) -> all.put(source.toString(), sequence));
    if (!expired.isEmpty()) {
      ObjectNode sets = json.putObject("expired");
      expired.forEach(
          (source, set) -> sets.put(source.toString(), Base64.getEncoder().encodeToString(set)));
    }
    CheckedJson.write(file, json);
  }

  /** Returns whether there is a file: whether another queue has ever forwarded to this one. */
  public static boolean exist(Path file) {
    return Files.exists(file);
  }

  /**
   * Reads the file.
   *
   * @throws DamagedMessageException it is not what was written, or another queue's
   */
  public static Origins read(Path file, UUID queue) throws IOException {
    ObjectNode json = CheckedJson.read(file, FORMAT);
    if (!json.path("queue").asText().equals(queue.toString())) {
      throw new DamagedMessageException("damaged: " + file + " is that of another queue");
    }
    Map<UUID, Long> last = new HashMap<>();
    json.path("last")
        .properties()
        .forEach(entry -> last.put(UUID.fromString(entry.getKey()), entry.getValue().asLong()));
    Map<UUID, byte[]> expired = new HashMap<>();
    json.path("expired")
        .properties()
        .forEach(
            entry ->
                expired.put(
                    UUID.fromString(entry.getKey()),
                    Base64.getDecoder().decode(entry.getValue().asText())));
    return new Origins(json.path("covered").asLong(), last, expired);
  }
}
