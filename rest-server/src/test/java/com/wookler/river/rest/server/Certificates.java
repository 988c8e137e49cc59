package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Makes certificates by {@code keytool}, as stores and as PEM. */
public final class Certificates {
  public static final String PASSWORD = "not-so-secret";

  private final Path directory;

  public Certificates(Path directory) {
    this.directory = directory;
  }

  /** A store with a new key and a certificate for this machine. */
  public Path store(String name, String... more) throws Exception {
    Path file = directory.resolve(name + ".p12");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-alias", "river", "-storetype", "PKCS12"));
    command.addAll(List.of("-dname", "CN=" + name, "-ext", "san=ip:127.0.0.1,dns:localhost"));
    command.addAll(List.of("-storepass", PASSWORD, "-keystore", file.toString()));
    command.addAll(more.length == 0 ? List.of("-keyalg", "EC", "-validity", "2") : List.of(more));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(out).isZero();
    return file;
  }

  public static KeyStore load(Path store) throws Exception {
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

  /** Writes certificate and key of a store to {@code chain.pem} and {@code key.pem}. */
  public void pem(Path store) throws Exception {
    chain(store);
    key(store);
  }

  public void chain(Path store) throws Exception {
    pem(directory.resolve("chain.pem"), "CERTIFICATE", certificate(store).getEncoded());
  }

  public void key(Path store) throws Exception {
    Key key = load(store).getKey("river", PASSWORD.toCharArray());
    pem(directory.resolve("key.pem"), "PRIVATE KEY", key.getEncoded());
  }

  public static Certificate certificate(Path store) throws Exception {
    return load(store).getCertificate("river");
  }

  /** A store with the key of one, and the certificate of another. */
  public Path mixed(Path keyFrom, Path certificateFrom) throws Exception {
    KeyStore mixed = load(keyFrom);
    Key key = mixed.getKey("river", PASSWORD.toCharArray());
    mixed.setKeyEntry(
        "river", key, PASSWORD.toCharArray(), new Certificate[] {certificate(certificateFrom)});
    Path file = directory.resolve("mixed.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      mixed.store(out, PASSWORD.toCharArray());
    }
    return file;
  }

  /** Trusts the certificate of one store, and shows that of another. */
  public static SSLContext mutual(Path trusted, Path own) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(load(own), PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust(trusted).getTrustManagers(), null);
    return context;
  }

  public static SSLContext trusting(Path store) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust(store).getTrustManagers(), null);
    return context;
  }

  private static TrustManagerFactory trust(Path store) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("river", certificate(store));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    return trust;
  }
}
