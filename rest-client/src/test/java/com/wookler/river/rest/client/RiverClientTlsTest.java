package com.wookler.river.rest.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that others reach: with a certificate of a company's own authority, and with keys. */
@Timeout(120)
class RiverClientTlsTest {
  private static final String PASSWORD = "not-so-secret";
  private static final String SECRET = "s".repeat(43);
  private static final Duration SOON = Duration.ofSeconds(60);

  /** Of all tests: certificates take a while to make. */
  @TempDir static Path directory;

  private static SSLContext trusting;

  @BeforeAll
  static void certify() throws Exception {
    keytool("-genkeypair", "-alias", "ca", "-keyalg", "EC", "-dname", "CN=own", "-ext", "bc:c");
    keytool("-genkeypair", "-alias", "river", "-keyalg", "EC", "-dname", "CN=river");
    keytool("-certreq", "-alias", "river", "-file", file("request"));
    keytool(
        "-gencert",
        "-alias",
        "ca",
        "-ext",
        "san=ip:127.0.0.1,dns:localhost",
        "-infile",
        file("request"),
        "-outfile",
        file("answer"));
    keytool("-importcert", "-noprompt", "-alias", "river", "-file", file("answer"));
    KeyStore all = store();
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    own.setCertificateEntry("ca", all.getCertificate("ca"));
    trusting = context(own);
    Key key = all.getKey("river", PASSWORD.toCharArray());
    StringBuilder chain = new StringBuilder();
    for (Certificate each : all.getCertificateChain("river")) {
      chain.append(pem("CERTIFICATE", each.getEncoded()));
    }
    Files.writeString(directory.resolve("chain.pem"), chain);
    Files.writeString(directory.resolve("key.pem"), pem("PRIVATE KEY", key.getEncoded()));
    all.deleteEntry("ca"); // its key is not the server's
    try (var out = Files.newOutputStream(directory.resolve("server.p12"))) {
      all.store(out, PASSWORD.toCharArray());
    }
    Files.writeString(directory.resolve("keys.json"), keys());
  }

  private static String file(String name) {
    return directory.resolve(name).toString();
  }

  private static void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(
        List.of("-storetype", "PKCS12", "-keystore", file("all.p12"), "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
  }

  private static KeyStore store() throws Exception {
    return KeyStore.getInstance(directory.resolve("all.p12").toFile(), PASSWORD.toCharArray());
  }

  private static SSLContext context(KeyStore trusted) throws Exception {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static String pem(String kind, byte[] bytes) {
    String text = Base64.getMimeEncoder().encodeToString(bytes);
    return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
  }

  /** As {@code ./river keys add shop --admin '*'} writes it. */
  private static String keys() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(new byte[16]);
    Base64.Encoder base64 = Base64.getEncoder();
    return "{\"format\":\"river-keys\",\"version\":1,\"keys\":[{\"id\":\"0123456789ab\","
        + "\"name\":\"shop\",\"salt\":\""
        + base64.encodeToString(new byte[16])
        + "\",\"hash\":\""
        + base64.encodeToString(digest.digest(SECRET.getBytes(UTF_8)))
        + "\",\"publish\":[],\"consume\":[],\"admin\":[\"*\"]}]}";
  }

  private RiverServer server(boolean pem) {
    RiverServer.Builder builder =
        RiverServer.builder()
            .port(0)
            .host("0.0.0.0")
            .directory(directory.resolve(pem ? "pem" : "store"))
            .keys(directory.resolve("keys.json"));
    return pem
        ? builder.certificate(directory.resolve("chain.pem"), directory.resolve("key.pem")).start()
        : builder.keystore(directory.resolve("server.p12"), PASSWORD).start();
  }

  private static RiverClient.Builder client(RiverServer server) {
    return RiverClient.builder("https://127.0.0.1:" + server.port())
        .retryFor(Duration.ZERO)
        .timeout(SOON);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldWorkOverTlsWithItsOwnAuthorityAndAKey(boolean pem) throws Exception {
    try (RiverServer server = server(pem);
        RiverClient client =
            client(server).sslContext(trusting).apiKey("river_0123456789ab_" + SECRET).build()) {
      client.queue("orders").publish(NewMessage.text("order"), Durability.DISK);
      RemoteSubscriber billing = client.subscriber("orders", "billing");
      billing.next(SOON).ack();
      Queue<String> streamed = new ConcurrentLinkedQueue<>();
      try (DeliveryStream stream = billing.stream(one -> streamed.add(one.text()))) {
        client.queue("orders").publish("streamed");
        await().until(() -> streamed.contains("streamed"));
        shouldShareAConnection(client);
        assertThat(stream.ended()).isNotDone();
      }
    }
  }

  /** Which is HTTP/2: a connection of HTTP/1.1 has one request at a time. */
  private static void shouldShareAConnection(RiverClient client) {
    List<CompletableFuture<List<RemoteDelivery>>> polls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      polls.add(client.subscriber("prices", "reader" + i).batchAsync(1, SOON));
    }
    await().until(() -> client.metrics().contains("river_http_polls 5.0\n"));
    assertThat(client.metrics())
        .contains("river_http_connections 1.0\n", "river_http_streams 1.0\n");
    client.queue("prices").publish("1");
    polls.forEach(poll -> assertThat(poll.join()).hasSize(1));
  }

  @Test
  void shouldTrustNobodyElseAndShowAKeyThatIsKnown() {
    try (RiverServer server = server(true)) {
      try (RiverClient strange = client(server).apiKey("river_0123456789ab_" + SECRET).build()) {
        assertThatThrownBy(strange::queues).isInstanceOf(ConnectionException.class);
      }
      String other = "river_0123456789ab_" + "t".repeat(43);
      try (RiverClient wrong = client(server).sslContext(trusting).apiKey(other).build()) {
        assertThatThrownBy(wrong::queues)
            .isInstanceOf(UnauthorizedException.class)
            .hasMessageNotContaining("ttt");
      }
      try (RiverClient without = client(server).sslContext(trusting).build()) {
        assertThatThrownBy(() -> without.queue("orders").publish("x"))
            .isInstanceOf(UnauthorizedException.class);
        assertThat(without.isReady()).isTrue();
      }
    }
  }
}
