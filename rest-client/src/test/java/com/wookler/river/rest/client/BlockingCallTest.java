package com.wookler.river.rest.client;

import static com.wookler.river.rest.client.ScriptedServer.published;
import static com.wookler.river.rest.client.ScriptedServer.silence;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that wait are sent by the thread that calls. */
@Timeout(120)
class BlockingCallTest {
  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(published(0));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  /** The JDK's client throws it in an SSLException, where a thread waits. */
  @Test
  void shouldCountAServerWhoseNameIsNotProvenAsNotReached() {
    IOException unproven = new SSLPeerUnverifiedException("no certificate");
    assertThat(RetryHandler.isNothingSent(unproven)).isTrue();
    assertThat(RetryHandler.isNothingSent(new SSLException("no certificate", unproven))).isTrue();
    assertThat(RetryHandler.isNothingSent(new SSLException("closed", new IOException()))).isFalse();
  }

  @Tag("full")
  @Test
  void shouldNeedNoThreadForEachCall() {
    try (RiverClient client = RiverClient.builder(server.address()).build()) {
      RemoteQueue queue = client.queue("q");
      queue.publish("first");
      long before = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
      for (int i = 0; i < 300; i++) {
        queue.publish("a");
      }
      long started = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - before;
      assertThat(started).isLessThan(100);
    }
  }

  @Test
  void shouldGiveUpAnAnswerThatStopsHalfway() {
    server.then(
        (request, socket) -> {
          socket
              .getOutputStream()
              .write("HTTP/1.1 201 X\r\nContent-Length: 100\r\n\r\n{\"seq".getBytes(UTF_8));
          socket.getOutputStream().flush();
        });
    try (RiverClient client =
        RiverClient.builder(server.address())
            .timeout(Duration.ofMillis(100))
            .connectTimeout(Duration.ofMillis(100))
            .retryFor(Duration.ZERO)
            .build()) {
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("no answer in");
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      assertThat(client.queue("q").publish("b")).isZero();
    }
  }

  @Test
  void shouldEndWhatWaitsWhenTheClientIsClosed() throws Exception {
    server.then(silence());
    RiverClient client = RiverClient.builder(server.address()).build();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AtomicReference<Boolean> interrupted = new AtomicReference<>();
    Thread publishRequest =
        new Thread(
            () -> {
              try {
                client.queue("q").publish("a");
              } catch (RuntimeException e) {
                thrown.set(e);
              }
              interrupted.set(Thread.currentThread().isInterrupted());
            });
    publishRequest.start();
    await().until(() -> server.requests.size() == 1);
    client.close();
    publishRequest.join();
    assertThat(thrown.get()).isInstanceOf(ClientClosedException.class);
    assertThat(interrupted.get()).isFalse();
  }

  @Test
  void shouldSendNothingForAThreadThatIsInterrupted() {
    try (RiverClient client = RiverClient.builder(server.address()).build()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOf(CallInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(server.requests).isEmpty();
    }
  }

  @Test
  void shouldTakeTimesWithoutEnd() throws Exception {
    try (RiverClient client =
        RiverClient.builder(server.address())
            .timeout(FOREVER)
            .connectTimeout(FOREVER)
            .retryFor(FOREVER)
            .silence(FOREVER)
            .build()) {
      assertThat(client.queue("q").publish("a")).isZero();
      assertThat(client.queue("q").publishAsync(NewMessage.text("b"), Durability.MEMORY).join())
          .isZero();
      server.then(
          ScriptedServer.answer(
              200,
              "[{\"receipt\":\"r\",\"sequence\":1,\"attempt\":1,"
                  + "\"publishedAt\":\"2026-11-20T10:00:00Z\",\"headers\":{},\"data\":\"a\"}]"));
      assertThat(client.subscriber("q", "s").batch(1, FOREVER)).hasSize(1);
      BatchingPublisher batching =
          client
              .queue("q")
              .batching(
                  new BatchingPublisher.Settings(2, 1_000, FOREVER, 1_000, Durability.MEMORY));
      var unused = batching.publish("c");
    }
  }

  /** A callback may block, and the common pool is the application's. */
  @Test
  void shouldCompleteFuturesOnThreadsOfItsOwn() {
    try (RiverClient client = RiverClient.builder(server.address()).build()) {
      CompletableFuture<Void> go = new CompletableFuture<>();
      server.then(
          (request, socket) -> {
            go.get();
            published(0).play(request, socket);
          });
      CompletableFuture<String> ran =
          client
              .queue("q")
              .publishAsync(NewMessage.text("a"), Durability.MEMORY)
              .thenApply(sequence -> Thread.currentThread().getName());
      go.complete(null);
      assertThat(ran.join()).startsWith("river-client-");
    }
  }
}
