package com.wookler.river.rest.server.hosting;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The version of settings: a digest of them, as an entity tag of HTTP. */
public final class SettingsVersion {
  private static final int BYTES = 8;

  private SettingsVersion() {}

  /** Returns the entity tag of settings. */
  public static String of(ObjectNode settings) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(settings.toString().getBytes(StandardCharsets.UTF_8));
      return '"' + HexFormat.of().formatHex(digest, 0, BYTES) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JVM has it
    }
  }

  /**
   * Checks that settings are as the caller expects.
   *
   * @param expected an entity tag, or {@code *} for any; null if the caller expects nothing
   * @throws RequestException they are not
   */
  public static void check(@Nullable String expected, ObjectNode settings) {
    if (expected != null && !expected.equals("*") && !expected.equals(of(settings))) {
      throw RequestException.of(
          RequestException.Reason.PRECONDITION_FAILED,
          "the settings have changed: their ETag is " + of(settings) + " now");
    }
  }
}
