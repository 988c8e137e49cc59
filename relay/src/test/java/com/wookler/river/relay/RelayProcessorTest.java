package com.wookler.river.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.client.StoredMessage;
import com.wookler.river.rest.client.SubscriberSettings;
import com.wookler.river.rest.server.RiverServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class RelayProcessorTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;

  private int port;
  private RiverServer server;
  private RiverClient client;
  private RemoteQueue there;
  private MessageQueue<String> local;
  private Subscriber<String> subscriber;

  @BeforeEach
  void open() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    serve();
    client =
        RiverClient.builder("http://127.0.0.1:" + port)
            .retryFor(Duration.ZERO)
            .timeout(Duration.ofSeconds(5))
            .build();
    there = client.queue("central");
    local =
        MessageQueue.builder("edge", MessageConverter.utf8())
            .directory(directory.resolve("edge"))
            .open();
    subscriber =
        local.subscriber(SubscriberConfig.builder("relay").ack(true).maxDeliveries(1).build());
  }

  private void serve() {
    server = RiverServer.builder().port(port).directory(directory.resolve("server")).start();
  }

  @AfterEach
  void close() {
    local.close();
    client.close();
    server.close();
  }

  private RelayProcessor<String> relay() {
    return RelayProcessor.<String>builder(client, "central")
        .pause(Duration.ofMillis(200))
        .batchMessages(50)
        .build();
  }

  private void publish(int from, int to) {
    local.publisher().publishAll(IntStream.range(from, to).mapToObj(i -> "m" + i).toList());
  }

  private void awaitDrained() {
    await().atMost(SOON).until(() -> subscriber.stats().lag() == 0);
  }

  private List<String> stored() {
    return there.messages(0, 1_000).stream().map(StoredMessage::text).toList();
  }

  private static List<String> numbered(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
  }

  @Test
  void shouldForwardWithKeysAndHeaders() {
    local
        .publisher()
        .publish(Message.of("zwölf").withKey("schlüssel").withHeader("h", new byte[] {-1, 0}));
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("relay", relay()).start()) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isOne();
    }
    StoredMessage first = there.message(0).orElseThrow();
    assertThat(first.text()).isEqualTo("zwölf");
    assertThat(first.key()).isEqualTo("schlüssel");
    assertThat(first.headers().get("h")).containsExactly(-1, 0);
  }

  @Tag("full")
  @Test
  void shouldSendLessAtOnceThroughWhatCutsLargeRequests() throws Exception {
    publish(0, 300);
    try (CuttingProxy proxy = new CuttingProxy(port, 600);
        RiverClient through =
            RiverClient.builder(proxy.address()).retryFor(Duration.ZERO).build()) {
      RelayProcessor<String> relay =
          RelayProcessor.<String>builder(through, "central")
              .pause(Duration.ofMillis(100))
              .batchMessages(50)
              .build();
      try (Reactor<String> reactor =
          Reactor.builder(subscriber).batchProcessor("relay", relay).start()) {
        awaitDrained();
        assertThat(reactor.stats().finished()).isEqualTo(300);
      }
      assertThat(stored()).isEqualTo(numbered(0, 300));
      assertThat(proxy.cut.get()).isBetween(3, 100);
    }
  }

  @Test
  void shouldWaitInOrderWhileTheServerIsAwayAndBurnNoAttempt() {
    RelayProcessor<String> relay = relay();
    server.close();
    publish(0, 300);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("relay", relay).start()) {
      await().atMost(SOON).until(relay::isAway);
      publish(300, 400);
      serve();
      awaitDrained();
      assertThat(relay.isAway()).isFalse();
      server.close();
      publish(400, 500);
      await().atMost(SOON).until(relay::isAway);
      serve();
      awaitDrained();
      assertThat(reactor.stats().failed()).isZero();
    }
    assertThat(stored()).containsExactlyElementsOf(numbered(0, 500));
    assertThat(subscriber.deadLetters().size()).isZero(); // one delivery was allowed
  }

  @Test
  void shouldStoreOnceWhatIsSentAgain() {
    subscriber =
        local.subscriber(SubscriberConfig.builder("again").ack(true).maxDeliveries(3).build());
    publish(0, 100);
    AtomicBoolean thrown = new AtomicBoolean();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchProcessor("relay", relay())
            .batchProcessor(
                "behind",
                batch -> {
                  if (!thrown.getAndSet(true)) {
                    throw new IllegalStateException("after it was sent");
                  }
                  return batch.stream().map(d -> ProcessResult.<String>done()).toList();
                })
            .start()) {
      awaitDrained();
      assertThat(reactor.stats().failed()).isPositive();
    }
    assertThat(stored()).containsExactlyElementsOf(numbered(0, 100));
  }

  @ParameterizedTest
  @CsvSource({
    "421, urn:river:problem:misdirected",
    "405, ''",
    "400, ''",
    "414, ''",
    "431, ''",
    "451, about:blank"
  })
  void shouldWaitWhereTheAnswerSaysNothingOfTheMessage(int status, String type) throws Exception {
    RelayProcessor<String> relay = relay();
    server.close();
    publish(0, 30);
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    other.createContext(
        "/",
        call -> {
          byte[] body = ("{\"type\":\"" + type + "\",\"status\":" + status + "}").getBytes(UTF_8);
          call.getRequestBody().readAllBytes();
          call.getResponseHeaders()
              .set("Content-Type", type.isEmpty() ? "text/html" : "application/problem+json");
          call.sendResponseHeaders(status, body.length);
          call.getResponseBody().write(body);
          call.close();
        });
    other.start();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("relay", relay).start()) {
      await().atMost(SOON).until(relay::isAway);
      other.stop(0);
      serve();
      awaitDrained();
      assertThat(reactor.stats().failed()).isZero();
    }
    assertThat(stored()).isEqualTo(numbered(0, 30));
    assertThat(subscriber.deadLetters().size()).isZero();
  }

  @Test
  void shouldRejectAloneWhatTheServerRefuses() {
    there.create(QueueSettings.builder().maxMessageBytes(1_000).build());
    local.publisher().publishAll(List.of("m0", "m1", "x".repeat(5_000), "m2"));
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("relay", relay()).start()) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isEqualTo(3);
    }
    assertThat(stored()).containsExactly("m0", "m1", "m2");
    assertThat(subscriber.deadLetters().size()).isOne();
  }

  @Test
  void shouldWaitWhileTheQueueIsFull() {
    there.create(QueueSettings.builder().maxMessages(10).rejectWhenFull().build());
    var reader = client.subscriber("central", "reader");
    reader.create(SubscriberSettings.builder().build());
    publish(0, 15);
    RelayProcessor<String> relay =
        RelayProcessor.<String>builder(client, "central").batchMessages(5).build();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("relay", relay).start()) {
      await().atMost(SOON).until(relay::isAway);
      assertThat(reactor.stats().failed()).isZero();
      reader.purge();
      awaitDrained();
    }
    assertThat(stored()).endsWith("m14").doesNotHaveDuplicates();
    assertThat(subscriber.deadLetters().size()).isZero();
  }

  @Test
  void shouldKeepToOneServer() {
    try (RiverClient two = RiverClient.builder("http://a:1", "http://b:1").build()) {
      assertThatThrownBy(() -> RelayProcessor.builder(two, "central"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("one server");
    }
    assertThatThrownBy(() -> RelayProcessor.builder(client, "central").batchMessages(0).build())
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> RelayProcessor.builder(client, "central").batchBytes(0).build())
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(
            () -> RelayProcessor.builder(client, "central").pause(Duration.ofMillis(1)).build())
        .isInstanceOf(ConfigurationException.class);
  }

  private ConfigNode xml(String params) throws IOException {
    Path file = directory.resolve("river.xml");
    Files.writeString(
        file,
        """
        <river>
          <queue name="xml-edge">
            <params>
              <param name="queue.message.converter" value="%s"/>
              <param name="queue.directory" value="%s"/>
            </params>
            <subscribers>
              <subscriber name="relay">
                <params><param name="subscriber.ack.required" value="true"/></params>
                <processor name="relay" class="%s"><params>%s</params></processor>
              </subscriber>
            </subscribers>
          </queue>
        </river>
        """
            .formatted(
                Text.class.getName(),
                directory.resolve("data"),
                RelayProcessor.class.getName(),
                params));
    return ConfigParser.parse(file).search("river.queue");
  }

  /** Strings. */
  public static final class Text implements MessageConverter<String> {
    @Override
    public byte[] toBytes(String data) {
      return MessageConverter.utf8().toBytes(data);
    }

    @Override
    public String fromBytes(byte[] bytes) {
      return MessageConverter.utf8().fromBytes(bytes);
    }
  }

  private static String param(String name, Object value) {
    return "<param name=\"" + name + "\" value=\"" + value + "\"/>";
  }

  private String target() {
    return param("server.url", "http://127.0.0.1:" + port) + param("server.queue", "central");
  }

  @Test
  void shouldBeConfiguredInXml() throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "secret-key\n");
    String all =
        target()
            + param("server.key.file", key)
            + param("server.timeout", "5ss")
            + param("relay.durability", "MEMORY")
            + param("relay.batch.messages", "10")
            + param("relay.batch.bytes", "1KB")
            + param("relay.pause", "200ms");
    try (MessageQueue<String> queue = new MessageQueue<>()) {
      queue.configure(xml(all));
      queue.start();
      queue.publisher().publishAll(numbered(0, 25));
      await().atMost(SOON).until(() -> queue.subscriber("relay").stats().lag() == 0);
    }
    assertThat(stored()).containsExactlyElementsOf(numbered(0, 25));
  }

  @Test
  void shouldSayWhatIsWrongInXmlAndNeverTheKey() throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "secret key with blanks");
    assertWrong(param("server.queue", "central"), "server.url");
    assertWrong(param("server.url", "http://x"), "server.queue");
    assertWrong(param("server.url", "ftp://x") + param("server.queue", "q"), "server.url");
    assertWrong(param("server.url", "http://x") + param("server.queue", "a/b"), "server.queue");
    assertWrong(target() + param("server.key.env", "NO_SUCH_VARIABLE"), "NO_SUCH_VARIABLE");
    assertWrong(target() + param("server.key.file", key), "server.key.file");
    assertWrong(target() + param("relay.durability", "PAPER"), "relay.durability");
    assertWrong(target() + param("relay.batch.messages", "0"), "relay.batch.messages");
    assertWrong(target() + param("relay.batsh.bytes", "1"), "relay.batch.bytes");
    assertWrong(target() + param("server.timeout", "0ms"), "server.timeout");
  }

  private void assertWrong(String params, String what) throws IOException {
    ConfigNode node = xml(params);
    assertThatThrownBy(
            () -> {
              try (MessageQueue<String> queue = new MessageQueue<>()) {
                queue.configure(node);
                queue.start();
              }
            })
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(what)
        .hasMessageNotContaining("secret");
  }
}
