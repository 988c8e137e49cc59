package com.wookler.river.rest.client;

import static com.wookler.river.rest.client.ScriptedServer.answer;
import static com.wookler.river.rest.client.ScriptedServer.problem;
import static com.wookler.river.rest.client.ScriptedServer.published;
import static com.wookler.river.rest.client.ScriptedServer.reset;
import static com.wookler.river.rest.client.ScriptedServer.resetWithin;
import static com.wookler.river.rest.client.ScriptedServer.silence;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the client does when servers, and the way to them, do not work. */
@Timeout(120)
class RiverClientFailureTest {
  private ScriptedServer first;
  private ScriptedServer second;

  @BeforeEach
  void start() throws IOException {
    first = new ScriptedServer(published(1));
    second = new ScriptedServer(published(2));
  }

  @AfterEach
  void stop() throws IOException {
    first.close();
    second.close();
  }

  private static RiverClient.Builder quick(String... servers) {
    String[] more = Arrays.copyOfRange(servers, 1, servers.length);
    return RiverClient.builder(servers[0], more)
        .timeout(Duration.ofMillis(300))
        .connectTimeout(Duration.ofMillis(200))
        .retryFor(Duration.ofSeconds(5));
  }

  /** For answers of a server that has work to do. */
  private static RiverClient patient(String... servers) {
    Duration patience = Duration.ofSeconds(30);
    return quick(servers).timeout(patience).connectTimeout(patience).retryFor(patience).build();
  }

  private RiverClient both() {
    return quick(first.address(), second.address()).build();
  }

  @Test
  void shouldRepeatAtTheSameServerWithTheSameIdWhenItMayBeDone() {
    first.then(reset(), resetWithin(201), silence(), answer(500, "oops"), answer(502, ""));
    try (RiverClient client = both()) {
      assertThat(client.queue("q").publish("a")).isEqualTo(1);
    }
    assertThat(second.requests).isEmpty();
    assertThat(first.requests).hasSize(6);
    assertThat(first.requests).extracting(ScriptedServer.Request::id).doesNotContainNull();
    assertThat(first.requests.stream().map(ScriptedServer.Request::id).distinct()).hasSize(1);
  }

  @Test
  void shouldGoToAnotherServerWhenNothingWasSent() throws Exception {
    String nobody = nobody();
    try (RiverClient client = quick(nobody, second.address()).build()) {
      for (int i = 0; i < 4; i++) {
        assertThat(client.queue("q").publish("a")).isEqualTo(2);
      }
    }
    assertThat(second.requests).hasSize(4);
  }

  @Test
  void shouldReleaseWhatArrivesWhenAPollIsCancelled() {
    String half = "[" + " ".repeat(64 << 20); // more than fits into the buffers between
    String rest = "{\"receipt\":\"r7\",\"sequence\":7,\"attempt\":1,\"data\":\"a\"}]";
    CompletableFuture<Void> arriving = new CompletableFuture<>();
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    first.then(
        (request, socket) -> {
          OutputStream out = socket.getOutputStream();
          int length = half.length() + rest.length();
          out.write(("HTTP/1.1 200 X\r\nContent-Length: " + length + "\r\n\r\n").getBytes(UTF_8));
          out.write(half.getBytes(UTF_8));
          arriving.complete(null);
          cancelled.join();
          out.write(rest.getBytes(UTF_8));
        },
        answer(200, "{\"results\":[{\"receipt\":\"r7\",\"result\":\"ok\"}]}"));
    try (RiverClient client = patient(first.address())) {
      var poll = client.subscriber("q", "s").batchAsync(1, Duration.ofSeconds(1));
      arriving.join();
      poll.cancel(false);
      cancelled.complete(null);
      await().until(() -> first.requests.size() == 2);
      assertThat(List.copyOf(first.requests).get(1))
          .matches(request -> request.path().endsWith("/release"))
          .matches(request -> request.body().contains("r7"));
    } finally {
      cancelled.complete(null);
    }
  }

