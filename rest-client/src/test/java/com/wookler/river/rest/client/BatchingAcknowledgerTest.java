package com.wookler.river.rest.client;

import static com.wookler.river.rest.client.ScriptedServer.answer;
import static com.wookler.river.rest.client.ScriptedServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Acknowledgements collected to batches. */
@Timeout(120)
class BatchingAcknowledgerTest {
  private final Map<String, RiverClientException> reported = new ConcurrentHashMap<>();

  private void report(RemoteDelivery delivery, RiverClientException failure) {
    reported.put(delivery.receipt(), failure);
  }

  private static List<RemoteDelivery> taken(ScriptedServer server, RemoteSubscriber from, int count)
      throws Exception {
    server.then(
        answer(
            200,
            IntStream.range(0, count)
                .mapToObj(
                    i ->
                        "{\"receipt\":\"r%d\",\"sequence\":%d,\"attempt\":1,\"headers\":{},"
                                .formatted(i, i)
                            + "\"publishedAt\":\"2026-11-20T10:00:00Z\",\"data\":\"a\"}")
                .collect(Collectors.joining(",", "[", "]"))));
    return from.batch(count, Duration.ZERO);
  }

  private static ScriptedServer.Act results(String... results) {
    return answer(
        200,
        IntStream.range(0, results.length)
            .mapToObj(i -> "{\"receipt\":\"r%d\",\"result\":\"%s\"}".formatted(i, results[i]))
            .collect(Collectors.joining(",", "{\"results\":[", "]}")));
  }

  private static BatchingAcknowledger.Settings settings(int most, Duration linger) {
    return new BatchingAcknowledger.Settings(most, linger, 10_000);
  }

  @Test
  void shouldAcknowledgeAStreamWithFewRequestsAndAllOfItWhenItIsClosed(@TempDir Path directory)
      throws Exception {
    int messages = 1_000;
    try (RiverServer server = RiverServer.builder().port(0).directory(directory).start();
        RiverClient client = RiverClient.builder("http://127.0.0.1:" + server.port()).build()) {
      RemoteSubscriber billing = client.subscriber("orders", "billing");
      billing.next();
      try (BatchingPublisher publisher = client.queue("orders").batching()) {
        for (int i = 0; i < messages; i++) {
          var unused = publisher.publish("m" + i);
        }
      }
      CountDownLatch handled = new CountDownLatch(messages);
      try (BatchingAcknowledger acks =
              billing.acknowledger(settings(100, Duration.ofMinutes(5)), this::report);
          DeliveryStream stream =
              acks.stream(
                  150,
                  delivery -> {
                    acks.ack(delivery);
                    handled.countDown();
                  })) {
        assertThat(handled.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(stream.ended()).isNotDone();
      }
      assertThat(billing.stats().acked()).isEqualTo(messages);
      assertThat(billing.next()).isNull();
      assertThat(reported).isEmpty();
    }
  }

  @Test
  void shouldSendByCountAndByTimeAndByFlush() throws Exception {
    try (ScriptedServer server = new ScriptedServer(results("ok", "ok", "ok", "ok"));
        RiverClient client = RiverClient.builder(server.address()).build()) {
      RemoteSubscriber billing = client.subscriber("orders", "billing");
      List<RemoteDelivery> taken = taken(server, billing, 4);
      BatchingAcknowledger slow =
          billing.acknowledger(settings(2, Duration.ofMinutes(5)), this::report);
      slow.ack(taken.get(0));
      await().during(Duration.ofMillis(100)).until(() -> server.requests.size() == 1);
      slow.ack(taken.get(1)).join();
      slow.ack(taken.get(2));
      slow.flush();
      slow.ack(taken.get(3));
      slow.close();
      assertThatThrownBy(() -> slow.ack(taken.get(3))).isInstanceOf(ClientClosedException.class);
      BatchingAcknowledger quick =
          billing.acknowledger(settings(100, Duration.ofMillis(20)), this::report);
      assertThat(quick.ack(taken.get(0)).join()).isEqualTo(AckResult.OK);
      assertThat(server.requests.stream().skip(1).map(ScriptedServer.Request::body))
          .containsExactly(
              "{\"receipts\":[\"r0\",\"r1\"]}",
              "{\"receipts\":[\"r2\"]}",
              "{\"receipts\":[\"r3\"]}",
              "{\"receipts\":[\"r0\"]}");
      assertThat(reported).isEmpty();
    }
  }

  /** One thread acknowledges the first delivery of an acknowledger while another one closes it. */
  @Test
  void shouldMissNoAcknowledgementWhenItIsClosedMeanwhile() throws Exception {
    try (ScriptedServer server = new ScriptedServer(results("ok"));
        RiverClient client =
            RiverClient.builder(server.address()).retryFor(Duration.ZERO).build()) {
      RemoteSubscriber billing = client.subscriber("orders", "billing");
      RemoteDelivery delivery = taken(server, billing, 1).get(0);
      AutoCloseable away = server;
      away.close(); // each acknowledgement fails at once
      for (int round = 0; round < 2_000; round++) {
        BatchingAcknowledger acks =
            billing.acknowledger(settings(2, Duration.ofMinutes(5)), this::report);
        AtomicInteger ready = new AtomicInteger();
        CompletableFuture<AckResult> acknowledging =
            CompletableFuture.supplyAsync(
                () -> {
                  meet(ready);
                  return acks.ack(delivery).join();
                });
        meet(ready);
        acks.close();
        assertThatThrownBy(() -> acknowledging.get(30, TimeUnit.SECONDS))
            .hasCauseInstanceOf(RiverClientException.class);
      }
    }
  }

  private static void meet(AtomicInteger ready) {
    ready.incrementAndGet();
    while (ready.get() < 2) {
      Thread.onSpinWait();
    }
  }

  @Test
  void shouldReportWhatIsNotAcknowledged() throws Exception {
    try (ScriptedServer server = new ScriptedServer(problem(401, "unauthorized"));
        RiverClient client = RiverClient.builder(server.address()).build()) {
      RemoteSubscriber billing = client.subscriber("orders", "billing");
      List<RemoteDelivery> taken = taken(server, billing, 3);
      server.then(results("ok", "stale", "unknown"));
      try (BatchingAcknowledger acks =
          billing.acknowledger(settings(3, Duration.ofMinutes(5)), this::report)) {
        List<CompletableFuture<AckResult>> all = taken.stream().map(acks::ack).toList();
        acks.flush();
        assertThat(all.stream().map(CompletableFuture::join))
            .containsExactly(AckResult.OK, AckResult.STALE, AckResult.UNKNOWN);
        await().until(() -> reported.size() == 2);
        assertThat(reported.get("r1"))
            .isInstanceOf(StaleReceiptException.class)
            .hasMessageContaining("r1")
            .hasMessageContaining("STALE");
        assertThat(reported.get("r2")).hasMessageContaining("UNKNOWN");

        CompletableFuture<AckResult> refused = acks.ack(taken.get(0));
        acks.flush();
        assertThat(refused).isCompletedExceptionally();
        await().until(() -> reported.get("r0") instanceof UnauthorizedException);
      }
    }
  }
}
