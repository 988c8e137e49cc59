package com.wookler.river.reactor.processors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
    Integer status = answers.poll();
    if (status == null) {
      received.add(body + " " + exchange.getRequestHeaders().getFirst("Idempotency-Key"));
    } else if (status == 429) {
      exchange.getResponseHeaders().add("Retry-After", "0");
    }
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
      assertThat(reactor.stats().failed()).isEqualTo(2);
      assertThat(reactor.stats().retried()).isEqualTo(1);
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
}
