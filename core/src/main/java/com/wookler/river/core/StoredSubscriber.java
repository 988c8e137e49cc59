package com.wookler.river.core;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.DurableFiles;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;

/** The settings of a subscriber as they stand in its directory, in {@code subscriber.json}. */
final class StoredSubscriber {
  static final String FILE = "subscriber.json";

  private static final int FORMAT = 1;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private StoredSubscriber() {}

  static void write(Path directory, SubscriberConfig config) throws IOException {
    ObjectNode json = JSON.createObjectNode();
    json.put("format", FORMAT);
    json.put("name", config.name());
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

  static SubscriberConfig read(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    try {
      JsonNode json = JSON.readTree(Files.readAllBytes(file));
      if (json.path("format").asInt() != FORMAT) {
        throw new RiverException(
            file + " has format " + json.path("format") + "; this River reads " + FORMAT);
      }
      return SubscriberConfig.builder(json.path("name").asText())
          .ack(json.path("ackRequired").asBoolean())
          .ackTimeout(Duration.parse(json.path("ackTimeout").asText()))
          .maxInFlight(json.path("maxInFlight").asInt())
          .window(json.path("window").asInt())
          .batchSize(json.path("batchSize").asInt())
          .pollTimeout(Duration.parse(json.path("pollTimeout").asText()))
          .build();
    } catch (JacksonException | DateTimeException e) {
      throw new RiverException("damaged: " + file + " is not a subscriber's settings", e);
    }
  }
}
