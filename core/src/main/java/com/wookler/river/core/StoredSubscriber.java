package com.wookler.river.core;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.DurableFiles;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;

/**
 * What stands about a subscriber in its directory, in {@code subscriber.json}.
 *
 * @param config its settings
 * @param start the sequence at which it began
 */
record StoredSubscriber(SubscriberConfig config, long start) {
  static final String FILE = "subscriber.json";

  private static final int FORMAT = 1;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  void write(Path directory) throws IOException {
    ObjectNode json = JSON.createObjectNode();
    json.put("format", FORMAT);
    json.put("name", config.name());
    json.put("start", start);
    json.put("ackRequired", config.ackRequired());
    json.put("ackTimeout", config.ackTimeout().toString());
    json.put("maxInFlight", config.maxInFlight());
    json.put("window", config.window());
    json.put("batchSize", config.batchSize());
    json.put("pollTimeout", config.pollTimeout().toString());
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
  static StoredSubscriber read(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    try {
      JsonNode json = JSON.readTree(Files.readAllBytes(file));
      int format = json.path("format").asInt();
      if (format > FORMAT) {
        throw new RiverException(file + " has format " + format + "; this River reads " + FORMAT);
      }
      SubscriberConfig config =
          SubscriberConfig.builder(String.valueOf(directory.getFileName()))
              .ack(json.required("ackRequired").asBoolean())
              .ackTimeout(Duration.parse(json.path("ackTimeout").asText()))
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
}
