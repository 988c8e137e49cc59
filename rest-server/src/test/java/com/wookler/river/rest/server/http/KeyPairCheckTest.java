package com.wookler.river.rest.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.rest.server.Certificates;
import com.wookler.river.rest.server.RiverServer;
import com.wookler.river.testing.CapturedLog;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key and a certificate that do not belong together serve no connection. */
@Timeout(120)
@Tag("full")
class KeyPairCheckTest {
  @TempDir Path directory;

  private Certificates certificates;

  @BeforeEach
  void setUp() {
    certificates = new Certificates(directory);
  }

  private RiverServer.Builder builder() {
    return RiverServer.builder().port(0).directory(directory.resolve("data"));
  }

  private RiverServer.Builder pem() {
    return builder().certificate(directory.resolve("chain.pem"), directory.resolve("key.pem"));
  }

  private static SSLSocket connect(RiverServer server, Path trusted) throws Exception {
    return (SSLSocket)
        Certificates.trusting(trusted).getSocketFactory().createSocket("127.0.0.1", server.port());
  }

  private static X509Certificate served(RiverServer server, Path trusted) throws Exception {
    try (SSLSocket socket = connect(server, trusted)) {
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  @Test
  void shouldRefuseToStartWithTheKeyOfAnotherCertificate() throws Exception {
    Path first = certificates.store("first");
    Path second = certificates.store("second");
    certificates.chain(first);
    certificates.key(second);
    assertThatThrownBy(() -> pem().start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("chain.pem with ")
        .hasMessageContaining("key.pem")
        .hasMessageContaining("does not belong to the certificate 'CN=first'");
    Path mixed = certificates.mixed(first, second);
    assertThatThrownBy(() -> builder().keystore(mixed, Certificates.PASSWORD).start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("mixed.p12")
        .hasMessageContaining("CN=second");
    Path rsa = certificates.store("rsa", "-keyalg", "RSA", "-validity", "2");
    certificates.key(rsa);
    assertThatThrownBy(() -> pem().start())
        .hasMessageContaining("private key algorithm does not match");
  }

  @Test
  void shouldKeepItsPairUntilTheNewOneIsComplete() throws Exception {
    Path first = certificates.store("first");
    Path second = certificates.store("second");
    certificates.pem(first);
    try (CapturedLog log = new CapturedLog(Listener.class);
        RiverServer server = pem().start()) {
      certificates.chain(second);
      await()
          .untilAsserted(
              () ->
                  assertThat(log.warnings())
                      .anySatisfy(
                          line ->
                              assertThat(line).contains("stays as it was").contains("CN=second")));
      assertThat(served(server, first)).isEqualTo(Certificates.certificate(first));

      certificates.key(second);
      await()
          .ignoreExceptions() // a client that trusts the second refuses the first
          .untilAsserted(
              () -> assertThat(served(server, second)).isEqualTo(Certificates.certificate(second)));
      assertThatThrownBy(() -> served(server, first)).isInstanceOf(SSLHandshakeException.class);
    }
  }

  @ParameterizedTest
  @CsvSource({"RSA, -2d, expired at", "EC, +5d, is not valid before", "Ed25519, -2d, expired at"})
  void shouldWarnOfDates(String algorithm, String start, String says) throws Exception {
    Path store =
        certificates.store("dated", "-keyalg", algorithm, "-validity", "1", "-startdate", start);
    try (CapturedLog log = new CapturedLog(KeyPairCheck.class);
        RiverServer server = builder().keystore(store, Certificates.PASSWORD).start()) {
      assertThat(server.scheme()).isEqualTo("https");
      assertThat(log.warnings())
          .singleElement()
          .asString()
          .contains("dated.p12")
          .contains("'CN=dated'")
          .contains(says);
    }
  }

  @Test
  void shouldSpeakNoSuiteWithoutForwardSecrecyOrAuthenticatedEncryption() throws Exception {
    Path store = certificates.store("rsa", "-keyalg", "RSA", "-validity", "2");
    try (RiverServer server = builder().keystore(store, Certificates.PASSWORD).start()) {
      String[] all;
      try (SSLSocket socket = connect(server, store)) {
        all = socket.getSupportedCipherSuites();
      }
      String[] weak =
          Arrays.stream(all)
              .filter(suite -> suite.startsWith("TLS_RSA_WITH_AES") || suite.contains("_CBC_"))
              .toArray(String[]::new);
      assertThat(weak).contains("TLS_RSA_WITH_AES_128_GCM_SHA256");
      assertThat(weak).contains("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256");
      for (String suite : weak) {
        try (SSLSocket socket = connect(server, store)) {
          socket.setEnabledProtocols(new String[] {"TLSv1.2"});
          socket.setEnabledCipherSuites(new String[] {suite});
          assertThatThrownBy(socket::startHandshake).as(suite).isInstanceOf(Exception.class);
        }
      }
      for (String suite : Tls.CIPHER_SUITES) {
        if (suite.contains("ECDSA")) {
          continue;
        }
        try (SSLSocket socket = connect(server, store)) {
          socket.setEnabledCipherSuites(new String[] {suite});
          socket.startHandshake();
          assertThat(socket.getSession().getCipherSuite()).isEqualTo(suite);
        }
      }
    }
  }
}
