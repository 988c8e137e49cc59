package com.wookler.river.reactor.processors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.Reactor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server with a certificate of its own, which is one for {@code localhost} only. */
@Timeout(120)
class HttpProcessorTlsTest {
  private static final String PASSWORD = "not-so-secret";

  /** Of all tests: a certificate takes a while to make. */
  @TempDir static Path certificates;

  private static Path store;
  private static Path pem;

  @TempDir Path directory;
  private HttpsServer server;
  private MessageQueue<String> queue;
  private Subscriber<String> subscriber;
  private final Queue<String> received = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void certify() throws Exception {
    store = certificates.resolve("server.p12");
    pem = certificates.resolve("server.pem");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(
        List.of("-genkeypair", "-alias", "own", "-keyalg", "EC", "-storetype", "PKCS12"));
    command.addAll(List.of("-dname", "CN=own", "-ext", "san=dns:localhost", "-validity", "2"));
    command.addAll(List.of("-storepass", PASSWORD, "-keystore", store.toString()));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(out).isZero();
    byte[] certificate = keys().getCertificate("own").getEncoded();
    Files.writeString(
        pem,
        "the server's own:\n-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(certificate)
            + "\n-----END CERTIFICATE-----\n");
  }

  private static KeyStore keys() throws Exception {
    return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
  }

  @BeforeEach
  void open() throws Exception {
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys(), PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), null, null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext("/", this::answer);
    server.start();
    queue = MessageQueue.builder("events", MessageConverter.utf8()).directory(directory).open();
    subscriber =
        queue.subscriber(SubscriberConfig.builder("forward").ack(true).maxDeliveries(3).build());
    queue.publisher().publishAll(List.of("a", "b"));
  }

  private void answer(HttpExchange exchange) throws IOException {
    received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  @AfterEach
  void close() {
    queue.close();
    server.stop(0);
  }

  private URI url(String host) {
    return URI.create("https://" + host + ":" + server.getAddress().getPort() + "/events");
  }

  private HttpProcessor.Builder<String> http(String host) {
    return HttpProcessor.<String>builder(
            url(host), "events", d -> d.data().getBytes(StandardCharsets.UTF_8))
        .timeout(Duration.ofSeconds(30));
  }

  private HttpProcessor<String> fromXml(String params) throws IOException {
    Path file = directory.resolve("river.xml");
    Files.writeString(
        file,
        "<processor name=\"http\" class=\"any\"><params>%s</params></processor>"
            .formatted(param("http.url", url("localhost")) + params));
    HttpProcessor<String> processor = new HttpProcessor<>();
    processor.configure(ConfigParser.parse(file));
    return processor;
  }

  private static String param(String name, Object value) {
    return "<param name=\"%s\" value=\"%s\"/>".formatted(name, value);
  }

  /** The ways to say whom to trust. */
  private enum Way {
    PEM,
    STORE,
    PEM_IN_XML,
    STORE_IN_XML
  }

  private HttpProcessor<String> trusting(Way way) throws IOException {
    return switch (way) {
      case PEM -> http("localhost").trust(pem).build();
      case STORE -> http("localhost").truststore(store, PASSWORD).build();
      case PEM_IN_XML -> fromXml(param("http.ssl.trust", pem));
      case STORE_IN_XML ->
          fromXml(param("http.ssl.truststore", store) + param("http.ssl.password", PASSWORD));
    };
  }

  @ParameterizedTest
  @EnumSource
  void shouldPostToAServerWhoseCertificateItIsGiven(Way way) throws IOException {
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("http", trusting(way)).start()) {
      await().atMost(Duration.ofSeconds(60)).until(() -> subscriber.stats().lag() == 0);
      assertThat(received).containsExactly("a", "b");
      await().until(() -> reactor.stats().finished() == 2); // counted after the acknowledgement
    }
  }

  @Test
  void shouldSendAndAcknowledgeNothingWhileTheCertificateIsNotTrusted() {
    shouldGiveUp(http("localhost").build(), "unable to find valid certification path");
  }

  @Test
  void shouldSendNothingToAServerWithTheCertificateOfAnotherName() {
    shouldGiveUp(http("127.0.0.1").trust(pem).build(), "127.0.0.1 found");
  }

  /** After all the attempts that a message has. */
  private void shouldGiveUp(HttpProcessor<String> http, String reason) {
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("http", http).batchSize(1).start()) {
      await().atMost(Duration.ofSeconds(60)).until(() -> subscriber.deadLetters().size() == 2);
      await().until(() -> reactor.stats().failed() == 6);
      assertThat(reactor.stats().finished()).isZero();
    }
    assertThat(subscriber.deadLetters().peek(10))
        .extracting(HttpProcessorTlsTest::reason)
        .hasSize(2)
        .allSatisfy(
            told ->
                assertThat(told).contains("https://", "its certificate is not trusted", reason));
    assertThat(received).isEmpty();
  }

  private static String reason(Delivery<String> letter) {
    byte[] reason = letter.headers().get(DeadLetters.REASON);
    return reason == null ? "" : new String(reason, StandardCharsets.UTF_8);
  }

  @Test
  void shouldRefuseWhatGivesNothingToTrust() throws IOException {
    Path empty = Files.createFile(directory.resolve("empty.pem"));
    Path missing = directory.resolve("missing.pem");
    assertThatThrownBy(() -> http("localhost").trust(missing))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(missing.toString());
    assertThatThrownBy(() -> http("localhost").trust(empty))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(empty + " has no certificate");
    assertRefused(param("http.ssl.trust", empty), "http.ssl.trust'");
    assertRefused(param("http.ssl.trust", missing), "http.ssl.trust'");
    assertRefused(
        param("http.ssl.trust", pem) + param("http.ssl.truststore", store), "http.ssl.truststore'");
    assertRefused(param("http.ssl.truststore", store), "http.ssl.password");
    assertRefused(param("http.ssl.password", PASSWORD), "http.ssl.password'");
    assertRefused(
        param("http.ssl.truststore", store) + param("http.ssl.password", "wrong-0"),
        "http.ssl.truststore'");
  }

  private void assertRefused(String params, String named) {
    assertThatThrownBy(() -> fromXml(params))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("river.xml:")
        .hasMessageContaining(named)
        .hasMessageNotContaining("wrong-0");
  }
}
