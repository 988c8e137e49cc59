package com.wookler.river.rest.server.http;

import com.wookler.river.common.errors.RiverException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.PfxOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The files of certificate and private key: two files of PEM, or a PKCS12 store. */
public sealed interface Tls {
  /** The supported protocols. */
  Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

  /**
   * The cipher suites, in order of preference: those of TLS 1.3, and of TLS 1.2 those with forward
   * secrecy and authenticated encryption. Neither RSA key exchange nor CBC is among them.
   */
  List<String> CIPHER_SUITES =
      List.of(
          "TLS_AES_256_GCM_SHA384",
          "TLS_AES_128_GCM_SHA256",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  /** Certificate chain and private key, each in PEM. */
  record Pem(Path certificate, Path key) implements Tls {
    @Override
    public KeyCertOptions read() {
      return new PemKeyCertOptions()
          .addCertValue(Tls.bytes(certificate))
          .addKeyValue(Tls.bytes(key));
    }

    @Override
    public List<Path> files() {
      return List.of(certificate, key);
    }

    @Override
    public String toString() {
      return certificate + " with " + key;
    }
  }

  /** A store with a password, which is not shown. */
  record Store(Path file, String password) implements Tls {
    @Override
    public KeyCertOptions read() {
      return new PfxOptions().setValue(Tls.bytes(file)).setPassword(password);
    }

    @Override
    public List<Path> files() {
      return List.of(file);
    }

    @Override
    public String toString() {
      return file.toString();
    }
  }

  /**
   * Only for clients whose certificate is signed by one of a file.
   *
   * @param own certificate and key of the server
   * @param clients certificates in PEM that sign those of clients
   */
  record Mutual(Tls own, Path clients) implements Tls {
    @Override
    public KeyCertOptions read() {
      return own.read();
    }

    /** Reads what certificates of clients are signed by. */
    TrustOptions trusted() {
      return new PemTrustOptions().addCertValue(Tls.bytes(clients));
    }

    @Override
    public List<Path> files() {
      return Stream.concat(own.files().stream(), Stream.of(clients)).toList();
    }

    @Override
    public String toString() {
      return own + ", for clients of " + clients;
    }
  }

  /** Reads the files. */
  KeyCertOptions read();

  List<Path> files();

  private static Buffer bytes(Path file) {
    try {
      return Buffer.buffer(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new RiverException("cannot read " + file + " for TLS", e);
    }
  }
}