  /** An address at which nobody listens. */
  private static String nobody() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return "http://127.0.0.1:" + free.getLocalPort();
    }
  }

  @Test
  void shouldStayWithAServerThatIsGoneOnceItMayHaveStored() {
    first.then(
        (request, socket) -> {
          first.close();
          ScriptedServer.reset(socket);
        });
    try (RiverClient client =
        quick(first.address(), second.address()).retryFor(Duration.ofMillis(1_500)).build()) {
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("earlier attempt")
          .hasCauseInstanceOf(ConnectionException.class)
          .matches(e -> ((RiverClientException) e).mayBeDone());
    }
    assertThat(second.requests).isEmpty();
  }

  @Test
  void shouldTellThatNobodyCanBeReached() throws Exception {
    try (RiverClient client = quick(nobody(), nobody()).retryFor(Duration.ofMillis(300)).build()) {
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOf(ConnectionException.class)
          .matches(e -> !((RiverClientException) e).mayBeDone());
      assertThatThrownBy(() -> client.subscriber("q", "s").next(Duration.ofMillis(100)))
          .isInstanceOf(ConnectionException.class);
    }
  }

  @Test
  void shouldFindAServerThatComesLater() throws Exception {
    String address = nobody();
    int port = URI.create(address).getPort();
    try (RiverClient client = quick(address).retryFor(Duration.ofSeconds(20)).build()) {
      var publishRequest = client.queue("q").publishAsync(NewMessage.text("a"), Durability.MEMORY);
      await().during(Duration.ofMillis(300)).until(() -> !publishRequest.isDone());
      try (ServerSocket late = new ServerSocket(port)) {
        Thread answering =
            new Thread(
                () -> {
                  try (var socket = late.accept()) {
                    socket.getInputStream().read();
                    ScriptedServer.write(
                        socket,
                        201,
                        "{\"sequence\":9,\"durability\":\"MEMORY\",\"duplicate\":false}");
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                  } catch (IOException e) {
                    // told by the future
                  }
                });
        answering.start();
        assertThat(publishRequest.get()).isEqualTo(9);
        answering.join();
      }
    }
  }

  @Test
  void shouldComeAgainWhenTheServerSaysSo() {
    first.then(
        problem(429, "queue-full", "Retry-After", "1"),
        problem(429, "too-many-requests"),
        problem(503, "unavailable"),
        problem(408, "timeout"));
    long before = System.nanoTime();
    try (RiverClient client = quick(first.address()).build()) {
      assertThat(client.queue("q").publish("a")).isEqualTo(1);
    }
    assertThat(System.nanoTime() - before).isGreaterThan(1_000_000_000);
    assertThat(first.requests).hasSize(5);
  }

  @Test
  void shouldNotWaitForATimeThatIsTooLate() {
    first.then(problem(503, "unavailable", "Retry-After", "60"));
    try (RiverClient client = quick(first.address()).build()) {
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOf(UnavailableException.class)
          .matches(e -> ((RiverClientException) e).retryAfter().toSeconds() == 60);
    }
    assertThat(first.requests).hasSize(1);
  }

  /** It lasts until an operator acts, and a batch that is too large stays so. */
  @ParameterizedTest
  @CsvSource({"503, status", "413, too-large"})
  void shouldNotTryAgainWhatStaysRefused(int status, String kind) {
    first.then(problem(status, kind), published(1));
    try (RiverClient client = quick(first.address()).retryFor(Duration.ofMinutes(1)).build()) {
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOfSatisfying(
              RiverClientException.class,
              e -> {
                assertThat(e.status()).isEqualTo(status);
                assertThat(e.mayBeDone()).isFalse();
              });
    }
  }

  @ParameterizedTest
  @CsvSource({
    "400, bad-request, BadRequestException",
    "401, unauthorized, UnauthorizedException",
    "403, forbidden, ForbiddenException",
    "404, not-found, NotFoundException",
    "405, method-not-allowed, IncompatibleServerException",
    "406, not-acceptable, IncompatibleServerException",
    "408, timeout, UnavailableException",
    "409, conflict, ConflictException",
    "412, precondition-failed, PreconditionFailedException",
    "413, too-large, TooLargeException",
    "414, uri-too-long, TooLargeException",
    "415, unsupported-media-type, IncompatibleServerException",
    "429, queue-full, QueueFullException",
    "429, too-many-requests, TooManyRequestsException",
    "431, headers-too-large, TooLargeException",
    "500, internal, ServerFailedException",
    "503, queue-failed, QueueFailedException",
    "503, damaged, DamagedMessageException",
    "503, status, QueueStatusException",
    "503, unavailable, UnavailableException",
    "418, some-new-kind, BadRequestException",
    "421, misdirected, IncompatibleServerException",
    "507, some-new-kind, ServerFailedException",
  })
  void shouldHaveAnExceptionForEachKindOfProblem(int status, String kind, String exception) {
    first.then(problem(status, kind));
    try (RiverClient client = quick(first.address()).retryFor(Duration.ZERO).build()) {
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOfSatisfying(
              RiverClientException.class,
              e -> {
                assertThat(e.getClass().getSimpleName()).isEqualTo(exception);
                assertThat(e.status()).isEqualTo(status);
                assertThat(e.type()).isEqualTo("urn:river:problem:" + kind);
                assertThat(e.detail()).isEqualTo("D");
                assertThat(e.field()).isEqualTo("F");
                assertThat(e.requestId()).isEqualTo("R");
                assertThat(e).hasMessageContaining("D").hasMessageContaining("request R");
              });
    }
  }

  @Test
  void shouldTellAForeignServer() {
    first.then(answer(200, "<html>hello</html>"), answer(302, "", "Location", second.address()));
    try (RiverClient client = quick(first.address()).apiKey("secret-key").build()) {
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOf(IncompatibleServerException.class);
      assertThatThrownBy(() -> client.queue("q").publish("a"))
          .isInstanceOf(IncompatibleServerException.class)
          .hasMessageNotContaining("secret-key");
    }
    assertThat(first.requests.get(0).headers()).containsEntry("authorization", "Bearer secret-key");
    assertThat(second.requests).isEmpty();
  }

  @Test
  void shouldNotRepeatWhatCannotBeRepeated() {
    first.then(reset());
    try (RiverClient client = quick(first.address()).build()) {
      assertThatThrownBy(() -> client.subscriber("q", "s").purge())
          .isInstanceOf(OutcomeUnknownException.class);
    }
    assertThat(first.requests).hasSize(1);
  }

  @Test
  void shouldStoreOnceWhenTheAnswerIsLost(@TempDir Path directory) throws Exception {
    try (RiverServer server = RiverServer.builder().port(0).directory(directory).start();
        RiverClient direct = RiverClient.builder("http://127.0.0.1:" + server.port()).build()) {
      HttpClient forwarding = HttpClient.newHttpClient();
      ScriptedServer.Act storeAndLose =
          (request, socket) -> {
            HttpRequest.Builder again =
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + request.path()))
                    .POST(HttpRequest.BodyPublishers.ofString(request.body()));
            request.headers().entrySet().stream()
                .filter(e -> e.getKey().matches("river-.*|content-type"))
                .forEach(e -> again.setHeader(e.getKey(), e.getValue()));
            HttpResponse<String> answer =
                forwarding.send(again.build(), HttpResponse.BodyHandlers.ofString());
            if (first.requests.size() % 2 == 1) {
              ScriptedServer.reset(socket);
            } else {
              ScriptedServer.write(socket, answer.statusCode(), answer.body());
            }
          };
      first.then(storeAndLose, storeAndLose, storeAndLose, storeAndLose);
      try (RiverClient client = patient(first.address(), second.address())) {
        Published one = client.queue("q").put(NewMessage.text("a"), Durability.MEMORY);
        assertThat(one.duplicate()).isTrue();
      }
      try (RiverClient client = patient(first.address())) {
        long batch =
            client.queue("q").publishAll(List.of(NewMessage.text("b"), NewMessage.text("c")));
        assertThat(batch).isEqualTo(1);
      }
      assertThat(direct.queue("q").messages(0, 10))
          .extracting(StoredMessage::text)
          .containsExactly("a", "b", "c");
      assertThat(second.requests).isEmpty();
    }
  }

  @Test
  void shouldEndACallThatIsInterrupted() throws Exception {
    first.then(silence());
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (RiverClient client = quick(first.address()).timeout(Duration.ofSeconds(30)).build()) {
      Thread publishRequest =
          new Thread(
              () -> {
                try {
                  client.queue("q").publish("a");
                } catch (CallInterruptedException e) {
                  thrown.set(Thread.currentThread().isInterrupted() ? e : null);
                }
              });
      publishRequest.start();
      await().until(() -> first.requests.size() == 1);
      publishRequest.interrupt();
      publishRequest.join();
    }
    assertThat(thrown.get()).isInstanceOf(CallInterruptedException.class);
  }

  /** The server hangs, or its machine has lost its power: nobody closes the connection. */
  @Test
  void shouldGiveUpAStreamThatIsSilent() {
    String line =
        "{\"receipt\":\"r\",\"sequence\":1,\"attempt\":1,"
            + "\"publishedAt\":\"2026-11-20T10:00:00Z\",\"headers\":{},\"data\":\"a\"}\n";
    first.then(
        (request, socket) -> {
          socket
              .getOutputStream()
              .write(("HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n" + line).getBytes(UTF_8));
          socket.getOutputStream().flush();
        },
        answer(200, line),
        problem(401, "unauthorized"));
    Queue<String> got = new ConcurrentLinkedQueue<>();
    try (RiverClient client = quick(first.address()).silence(Duration.ofMillis(200)).build();
        DeliveryStream stream = client.subscriber("q", "s").stream(one -> got.add(one.text()))) {
      await().untilAsserted(() -> assertThat(stream.ended()).isCompletedExceptionally());
      assertThat(got).containsExactly("a", "a");
      assertThat(first.requests).hasSize(3);
    }
  }

  @Test
  void shouldWaitForTheFirstLineOfAStreamAsForOthers() {
    first.then(
        (request, socket) -> {
          socket
              .getOutputStream()
              .write("HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n".getBytes(UTF_8));
          socket.getOutputStream().flush();
        });
    try (RiverClient client =
            quick(first.address())
                .timeout(Duration.ofMillis(100))
                .silence(Duration.ofMinutes(1))
                .build();
        DeliveryStream stream = client.subscriber("q", "s").stream(one -> {})) {
      await().until(() -> first.requests.size() == 1);
      await().during(Duration.ofSeconds(1)).until(() -> first.requests.size() == 1);
      assertThat(stream.ended()).isNotDone();
    }
  }

  @Test
  void shouldOpenAStreamAgainThatBreaks() {
    String line =
        "{\"receipt\":\"r\",\"sequence\":1,\"attempt\":1,"
            + "\"publishedAt\":\"2026-11-20T10:00:00Z\",\"headers\":{},\"data\":\"a\"}\n";
    first.then(
        reset(),
        problem(503, "unavailable"),
        answer(200, line + line.substring(0, 30)),
        answer(200, "\n" + line),
        problem(401, "unauthorized"));
    Queue<String> got = new ConcurrentLinkedQueue<>();
    try (RiverClient client = quick(first.address()).build();
        DeliveryStream stream = client.subscriber("q", "s").stream(one -> got.add(one.text()))) {
      await().untilAsserted(() -> assertThat(stream.ended()).isCompletedExceptionally());
      assertThat(got).containsExactly("a", "a");
      assertThat(first.requests).hasSize(5);
      assertThatThrownBy(() -> stream.ended().join())
          .hasCauseInstanceOf(UnauthorizedException.class);
    }
  }

  @Test
  void shouldRefuseWhatIsNoServerOrName() {
    assertThatThrownBy(() -> RiverClient.builder("ftp://x"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RiverClient.builder("http://user:secret@x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> RiverClient.builder("http://x").apiKey("a\nb"))
        .isInstanceOf(IllegalArgumentException.class);
    try (RiverClient client = both()) {
      assertThatThrownBy(() -> client.queue("a/../b")).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
