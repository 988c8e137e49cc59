package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.KeyFile;
import com.wookler.river.rest.server.http.Tls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who reaches the server, and how. */
@Timeout(120)
class TlsTest {
  private static final String PASSWORD = Certificates.PASSWORD;

  @TempDir Path directory;

  private Certificates certificates;

  @BeforeEach
  void setUp() {
    certificates = new Certificates(directory);
  }

  private RiverServer.Builder builder() {
    return RiverServer.builder().port(0).directory(directory.resolve("data"));
  }

  private static HttpResponse<String> get(
      RiverServer server, Path trusted, HttpClient.Version version) throws Exception {
    HttpClient client =
        HttpClient.newBuilder().sslContext(Certificates.trusting(trusted)).version(version).build();
    return client.send(
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + "/v1/queues"))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shouldSpeakHttpOfBothVersionsOverTls() throws Exception {
    Path store = certificates.store("first");
    try (RiverServer server = builder().keystore(store, PASSWORD).start()) {
      for (HttpClient.Version version : HttpClient.Version.values()) {
        HttpResponse<String> answer = get(server, store, version);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.version()).isEqualTo(version);
      }
      assertThat(server.scheme()).isEqualTo("https");
      assertThatThrownBy(() -> spoken(server, store, "TLSv1.1")).isInstanceOf(IOException.class);
      assertThat(spoken(server, store, "TLSv1.2")).isEqualTo("TLSv1.2");
      assertThat(spoken(server, store, "TLSv1.3")).isEqualTo("TLSv1.3");
    }
  }

  private static String spoken(RiverServer server, Path trusted, String protocol) throws Exception {
    try (SSLSocket socket =
        (SSLSocket)
            Certificates.trusting(trusted)
                .getSocketFactory()
                .createSocket("127.0.0.1", server.port())) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setProtocols(new String[] {protocol});
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return socket.getSession().getProtocol();
    }
  }

  @Test
  void shouldTakeARenewedCertificateWithoutARestart() throws Exception {
    Path first = certificates.store("first");
    Path second = certificates.store("second");
    certificates.pem(first);
    try (RiverServer server =
        builder()
            .certificate(directory.resolve("chain.pem"), directory.resolve("key.pem"))
            .start()) {
      assertThat(subject(server, first)).isEqualTo("CN=first");
      Files.writeString(directory.resolve("key.pem"), "half a key");
      assertThat(subject(server, first)).isEqualTo("CN=first");
      certificates.pem(second);
      await()
          .ignoreExceptions() // who trusts the second refuses the first
          .untilAsserted(() -> assertThat(subject(server, second)).isEqualTo("CN=second"));
      assertThat(get(server, second, HttpClient.Version.HTTP_2).statusCode()).isEqualTo(200);
      assertThatThrownBy(() -> subject(server, first)).isInstanceOf(SSLHandshakeException.class);
    }
  }

  /** A file may become readable without another time, size or identity. */
  @Test
  void shouldReadACertificateAgainThatCouldNotBeRead() throws Exception {
    Path first = certificates.store("first");
    Path second = certificates.store("second");
    Path key = directory.resolve("key.pem");
    FileTime later = FileTime.from(Instant.parse("2040-01-01T00:00:00Z"));
    certificates.key(second);
    String text = Files.readString(key);
    certificates.pem(first);
    try (RiverServer server = builder().certificate(directory.resolve("chain.pem"), key).start()) {
      Files.writeString(key, text.replace("BEGIN", "begin"));
      Files.setLastModifiedTime(key, later);
      certificates.chain(second);
      await()
          .during(Duration.ofMillis(500))
          .until(() -> subject(server, first), "CN=first"::equals);
      Files.writeString(key, text);
      Files.setLastModifiedTime(key, later);
      await()
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(subject(server, second)).isEqualTo("CN=second"));
    }
  }

  private static String subject(RiverServer server, Path trusted) throws Exception {
    HttpResponse<String> answer = get(server, trusted, HttpClient.Version.HTTP_1_1);
    X509Certificate certificate =
        (X509Certificate) answer.sslSession().orElseThrow().getPeerCertificates()[0];
    return Objects.requireNonNull(certificate).getSubjectX500Principal().getName();
  }

  @Test
  void shouldEndAPollThatIsResetOverHttp2() throws Exception {
    Path store = certificates.store("first");
    try (RiverServer server =
        builder().keystore(store, PASSWORD).idleTimeout(Duration.ofMillis(300)).start()) {
      HttpClient client = HttpClient.newBuilder().sslContext(Certificates.trusting(store)).build();
      URI uri =
          URI.create(
              "https://127.0.0.1:"
                  + server.port()
                  + "/v1/queues/orders/subscribers/billing/deliveries?create=true&wait=50s");
      var poll =
          client.sendAsync(
              HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.noBody()).build(),
              HttpResponse.BodyHandlers.ofString());
      await().until(() -> server.waiting() == 1);
      assertThat(poll.cancel(true)).isTrue();
      await().until(() -> server.waiting() == 0);
    }
  }

  /** Health checks have no certificate, on a port where there is nothing else. */
  @Test
  void shouldDemandACertificateOfClientsButNotOfHealthChecks() throws Exception {
    Path store = certificates.store("first");
    Path client = certificates.store("client");
    Path stranger = certificates.store("stranger");
    certificates.chain(client);
    try (RiverServer server =
        builder()
            .keystore(store, PASSWORD)
            .clientAuthority(directory.resolve("chain.pem"))
            .healthPort(0)
            .start()) {
      assertThat(status(server.port(), Certificates.mutual(store, client), "/v1/queues"))
          .isEqualTo(200);
      assertThatThrownBy(
              () -> status(server.port(), Certificates.mutual(store, stranger), "/v1/queues"))
          .isInstanceOf(IOException.class);
      SSLContext without = Certificates.trusting(store);
      assertThatThrownBy(() -> status(server.port(), without, "/health/live"))
          .isInstanceOf(IOException.class);
      assertThat(status(server.healthPort(), without, "/health/ready")).isEqualTo(200);
      assertThat(status(server.healthPort(), without, "/metrics")).isEqualTo(200);
      assertThat(status(server.healthPort(), without, "/v1/queues")).isEqualTo(404);

      certificates.chain(stranger); // from now on that one is known
      await()
          .ignoreExceptions()
          .until(
              () ->
                  status(server.port(), Certificates.mutual(store, stranger), "/v1/queues") == 200);
    }
  }

  private static int status(int port, SSLContext context, String path) throws Exception {
    return HttpClient.newBuilder()
        .sslContext(context)
        .build()
        .send(
            HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }

  @Test
  void shouldLetNobodyInWhoWasNotMeant() throws Exception {
    Path keys = directory.resolve("keys.json");
    new KeyFile(keys).add("all", List.of(), List.of(), List.of("*"), List.of());
    Path store = certificates.store("first");
    for (String host : List.of("0.0.0.0", "::", "192.0.2.1")) {
      assertRefused(builder().host(host), "no file of keys, and no TLS");
      assertRefused(builder().host(host).keys(keys), "no TLS");
      assertRefused(builder().host(host).keystore(store, PASSWORD), "no file of keys");
    }
    assertRefused(builder().host("no such host"), "no such host");
    for (RiverServer.Builder allowed :
        List.of(
            builder().host("0.0.0.0").insecure(true),
            builder().host("0.0.0.0").keys(keys).keystore(store, PASSWORD),
            builder().host("localhost"))) {
      try (RiverServer server = allowed.start()) {
        assertThat(server.port()).isPositive();
      }
    }
  }

  private static void assertRefused(RiverServer.Builder builder, String says) {
    assertThatThrownBy(builder::start)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(says);
  }

  @Test
  void shouldNameTheFileOfClientsAuthoritiesThatHasNone() throws Exception {
    Path none = Files.writeString(directory.resolve("none.pem"), "no certificate");
    Path store = certificates.store("first");
    RiverServer.Builder builder = builder().keystore(store, PASSWORD).clientAuthority(none);
    assertThatThrownBy(builder::start)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("server.ssl.client.ca (--client-ca) is " + none, "PEM")
        .hasMessageNotContaining("port");
    Files.delete(none);
    assertThatThrownBy(builder::start).hasMessageContaining("server.ssl.client.ca (--client-ca)");
  }

  @Test
  void shouldSayWhatIsWrongWithItsFilesWithoutThePassword() throws Exception {
    Path store = certificates.store("first");
    assertThatThrownBy(() -> builder().keystore(store, "wrong").start())
        .isInstanceOf(RiverException.class)
        .hasMessageNotContaining("wrong\"");
    assertThatThrownBy(() -> builder().keystore(directory.resolve("none"), PASSWORD).start())
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("none")
        .hasMessageNotContaining(PASSWORD);
    assertThat(new Tls.Store(store, PASSWORD).toString()).doesNotContain(PASSWORD);
    try (RiverServer server = builder().start()) { // nothing is left open
      assertThat(server.scheme()).isEqualTo("http");
    }
  }
}
