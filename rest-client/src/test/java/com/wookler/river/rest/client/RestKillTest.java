package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server, and the processes of 50 clients, are killed at random moments under load, over a link
 * that slows, cuts and resets: what a publish returned for is there once however often it was
 * repeated, and what an acknowledgement returned for does not come again.
 *
 * <p>{@code -Driver.rest.kills=N} kills so often (4), {@code -Driver.rest.seed=S} repeats a run as
 * far as the random choices go.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS)
@Tag("full")
class RestKillTest {
  private static final int KILLS = Integer.getInteger("river.rest.kills", 4);
  private static final int PROCESSES = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path directory;

  private final long seed = Long.getLong("river.rest.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<ClientsProcess> clients = new ArrayList<>();
  private ServerProcess server;
  private FaultyLink link;
  private int port;

  @BeforeEach
  void start() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    server = new ServerProcess(directory.resolve("data"), port);
    link = new FaultyLink(port, seed);
    for (int i = 0; i < PROCESSES; i++) {
      clients.add(new ClientsProcess(link.address(), directory, i));
    }
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    for (ClientsProcess each : clients) {
      each.kill();
    }
    server.kill();
    link.close();
  }

  /** All that the clients have written down. */
  private final class Ledgers {
    private final Set<String> intended = new HashSet<>();
    private final Set<String> published = new HashSet<>();
    private final Set<String> seen = new HashSet<>();
    private final Map<String, Long> acknowledged = new HashMap<>();
    private final List<String> cameAgain = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private int drained;

    Ledgers() throws IOException {
      List<String> lines = new ArrayList<>();
      for (ClientsProcess each : clients) {
        lines.addAll(each.lines());
      }
      lines.forEach(this::take);
      lines.stream().filter(line -> line.startsWith("S ")).forEach(this::compare);
    }

    private void take(String line) {
      String[] words = line.split(" ", 3);
      switch (words[0]) {
        case "I" -> intended.add(words[1]);
        case "P" -> published.add(words[1]);
        case "S" -> seen.add(words[2]);
        case "A" -> acknowledged.merge(words[2], Long.valueOf(words[1]), Math::min);
        case "F" -> failures.add(line);
        case "D" -> drained++;
        default -> assertThat(line).isEmpty();
      }
    }

    /** What was asked for after the acknowledgement had returned must be something else. */
    private void compare(String line) {
      String[] words = line.split(" ", 3);
      Long returned = acknowledged.get(words[2]);
      if (returned != null && Long.parseLong(words[1]) - returned > 0) {
        cameAgain.add(line);
      }
    }
  }

  @Test
  void shouldLoseAndDoubleNothingWhenTheServerIsKilledOverALinkThatBreaks() throws Exception {
    try (RiverClient direct =
        RiverClient.builder("http://127.0.0.1:" + port).retryFor(PATIENCE).build()) {
      direct.queue("q").create(QueueSettings.builder().build());
      direct
          .subscriber("q", "s")
          .create(
              SubscriberSettings.builder()
                  .ackTimeout(Duration.ofSeconds(2))
                  .maxDeliveries(0)
                  .build());
      for (ClientsProcess each : clients) {
        each.start();
      }
      for (int kill = 0; kill < KILLS; kill++) {
        awaitMore(direct, 50 + random.nextInt(300));
        kill(kill);
      }
      awaitMore(direct, 50);
      drain(direct);
      check(new Ledgers(), stored(direct.queue("q")));
    }
  }

  private static void awaitMore(RiverClient direct, int messages) {
    long enough = next(direct) + messages;
    await().atMost(PATIENCE).until(() -> next(direct) >= enough);
  }

  private static long next(RiverClient direct) {
    return direct.queue("q").info().stats().nextSequence();
  }

  /** The server first, then clients, then whom chance hits. */
  private void kill(int number) throws Exception {
    int victim = number <= PROCESSES ? number : random.nextInt(PROCESSES + 1);
    if (victim == 0) {
      server.kill();
      server.start();
    } else {
      clients.get(victim - 1).kill();
      clients.get(victim - 1).start();
    }
  }

  private void drain(RiverClient direct) throws Exception {
    for (ClientsProcess each : clients) {
      each.stopPublishing();
    }
    await().atMost(PATIENCE).until(() -> new Ledgers().drained == PROCESSES);
    await().atMost(PATIENCE).until(() -> direct.subscriber("q", "s").stats().lag() == 0);
    for (ClientsProcess each : clients) {
      each.end();
    }
  }

  private void check(Ledgers ledgers, List<String> stored) {
    assertThat(ledgers.failures).as("seed %d", seed).isEmpty();
    assertThat(new HashSet<>(stored)).as("seed %d", seed).hasSameSizeAs(stored);
    assertThat(stored.containsAll(ledgers.published)).as("lost, seed %d", seed).isTrue();
    assertThat(ledgers.intended.containsAll(stored)).as("invented, seed %d", seed).isTrue();
    assertThat(ledgers.seen.containsAll(stored)).as("not delivered, seed %d", seed).isTrue();
    assertThat(ledgers.acknowledged).isNotEmpty();
    assertThat(ledgers.cameAgain).as("seed %d", seed).isEmpty();
    assertThat(link.broken()).isPositive();
    System.getLogger(RestKillTest.class.getName())
        .log(
            System.Logger.Level.INFO,
            "{0} kills, {1} messages published, {2} acknowledged, {3} connections broken, seed {4}",
            KILLS,
            ledgers.published.size(),
            ledgers.acknowledged.size(),
            link.broken(),
            Long.toString(seed));
  }

  private static List<String> stored(RemoteQueue queue) {
    List<String> stored = new ArrayList<>();
    long next = queue.info().stats().nextSequence();
    for (long from = 0; from < next; from += 1_000) {
      queue.messages(from, 1_000).forEach(one -> stored.add(one.text()));
    }
    return stored;
  }
}
