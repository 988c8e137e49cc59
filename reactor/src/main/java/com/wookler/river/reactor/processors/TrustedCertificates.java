package com.wookler.river.reactor.processors;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Certificates in a file, to trust in the place of those that the JVM trusts. */
final class TrustedCertificates {
  /** Its parameters in XML. */
  static final List<String> PARAMS =
      List.of("http.ssl.trust", "http.ssl.truststore", "http.ssl.password");

  private static final String PEM = PARAMS.get(0);
  private static final String STORE = PARAMS.get(1);
  private static final String PASSWORD = PARAMS.get(2);

  private TrustedCertificates() {}

  /** Where they come from. */
  @FunctionalInterface
  private interface Source {
    KeyStore read(Path file) throws IOException, GeneralSecurityException;
  }

  /** As the element says; empty: the JVM's. */
  static Optional<SSLContext> of(ConfigNode node) {
    Optional<Path> pem = node.file(PEM);
    Optional<Path> store = node.file(STORE);
    if (pem.isPresent() && store.isPresent()) {
      throw node.error(STORE, "is given beside " + PEM + "; one of them is enough");
    }
    if (store.isEmpty() && node.param(PASSWORD).isPresent()) {
      throw node.error(PASSWORD, "is of no use without " + STORE);
    }
    if (pem.isEmpty() && store.isEmpty()) {
      return Optional.empty();
    }
    String password = store.isPresent() ? node.requireParam(PASSWORD) : "";
    try {
      return pem.map(TrustedCertificates::ofPem)
          .or(() -> store.map(file -> ofStore(file, password)));
    } catch (ConfigurationException e) {
      throw node.error(pem.isPresent() ? PEM : STORE, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Of a file with a certificate or several, in PEM or DER.
   *
   * @throws ConfigurationException it cannot be read, or has none
   */
  static SSLContext ofPem(Path file) {
    return context(file, TrustedCertificates::pem);
  }

  /**
   * Of a store, PKCS12 or JKS.
   *
   * @throws ConfigurationException it cannot be read, also by this password, or has none
   */
  static SSLContext ofStore(Path file, String password) {
    return context(file, store -> KeyStore.getInstance(store.toFile(), password.toCharArray()));
  }

  private static KeyStore pem(Path file) throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(file)) {
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("trusted-" + trusted.size(), each);
      }
    }
    return trusted;
  }

  private static SSLContext context(Path file, Source source) {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(source.read(file));
      boolean any = false;
      for (TrustManager manager : trust.getTrustManagers()) {
        any |= manager instanceof X509TrustManager x && x.getAcceptedIssuers().length > 0;
      }
      if (!any) {
        throw new ConfigurationException(file + " has no certificate to trust");
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new ConfigurationException("cannot trust what is in " + file + ": " + e, e);
    }
  }
}
