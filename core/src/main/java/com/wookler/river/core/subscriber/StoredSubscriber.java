package com.wookler.river.core.subscriber;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What is stored of a subscriber in its directory, in {@code subscriber.json}, a {@link
 * CheckedJson} that names the queue and the subscriber:
 *
 * <pre>
 *  {"format":1,"queue":"…","name":"…","start":0,"ledger":"MADE","options":{"…":"…"},"check":"…"}
 * </pre>
 *
 * <p>Its {@code options} are those of {@link SubscriberOptions}, as XML names and writes them; one
 * that is missing has its default.
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

  /** Returns where the ledger starts when its own files do not say. */
  public InitialPosition origin(long earliest) {
    return new InitialPosition(start, earliest, ledger != LedgerState.NEW);
  }

  /** Writes the file, whole or not at all, unless it says the same, and makes its directory. */
  public void write(Path directory, UUID queue) throws IOException {
    ObjectNode json = CheckedJson.object(FORMAT);
    json.put("queue", queue.toString());
    json.put("name", config.name());
    json.put("start", start);
    json.put("ledger", ledger.name());
    ObjectNode options = json.putObject("options");
    config.settings().texts().forEach(options::put);
    DurableFiles.createDirectories(directory);
    CheckedJson.update(directory.resolve(FILE), json);
  }

  /** Reads what {@link #write} wrote; throws if it is something else, or a newer River's. */
  public static StoredSubscriber read(Path directory, UUID queue) throws IOException {
    Path file = directory.resolve(FILE);
    ObjectNode json = CheckedJson.read(file, FORMAT);
    String name = String.valueOf(directory.getFileName());
    if (!name.equals(json.path("name").asText())
        || !queue.toString().equals(json.path("queue").asText())) {
      throw new DamagedMessageException(
          "damaged: " + file + " is not what was written for subscriber " + name);
    }
    try {
      Map<String, String> options = new LinkedHashMap<>();
      json.required("options")
          .properties()
          .forEach(each -> options.put(each.getKey(), each.getValue().asText()));
      SubscriberConfig.Builder config =
          SubscriberConfig.builder(name).settings(SubscriberOptions.TABLE.restore(options));
      LedgerState ledger = LedgerState.valueOf(json.path("ledger").asText(LedgerState.NEW.name()));
      return new StoredSubscriber(config.build(), json.path("start").asLong(), ledger);
    } catch (DateTimeException | ConfigurationException | IllegalArgumentException e) {
      throw new DamagedMessageException("damaged: " + file + ": " + e.getMessage(), e);
    }
  }
}
