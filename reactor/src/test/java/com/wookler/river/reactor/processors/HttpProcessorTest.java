package com.wookler.river.reactor.processors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class HttpProcessorTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;
  private HttpServer server;
  private MessageQueue<String> queue;
  private Subscriber<String> subscriber;
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private final Queue<Socket> open = new ConcurrentLinkedQueue<>(); // else they may be collected
  private final Queue<String> authorization = new ConcurrentLinkedQueue<>();
  private volatile int always; // the answer behind the answers; 0: 200
  private final Queue<Integer> answers = new ConcurrentLinkedQueue<>(); // then 200

  @BeforeEach
  void open() throws IOException {
    server = serve(0);
    queue = MessageQueue.builder("events", MessageConverter.utf8()).directory(directory).open();
    subscriber = queue.subscriber(SubscriberConfig.builder("forward").ack(true).build());
  }

  private HttpServer serve(int port) throws IOException {
    HttpServer made =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    made.createContext("/", this::answer);
    made.start();
    return made;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Integer next = answers.poll();
    Integer status = next == null && always > 0 ? Integer.valueOf(always) : next;
    if (status == null) {
      received.add(body + " " + exchange.getRequestHeaders().getFirst("Idempotency-Key"));
    } else if (status == 429 || status == 507) {
      exchange.getResponseHeaders().add("Retry-After", "0");
    }
    authorization.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
    exchange.sendResponseHeaders(status == null ? 200 : status, -1);
    exchange.close();
  }

  @AfterEach
  void close() throws IOException {
    queue.close();
    server.stop(0);
    for (Socket connection : open) {
      connection.close();
    }
  }

  private HttpProcessor.Builder<String> http() {
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/events");
    return HttpProcessor.<String>builder(
            url, "events", d -> d.data().getBytes(StandardCharsets.UTF_8))
        .timeout(Duration.ofSeconds(5))
        .header("Content-Type", "text/plain");
  }

  private Reactor<String> forward() {
    return Reactor.builder(subscriber).batchProcessor("http", http().build()).batchSize(1).start();
  }

  @Test
  void shouldTellApartWhatWasPassedOnInThePlaceOfOneMessage() {
    queue.publisher().publish("a b");
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                d -> ProcessResult.pass(Stream.of(d.data().split(" ")).map(Message::of).toList()))
            .batchProcessor("http", http().build())
            .start()) {
      awaitDrained();
      assertThat(received).containsExactly("a events-0.0", "b events-0.1");
      assertThat(reactor.stats().finished()).isEqualTo(1);
    }
  }

  @Test
  void shouldPostSeveralInOneRequest() {
    queue.publisher().publishAll(List.of("a", "b", "c"));
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchProcessor("http", http().batchMessages(2).build())
            .start()) {
      awaitDrained();
      assertThat(received).containsExactly("a\nb\n events-0-1", "c events-2");
      assertThat(reactor.stats().finished()).isEqualTo(3);
    }
  }

  @Test
  void shouldFindTheOneThatIsRefusedAmongSeveral() {
    answers.addAll(List.of(400, 400)); // both together, then the first alone
    queue.publisher().publishAll(List.of("bad", "good"));
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchProcessor("http", http().batchMessages(2).build())
            .start()) {
      awaitDrained();
      assertThat(received).containsExactly("good events-1");
      assertThat(reactor.stats().rejected()).isEqualTo(1);
    }
  }

  /** So one that the receiver cannot take uses up no attempt of the others. */
  @Test
  void shouldFindTheOneThatFailsAmongSeveralAlsoWhereTheAnswerHasATime() {
    answers.addAll(List.of(507, 507)); // both together, then the first alone
    queue.publisher().publishAll(List.of("bad", "good"));
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchProcessor("http", http().batchMessages(2).build())
            .start()) {
      awaitDrained();
      assertThat(received).containsExactly("good events-1", "bad events-0");
      assertThat(reactor.stats().retried()).isOne();
    }
  }

  private void awaitDrained() {
    await().atMost(Duration.ofSeconds(60)).until(() -> subscriber.stats().lag() == 0);
  }

  @Test
  void shouldPostInOrderWithAKeyForEachMessage() {
    queue.publisher().publishAll(List.of("a", "b", "c"));
    try (Reactor<String> reactor = forward()) {
      awaitDrained();
      assertThat(received).containsExactly("a events-0", "b events-1", "c events-2");
      assertThat(reactor.stats().finished()).isEqualTo(3);
    }
  }

  @Test
  void shouldTryAgainWhenTheServerSaysSo() {
    answers.addAll(List.of(503, 429, 500));
    queue.publisher().publish("a");
    try (Reactor<String> reactor = forward()) {
      awaitDrained();
      assertThat(received).containsExactly("a events-0");
      assertThat(reactor.stats().failed()).isEqualTo(1); // 500
      assertThat(reactor.stats().released()).isEqualTo(2); // 503, and 429 with a time
    }
  }

  @Test
  void shouldHoldNoOthersUpForAFailureThatHasATime() {
    answers.addAll(List.of(507, 507, 507));
    Subscriber<String> limited =
        queue.subscriber(SubscriberConfig.builder("limited").ack(true).maxDeliveries(3).build());
    RetryProcessor<String> retry = RetryProcessor.aroundBatches(http().build()).failures(1).build();
    queue.publisher().publish("bad");
    try (Reactor<String> reactor =
        Reactor.builder(limited).batchProcessor("http", retry).batchSize(1).start()) {
      await().until(() -> limited.deadLetters().size() == 1);
      assertThat(retry.isAway()).isFalse();
      assertThat(reactor.stats().released()).isZero();
    }
  }

  @Test
  void shouldRejectWhatTheServerWillNeverTake() {
    answers.add(400);
    queue.publisher().publishAll(List.of("bad", "good"));
    try (Reactor<String> reactor = forward()) {
      awaitDrained();
      assertThat(received).containsExactly("good events-1");
      assertThat(reactor.stats().rejected()).isEqualTo(1);
    }
  }

  @Test
  void shouldForwardWhatWasPublishedWhileTheServerWasAway() throws IOException {
    int port = server.getAddress().getPort();
    try (Reactor<String> reactor = forward()) {
      server.stop(0);
      queue.publisher().publishAll(List.of("a", "b"));
      await().until(() -> reactor.stats().failed() > 0);
      server = serve(port);
      awaitDrained();
      assertThat(received).containsExactlyInAnyOrder("a events-0", "b events-1");
    }
  }

  @Test
  void shouldGiveUpAnAnswerThatDoesNotEnd() throws Exception {
    try (ServerSocket half = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread answering = new Thread(() -> beginAnswers(half), "half-answers");
      answering.start();
      URI url = URI.create("http://127.0.0.1:" + half.getLocalPort() + "/");
      HttpProcessor<String> http =
          HttpProcessor.<String>builder(url, "events", d -> new byte[] {1})
              .timeout(Duration.ofMillis(200))
              .build();
      queue.publisher().publish("a");
      try (Reactor<String> reactor =
          Reactor.builder(subscriber).batchProcessor("http", http).start()) {
        await().atMost(SOON).until(() -> reactor.stats().failed() >= 2);
        assertThat(reactor.stats().finished()).isZero();
      }
    }
  }

  /** Says that it is well, and that more comes. */
  private void beginAnswers(ServerSocket half) {
    try {
      while (true) {
        Socket connection = half.accept();
        open.add(connection);
        connection
            .getOutputStream()
            .write(
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"
                    .getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      // the test is over
    }
  }

  @Test
  void shouldRejectNothingWhileTheServerDoesNotKnowWhoAsks() {
    answers.addAll(List.of(401, 407, 401));
    queue.publisher().publish("a");
    try (Reactor<String> reactor = forward()) {
      awaitDrained();
      assertThat(received).containsExactly("a events-0");
      assertThat(reactor.stats().rejected()).isZero();
    }
  }

  @Test
  void shouldRefuseWhatCannotBeSentToBeforeTheFirstMessage() {
    for (String wrong : List.of("127.0.0.1/events", "ftp://127.0.0.1/events", "/events")) {
      assertThatThrownBy(
              () ->
                  HttpProcessor.<String>builder(URI.create(wrong), "events", d -> new byte[0])
                      .build())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("cannot post to " + wrong);
    }
    assertThatThrownBy(() -> http().header("Content-Length", "1").build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("Content-Length");
  }

  /** So a wrong path or a closed door costs no message. */
  @Test
  void shouldUseUpNoAttemptWhileEveryMessageWouldGetTheSameAnswer() {
    subscriber =
        queue.subscriber(SubscriberConfig.builder("limited").ack(true).maxDeliveries(2).build());
    answers.addAll(List.of(404, 404, 403, 301, 421));
    queue.publisher().publishAll(List.of("a", "b"));
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("http", http().build()).start()) {
      awaitDrained();
      assertThat(received).containsExactly("a events-0", "b events-1"); // in order
      assertThat(reactor.stats().failed() + reactor.stats().rejected()).isZero();
    }
  }

  @Test
  void shouldMeanByAStatusWhatIsConfigured() {
    answers.addAll(List.of(404, 409, 503));
    queue.publisher().publishAll(List.of("a", "b", "c"));
    HttpProcessor<String> http = http().away("409").reject("404 410").retry("502-504").build();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("http", http).batchSize(1).start()) {
      awaitDrained();
      assertThat(received).containsExactlyInAnyOrder("b events-1", "c events-2");
      assertThat(reactor.stats().rejected()).isEqualTo(1);
      assertThat(reactor.stats().released()).isEqualTo(1);
      assertThat(reactor.stats().failed()).isEqualTo(1);
    }
  }

  @Test
  void shouldStopWhenManyInARowAreRejected() {
    always = 400;
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-22T10:00:00Z"));
    HttpProcessor<String> http =
        http().brake(3, Duration.ofMinutes(1)).timeSource(time).batchMessages(2).build();
    List<Delivery<String>> batch = batch(9);

    assertThat(http.process(batch))
        .extracting(HttpProcessorTest::kind)
        .containsExactly(
            "REJECT", "REJECT", "REJECT", "RELEASE", "RELEASE", "RELEASE", "RELEASE", "RELEASE",
            "RELEASE");
    assertThat(http.process(batch)).allMatch(ProcessResult::isReleased);
    time.advance(Duration.ofSeconds(61)); // one more is tried
    assertThat(http.process(batch.subList(3, 9)))
        .extracting(HttpProcessorTest::kind)
        .startsWith("REJECT", "RELEASE")
        .filteredOn("RELEASE"::equals)
        .hasSize(5);
    always = 0;
    assertThat(http.process(batch.subList(4, 9))).allMatch(ProcessResult::isReleased);
    time.advance(Duration.ofSeconds(61));
    assertThat(http.process(batch.subList(4, 9))).allMatch(ProcessResult::isSuccess);
    assertThat(received).hasSize(3); // by twos
  }

  private static String kind(ProcessResult<String> result) {
    return result.toString().replaceFirst("\\W.*", "");
  }

  private List<Delivery<String>> batch(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + i);
    }
    List<Delivery<String>> batch = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      batch.add(Objects.requireNonNull(subscriber.next()));
    }
    return batch;
  }

  @Test
  void shouldSendHeadersOfTheConfigurationAndShowNoneOfThem() throws Exception {
    HttpProcessor<String> http = new HttpProcessor<>();
    String url =
        "http://user:pass-word@127.0.0.1:" + server.getAddress().getPort() + "/e?key=pass-word";
    http.configure(
        xml(
            url,
            "<param name='http.header.Authorization' value='Bearer ${sys:river.test.token}'/>"));
    always = 410;

    List<ProcessResult<String>> results = http.process(batch(1));

    assertThat(authorization).containsExactly("Bearer s3cret");
    assertThat(results.get(0).toString()).doesNotContain("pass-word").contains("/e?… answered 410");
    for (String wrong :
        List.of(
            "<param name='http.header.Authorization' value='${sys:river.test.token}&#10;x'/>",
            "<param name='http.header.Host' value='${sys:river.test.token}'/>",
            "<param name='http.header.Idempotency-Key' value='${sys:river.test.token}'/>",
            "<param name='http.header.Bad Name' value='${sys:river.test.token}'/>",
            "<param name='http.content.type' value='a/b'/>"
                + "<param name='http.header.content-type' value='${sys:river.test.token}'/>",
            "<param name='http.status.away' value='200'/>",
            "<param name='http.status.away' value='400-499'/>"
                + "<param name='http.status.reject' value='404'/>",
            "<param name='http.brake.rejections' value='-1'/>")) {
      assertThatThrownBy(() -> new HttpProcessor<String>().configure(xml(url, wrong)))
          .isInstanceOf(ConfigurationException.class)
          .extracting(e -> stackTrace((Throwable) e))
          .asString()
          .doesNotContain("s3cret")
          .doesNotContain("pass-word");
    }
  }

  private static String stackTrace(Throwable e) {
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private ConfigNode xml(String url, String params) {
    System.setProperty("river.test.token", "s3cret");
    try {
      Path file = directory.resolve("http.xml");
      Files.writeString(
          file,
          "<processor name='http' class='x'><params><param name='http.url' value='"
              + url
              + "'/>"
              + params
              + "</params></processor>");
      return ConfigParser.parse(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    } finally {
      System.clearProperty("river.test.token");
    }
  }
}
