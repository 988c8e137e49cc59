package com.wookler.river.core.subscriber;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.DurableFiles;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What stands about a subscriber in its directory, in {@code subscriber.json}, with a CRC32C of it
 * and of the queue's identity.
 *
 * @param config its settings
 * @param start the sequence at which it began
 */
public record StoredSubscriber(SubscriberConfig config, long start) {
  /** The name of the file. */
  public static final String FILE = "subscriber.json";

  private static final int FORMAT = 1;
  private static final String CHECK = "check";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Writes the file, whole or not at all, and makes its directory. */
  public void write(Path directory, UUID queue) throws IOException {
    ObjectNode json = JSON.createObjectNode();
    json.put("format", FORMAT);
    json.put("name", config.name());
    json.put("start", start);
    json.put("ackRequired", config.ackRequired());
    json.put("ackTimeout", config.ackTimeout().toString());
    json.put("ackDurability", config.ackDurability().name());
    json.put("maxInFlight", config.maxInFlight());
    json.put("window", config.window());
    json.put("batchSize", config.batchSize());
    json.put("pollTimeout", config.pollTimeout().toString());
    json.put(CHECK, check(json, queue));
    DurableFiles.createDirectories(directory);
    DurableFiles.write(
        directory.resolve(FILE), JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json));
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws DamagedMessageException it is something else
   * @throws RiverException a newer River wrote it
   */
  public static StoredSubscriber read(Path directory, UUID queue) throws IOException {
    Path file = directory.resolve(FILE);
    try {
      if (!(JSON.readTree(Files.readAllBytes(file)) instanceof ObjectNode json)) {
        throw new IllegalArgumentException("it is no JSON object");
      }
      int format = json.path("format").asInt();
      if (format > FORMAT) {
        throw new RiverException(file + " has format " + format + "; this River reads " + FORMAT);
      }
      String name = String.valueOf(directory.getFileName());
      String check = json.path(CHECK).asText();
      json.remove(CHECK);
      if (!check.equals(check(json, queue)) || !name.equals(json.path("name").asText())) {
        throw new IllegalArgumentException("its content does not fit its check");
      }
      SubscriberConfig config =
          SubscriberConfig.builder(name)
              .ack(json.required("ackRequired").asBoolean())
              .ackTimeout(Duration.parse(json.path("ackTimeout").asText()))
              .ackDurability(Durability.valueOf(json.path("ackDurability").asText()))
              .maxInFlight(json.path("maxInFlight").asInt())
              .window(json.path("window").asInt())
              .batchSize(json.path("batchSize").asInt())
              .pollTimeout(Duration.parse(json.path("pollTimeout").asText()))
              .build();
      return new StoredSubscriber(config, json.path("start").asLong());
    } catch (JacksonException
        | DateTimeException
        | ConfigurationException
        | IllegalArgumentException e) {
      throw new DamagedMessageException("damaged: " + file + ": " + e.getMessage(), e);
    }
  }

  private static String check(ObjectNode json, UUID queue) {
    CRC32C crc = new CRC32C();
    crc.update((queue + "/" + json).getBytes(StandardCharsets.UTF_8));
    return String.format("%08x", crc.getValue());
  }
}
