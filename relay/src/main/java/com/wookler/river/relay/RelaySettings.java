package com.wookler.river.relay;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.rest.client.Durability;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RiverClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a relay: its target, and the size of its requests.
 *
 * @param ownClient the client that was created for the relay and is closed with it; null: the
 *     caller's client
 * @param server address of the server, for messages
 */
record RelaySettings(
    @Nullable RiverClient ownClient,
    String server,
    RemoteQueue target,
    Durability durability,
    Limits limits) {
  static final String URL = "server.url";
  private static final String QUEUE = "server.queue";
  private static final String KEY_ENV = "server.key.env";
  private static final String KEY_FILE = "server.key.file";
  private static final String TIMEOUT = "server.timeout";
  private static final String DURABILITY = "relay.durability";
  private static final String BATCH_MESSAGES = "relay.batch.messages";
  private static final String BATCH_BYTES = "relay.batch.bytes";
  private static final String PAUSE = "relay.pause";
  private static final int MAX_MESSAGES = 10_000;
  static final Duration FIRST_PAUSE = Duration.ofMillis(100);

  /** Limits of the requests, see {@link RelayProcessor.Builder}. */
  record Limits(int messages, long bytes, Duration pause) {
    static final Limits DEFAULT = new Limits(500, 256 << 10, Duration.ofSeconds(5));
  }

  static RelaySettings of(RiverClient client, String queue) {
    if (client.servers().size() != 1) {
      throw new ConfigurationException(
          "a relay needs one server, not "
              + client.servers()
              + ": only one server recognizes duplicates");
    }
    return new RelaySettings(
        null,
        client.servers().get(0).toString(),
        client.queue(queue),
        Durability.DISK,
        Limits.DEFAULT);
  }

  static RelaySettings of(ConfigNode node) {
    node.allowParams(
        List.of(
            URL,
            QUEUE,
            KEY_ENV,
            KEY_FILE,
            TIMEOUT,
            DURABILITY,
            BATCH_MESSAGES,
            BATCH_BYTES,
            PAUSE));
    String level = node.param(DURABILITY).orElse(Durability.DISK.name());
    Durability durability =
        Arrays.stream(Durability.values())
            .filter(known -> known.name().equals(level))
            .findFirst()
            .orElseThrow(
                () -> node.error(DURABILITY, "is " + level + "; it may be MEMORY or DISK"));
    Limits limits =
        new Limits(
            node.integer(BATCH_MESSAGES, Limits.DEFAULT.messages()),
            node.bytes(BATCH_BYTES, Limits.DEFAULT.bytes()),
            node.duration(PAUSE, Limits.DEFAULT.pause()));
    String queue = node.requireParam(QUEUE);
    RiverClient client = client(node);
    try {
      return new RelaySettings(
              client, client.servers().get(0).toString(), client.queue(queue), durability, limits)
          .validated();
    } catch (IllegalArgumentException e) {
      client.close();
      throw node.error(QUEUE, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  private static RiverClient client(ConfigNode node) {
    RiverClient.Builder client;
    try {
      client = RiverClient.builder(node.requireParam(URL));
    } catch (IllegalArgumentException e) {
      throw node.error(URL, "is not the address of a server: " + e.getMessage());
    }
    client.retryFor(Duration.ZERO); // the processor retries
    Duration timeout = node.duration(TIMEOUT, Duration.ofSeconds(10));
    if (timeout.toMillis() < 1) {
      throw node.error(TIMEOUT, "is " + timeout + "; it must be 1 ms or more");
    }
    client.timeout(timeout);
    setKey(node, client);
    return client.build();
  }

  private static void setKey(ConfigNode node, RiverClient.Builder client) {
    Optional<String> variable = node.param(KEY_ENV);
    Optional<Path> file = node.file(KEY_FILE);
    if (variable.isPresent() && file.isPresent()) {
      throw node.error(KEY_FILE, "cannot be combined with " + KEY_ENV + "; remove one of them");
    }
    if (variable.isPresent()) {
      String key = System.getenv(variable.get());
      if (key == null) {
        throw node.error(KEY_ENV, "there is no environment variable " + variable.get());
      }
      setKey(node, KEY_ENV, client, key);
    } else if (file.isPresent()) {
      try {
        setKey(node, KEY_FILE, client, Files.readString(file.get()));
      } catch (IOException e) {
        throw node.error(KEY_FILE, "cannot be read: " + e);
      }
    }
  }

  private static void setKey(
      ConfigNode node, String param, RiverClient.Builder client, String key) {
    try {
      client.apiKey(key.strip());
    } catch (IllegalArgumentException e) {
      throw node.error(param, "does not contain a valid API key");
    }
  }

  int batchMessages() {
    return limits.messages();
  }

  long batchBytes() {
    return limits.bytes();
  }

  Duration pause() {
    return limits.pause();
  }

  RelaySettings with(Durability level) {
    return new RelaySettings(ownClient, server, target, level, limits);
  }

  RelaySettings with(int messages, long bytes, Duration pause) {
    return new RelaySettings(
        ownClient, server, target, durability, new Limits(messages, bytes, pause));
  }

  /**
   * Returns these settings if they are valid.
   *
   * @throws ConfigurationException a setting is out of its range
   */
  RelaySettings validated() {
    check(
        limits.messages() >= 1 && limits.messages() <= MAX_MESSAGES,
        BATCH_MESSAGES + " is " + limits.messages() + "; it may be 1 to " + MAX_MESSAGES);
    check(limits.bytes() >= 1, BATCH_BYTES + " is " + limits.bytes() + "; it must be 1 or more");
    check(
        limits.pause().compareTo(FIRST_PAUSE) >= 0,
        PAUSE + " is " + limits.pause() + "; it must be 100 ms or more");
    return this;
  }

  private void check(boolean condition, String what) {
    if (!condition) {
      throw new ConfigurationException("relay to " + this + ": " + what);
    }
  }

  void close() {
    if (ownClient != null) {
      ownClient.close();
    }
  }

  @Override
  public String toString() {
    return "queue " + target.name() + " at " + server;
  }
}
