package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server is killed at random moments under load, over a link that slows, cuts and resets: what a
 * publish returned for is there once, and what an acknowledgement returned for does not come again.
 *
 * <p>{@code -Driver.rest.kills=N} kills so often (2), {@code -Driver.rest.seed=S} repeats a run as
 * far as the random choices go.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class RestKillTest {
  private static final int KILLS = Integer.getInteger("river.rest.kills", 2);
  private static final int PUBLISHERS = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;

  private final long seed = Long.getLong("river.rest.seed", System.nanoTime());
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final Set<String> published = ConcurrentHashMap.newKeySet();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
  private final Set<String> cameAgain = ConcurrentHashMap.newKeySet();
  private volatile boolean publishing = true;
  private volatile boolean consuming = true;
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
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.kill();
    link.close();
  }

  private static RiverClient client(String address) {
    return RiverClient.builder(address)
        .retryFor(PATIENCE)
        .timeout(Duration.ofSeconds(2))
        .connectTimeout(Duration.ofSeconds(1))
        .build();
  }

  private Thread start(int number, RiverClient client) {
    Thread thread =
        new Thread(
            () -> {
              try {
                if (number < PUBLISHERS) {
                  publish(number, client.queue("q"));
                } else {
                  consume(client.subscriber("q", "s"));
                }
              } catch (Exception e) {
                failures.add(e);
              }
            });
    thread.start();
    return thread;
  }

  private void publish(int publisher, RemoteQueue queue) {
    for (int i = 0; publishing; i++) {
      String message = publisher + "-" + i;
      queue.publish(message);
      published.add(message);
    }
  }

  private void consume(RemoteSubscriber subscriber) throws InterruptedException {
    while (consuming) {
      List<RemoteDelivery> batch = take(subscriber);
      for (RemoteDelivery delivery : batch) {
        seen.add(delivery.text());
        if (acknowledged.contains(delivery.text())) {
          cameAgain.add(delivery.text());
        }
      }
      if (!batch.isEmpty()) {
        acknowledge(subscriber, batch);
      }
    }
  }

  private static List<RemoteDelivery> take(RemoteSubscriber subscriber)
      throws InterruptedException {
    try {
      return subscriber.batch(50, Duration.ofMillis(500));
    } catch (ConnectionException | OutcomeUnknownException | UnavailableException e) {
      return List.of(); // a poll is not repeated for longer than it wants to wait
    }
  }

  private void acknowledge(RemoteSubscriber subscriber, List<RemoteDelivery> batch) {
    try {
      subscriber.ack(batch);
      batch.forEach(delivery -> acknowledged.add(delivery.text()));
    } catch (StaleReceiptException e) {
      // some were out when the server was killed, and come again; or were acknowledged before it
      // was,
      // and the answer lost: nobody knows which
    }
  }

  @Test
  void shouldLoseAndDoubleNothingWhenTheServerIsKilledOverALinkThatBreaks() throws Exception {
    Random random = new Random(seed);
    try (RiverClient direct = client("http://127.0.0.1:" + port);
        RiverClient client = client(link.address())) {
      direct.queue("q").create(QueueSettings.builder().build());
      direct
          .subscriber("q", "s")
          .create(
              SubscriberSettings.builder()
                  .ackTimeout(Duration.ofSeconds(2))
                  .maxDeliveries(0)
                  .build());
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i <= PUBLISHERS; i++) {
        threads.add(start(i, client));
      }
      for (int kill = 0; kill < KILLS; kill++) {
        int more = published.size() + 50 + random.nextInt(200);
        await().atMost(PATIENCE).until(() -> published.size() >= more || !failures.isEmpty());
        server.kill();
        server.start();
      }
      int more = published.size() + 50;
      await().atMost(PATIENCE).until(() -> published.size() >= more || !failures.isEmpty());
      publishing = false;
      for (Thread thread : threads.subList(0, PUBLISHERS)) {
        thread.join();
      }
      await()
          .atMost(PATIENCE)
          .until(() -> direct.subscriber("q", "s").stats().lag() == 0 || !failures.isEmpty());
      consuming = false;
      threads.get(PUBLISHERS).join();

      assertThat(failures).as("seed %d", seed).isEmpty();
      List<String> stored = stored(direct.queue("q"));
      assertThat(stored).as("seed %d", seed).doesNotHaveDuplicates().containsAll(published);
      assertThat(seen).as("seed %d", seed).containsAll(published);
      assertThat(acknowledged).isNotEmpty();
      assertThat(cameAgain).as("seed %d", seed).isEmpty();
      assertThat(link.broken()).isPositive();
    }
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
