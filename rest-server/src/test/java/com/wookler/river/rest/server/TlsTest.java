package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who reaches the server, and how. */
@Timeout(120)
class TlsTest {
  private static final String PASSWORD = "not-so-secret";

  @TempDir Path directory;

  private RiverServer.Builder builder() {
    return RiverServer.builder().port(0).directory(directory.resolve("data"));
  }

  /** A store with a new key and a certificate for this machine. */
  private Path store(String name) throws Exception {
    Path file = directory.resolve(name + ".p12");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(
        List.of("-genkeypair", "-alias", "river", "-keyalg", "EC", "-storetype", "PKCS12"));
    command.addAll(List.of("-dname", "CN=" + name, "-ext", "san=ip:127.0.0.1,dns:localhost"));
    command.addAll(List.of("-storepass", PASSWORD, "-validity", "2", "-keystore", file.toString()));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(out).isZero();
    return file;
  }

  private static KeyStore load(Path store) throws Exception {
    return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
  }

  private static void pem(Path file, String kind, byte[] bytes) throws IOException {
    Path half = file.resolveSibling(file.getFileName() + ".tmp");
    Files.writeString(
        half,
        "-----BEGIN "
            + kind
            + "-----\n"
            + Base64.getMimeEncoder().encodeToString(bytes)
            + "\n-----END "
            + kind
            + "-----\n");
    Files.move(half, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private void pem(Path store) throws Exception {
    KeyStore keys = load(store);
    pem(directory.resolve("chain.pem"), "CERTIFICATE", keys.getCertificate("river").getEncoded());
    pem(
        directory.resolve("key.pem"),
        "PRIVATE KEY",
        keys.getKey("river", PASSWORD.toCharArray()).getEncoded());
  }

  private static SSLContext trusting(Path store) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("river", load(store).getCertificate("river"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static HttpResponse<String> get(
      RiverServer server, Path trusted, HttpClient.Version version) throws Exception {
    HttpClient client =
        HttpClient.newBuilder().sslContext(trusting(trusted)).version(version).build();
    return client.send(
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + "/v1/queues"))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shouldSpeakHttpOfBothVersionsOverTls() throws Exception {
    Path store = store("first");
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
        (SSLSocket) trusting(trusted).getSocketFactory().createSocket("127.0.0.1", server.port())) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setProtocols(new String[] {protocol});
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return socket.getSession().getProtocol();
    }
  }

  @Test
  void shouldTakeARenewedCertificateWithoutARestart() throws Exception {
    Path first = store("first");
    Path second = store("second");
    pem(first);
    try (RiverServer server =
        builder()
            .certificate(directory.resolve("chain.pem"), directory.resolve("key.pem"))
            .start()) {
      assertThat(subject(server, first)).isEqualTo("CN=first");
      Files.writeString(directory.resolve("key.pem"), "half a key");
      assertThat(subject(server, first)).isEqualTo("CN=first");
      pem(second);
      await()
          .ignoreExceptions() // who trusts the second refuses the first
          .untilAsserted(() -> assertThat(subject(server, second)).isEqualTo("CN=second"));
      assertThat(get(server, second, HttpClient.Version.HTTP_2).statusCode()).isEqualTo(200);
      assertThatThrownBy(() -> subject(server, first)).isInstanceOf(SSLHandshakeException.class);
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
    Path store = store("first");
    try (RiverServer server =
        builder().keystore(store, PASSWORD).idleTimeout(Duration.ofMillis(300)).start()) {
      HttpClient client = HttpClient.newBuilder().sslContext(trusting(store)).build();
      URI uri =
          URI.create(
              "https://127.0.0.1:"
                  + server.port()
                  + "/v1/queues/orders/subscribers/billing/deliveries?wait=50s");
      var poll =
          client.sendAsync(
              HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.noBody()).build(),
              HttpResponse.BodyHandlers.ofString());
      await().until(() -> server.waiting() == 1);
      assertThat(poll.cancel(true)).isTrue();
      await().until(() -> server.waiting() == 0);
    }
  }

  @Test
  void shouldLetNobodyInWhoWasNotMeant() throws Exception {
    Path keys = directory.resolve("keys.json");
    new KeyFile(keys).add("all", List.of(), List.of(), List.of("*"), List.of());
    Path store = store("first");
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
  void shouldSayWhatIsWrongWithItsFilesWithoutThePassword() throws Exception {
    Path store = store("first");
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
