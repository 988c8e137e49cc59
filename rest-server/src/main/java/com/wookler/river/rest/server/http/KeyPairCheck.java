package com.wookler.river.rest.server.http;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that private key and certificate belong together before connections depend on it: the
 * libraries load any two files, and the mismatch would show in every handshake only.
 */
final class KeyPairCheck {
  private static final Logger LOG = LoggerFactory.getLogger(KeyPairCheck.class);
  private static final List<String> KEY_TYPES = List.of("EC", "RSA", "RSASSA-PSS", "EdDSA");

  private KeyPairCheck() {}

  /**
   * Returns what the files contain now, and logs a warning for a certificate that is not valid at
   * this time.
   *
   * @throws RiverException a file cannot be read
   * @throws ConfigurationException the files contain no key with a certificate, or the two do not
   *     belong together
   */
  static KeyCertOptions read(Tls tls, Vertx vertx, Instant now) {
    KeyCertOptions options = tls.read();
    try {
      Set<String> aliases = new LinkedHashSet<>();
      for (KeyManager manager : options.getKeyManagerFactory(vertx).getKeyManagers()) {
        if (manager instanceof X509KeyManager keys) {
          for (String type : KEY_TYPES) {
            String[] found = keys.getServerAliases(type, null);
            for (String alias : found == null ? new String[0] : found) {
              aliases.add(alias);
              check(tls, keys.getPrivateKey(alias), keys.getCertificateChain(alias), now);
            }
          }
        }
      }
      if (aliases.isEmpty()) {
        throw new ConfigurationException(
            tls + ": there is no private key with a certificate for TLS (EC, RSA or Ed25519)");
      }
      return options;
    } catch (RiverException e) {
      throw e;
    } catch (Exception e) {
      throw new RiverException("cannot use " + tls + " for TLS: " + e.getMessage(), e);
    }
  }

  /**
   * Returns what certificates of clients are signed by; null if clients need none.
   *
   * @throws ConfigurationException the file cannot be read, or contains no certificate
   */
  static @Nullable TrustOptions trusted(Tls tls, Vertx vertx) {
    if (!(tls instanceof Tls.Mutual mutual)) {
      return null;
    }
    try {
      TrustOptions options = mutual.trusted();
      var unused = options.getTrustManagerFactory(vertx);
      return options;
    } catch (Exception e) {
      throw new ConfigurationException(
          ("server.ssl.client.ca (--client-ca) is %s, which cannot be used for TLS: %s; give the"
                  + " certificates that sign those of clients, in PEM")
              .formatted(mutual.clients(), e.getMessage()),
          e);
    }
  }

  private static void check(Tls tls, PrivateKey key, X509Certificate[] chain, Instant now)
      throws GeneralSecurityException {
    X509Certificate own = chain[0];
    if (!belongTogether(key, own.getPublicKey())) {
      throw new ConfigurationException(
          tls
              + ": the private key does not belong to the certificate "
              + name(own)
              + "; the files must be of one pair, with the server's own certificate first");
    }
    for (int i = 0; i < chain.length; i++) {
      warnOfDates(tls, chain[i], now);
      if (i > 0 && !isIssuedBy(chain[i - 1], chain[i])) {
        LOG.warn(
            "{}: certificate {} is not issued by {}, which follows it: clients may refuse the chain",
            tls,
            name(chain[i - 1]),
            name(chain[i]));
      }
    }
  }

  private static boolean belongTogether(PrivateKey key, PublicKey certified)
      throws GeneralSecurityException {
    byte[] probe = "river".getBytes(StandardCharsets.US_ASCII);
    try {
      Signature signature = Signature.getInstance(algorithm(key));
      signature.initSign(key);
      signature.update(probe);
      byte[] signed = signature.sign();
      signature.initVerify(certified);
      signature.update(probe);
      return signature.verify(signed);
    } catch (InvalidKeyException | SignatureException e) {
      return false; // of different kinds or lengths
    }
  }

  private static String algorithm(PrivateKey key) {
    return switch (key.getAlgorithm()) {
      case "RSA" -> "SHA256withRSA";
      case "EC" -> "SHA256withECDSA";
      default -> key.getAlgorithm(); // EdDSA's name is that of its signatures
    };
  }

  private static void warnOfDates(Tls tls, X509Certificate certificate, Instant now) {
    try {
      certificate.checkValidity(Date.from(now));
    } catch (CertificateExpiredException e) {
      LOG.warn(
          "{}: certificate {} expired at {}: clients refuse it, replace it",
          tls,
          name(certificate),
          certificate.getNotAfter().toInstant());
    } catch (CertificateNotYetValidException e) {
      LOG.warn(
          "{}: certificate {} is not valid before {}: clients refuse it until then",
          tls,
          name(certificate),
          certificate.getNotBefore().toInstant());
    }
  }

  private static boolean isIssuedBy(X509Certificate certificate, X509Certificate issuer) {
    try {
      certificate.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static String name(X509Certificate certificate) {
    return "'" + certificate.getSubjectX500Principal().getName() + "'";
  }
}
