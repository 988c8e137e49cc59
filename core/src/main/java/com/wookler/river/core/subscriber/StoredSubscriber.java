package com.wookler.river.core.subscriber;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.ack.Origin;
import com.wookler.river.core.filter.FilterExpression;
import com.wookler.river.core.log.CheckedJson;
import com.wookler.river.core.log.DurableFiles;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What stands about a subscriber in its directory, in {@code subscriber.json}, a {@link
 * CheckedJson} that names the queue and the subscriber.
 *
 * @param config its settings
 * @param start the sequence at which it began
 * @param ledger what is known of its ledger
 */
public record StoredSubscriber(SubscriberConfig config, long start, LedgerState ledger) {
  /** The name of the file. */
  public static final String FILE = "subscriber.json";

  /** What the settings know of the ledger beside them. */
  public enum LedgerState {
    /** It may not have been made yet. */
    NEW,
    /** It was made. */
    MADE,
    /**
     * It was made, but the settings and the cursor were damaged: whether it acknowledges, and in
     * which order, is a guess, and the settings with which the subscriber is opened count.
     */
    GUESSED
  }

  private static final int FORMAT = 1;
  private static final Logger LOG = LoggerFactory.getLogger(StoredSubscriber.class);

  /** Where the ledger stands when its own files do not say. */
  public Origin origin(long earliest) {
    return new Origin(start, earliest, ledger != LedgerState.NEW);
  }

  /** Writes the file, whole or not at all, unless it says the same, and makes its directory. */
  public void write(Path directory, UUID queue) throws IOException {
    ObjectNode json = CheckedJson.object();
    json.put("format", FORMAT);
    json.put("queue", queue.toString());
    json.put("name", config.name());
    json.put("start", start);
    json.put("ledger", ledger.name());
    json.put("ackRequired", config.ackRequired());
    json.put("ackTimeout", config.ackTimeout().toString());
    json.put("ackDurability", config.ackDurability().name());
    json.put("maxDeliveries", config.maxDeliveries());
    json.put("backoff", config.backoff().toString());
    json.put("deadLetterLimit", config.deadLetterLimit());
    json.put("deadLetterAge", config.deadLetterAge().toString());
    json.put("filter", filterName(config));
    json.put("filterExpression", expression(config));
    json.put("expiryQueue", config.expiryQueue());
    json.put("order", config.order().name());
    json.put("maxInFlight", config.maxInFlight());
    json.put("window", config.window());
    json.put("batchSize", config.batchSize());
    json.put("pollTimeout", config.pollTimeout().toString());
    DurableFiles.createDirectories(directory);
    CheckedJson.update(directory.resolve(FILE), json);
  }

  private static String filterName(SubscriberConfig config) {
    Predicate<?> filter = config.filter();
    if (filter instanceof LostFilter lost) {
      return lost.name();
    }
    return filter == null ? "" : filter.getClass().getName();
  }

  /** A filter that is code is known by name only; this one is all there. */
  private static @Nullable String expression(SubscriberConfig config) {
    if (config.filter() instanceof LostFilter lost) {
      return lost.expression();
    }
    return config.filter() instanceof FilterExpression expression ? expression.text() : null;
  }

  private static void filter(
      SubscriberConfig.Builder to, String name, @Nullable String expression) {
    if (expression != null) {
      try {
        to.filterExpression(expression);
        return;
      } catch (ConfigurationException e) {
        LOG.warn("The filter of a subscriber cannot be read: {}", e.getMessage());
      }
    }
    if (!name.isEmpty()) {
      to.filter(new LostFilter(name, expression));
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws DamagedMessageException it is something else
   * @throws RiverException a newer River wrote it
   */
  public static StoredSubscriber read(Path directory, UUID queue) throws IOException {
    Path file = directory.resolve(FILE);
    ObjectNode json = CheckedJson.read(file);
    int format = json.path("format").asInt();
    if (format > FORMAT && CheckedJson.isWhole(json)) { // each format has the check
      throw new RiverException(file + " has format " + format + "; this River reads " + FORMAT);
    }
    String name = String.valueOf(directory.getFileName());
    if (!CheckedJson.isWhole(json)
        || !name.equals(json.path("name").asText())
        || !queue.toString().equals(json.path("queue").asText())) {
      throw new DamagedMessageException(
          "damaged: " + file + " is not what was written for subscriber " + name);
    }
    try {
      SubscriberConfig.Builder config =
          SubscriberConfig.builder(name)
              .ack(json.required("ackRequired").asBoolean())
              .ackTimeout(Duration.parse(json.path("ackTimeout").asText()))
              .ackDurability(Durability.valueOf(json.path("ackDurability").asText()))
              .maxDeliveries(json.path("maxDeliveries").asInt())
              .expiryQueue(json.path("expiryQueue").textValue())
              .backoff(Backoff.parse(json.path("backoff").asText("none")))
              .deadLetterLimit(json.path("deadLetterLimit").asLong())
              .deadLetterAge(Duration.parse(json.path("deadLetterAge").asText("PT0S")))
              .order(Order.valueOf(json.path("order").asText(Order.SEQUENCE.name())))
              .maxInFlight(json.path("maxInFlight").asInt())
              .window(json.path("window").asInt())
              .batchSize(json.path("batchSize").asInt())
              .pollTimeout(Duration.parse(json.path("pollTimeout").asText()));
      filter(config, json.path("filter").asText(), json.path("filterExpression").textValue());
      LedgerState ledger = LedgerState.valueOf(json.path("ledger").asText(LedgerState.NEW.name()));
      return new StoredSubscriber(config.build(), json.path("start").asLong(), ledger);
    } catch (DateTimeException | ConfigurationException | IllegalArgumentException e) {
      throw new DamagedMessageException("damaged: " + file + ": " + e.getMessage(), e);
    }
  }
}
