package com.wookler.river.rest.server.hosting;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The version of settings: a digest of them, as an entity tag of HTTP. */
public final class SettingsVersion {
  private static final int BYTES = 8;

  /** A tag; one that is weak is never equal. */
  private static final Pattern TAG = Pattern.compile("(W/)?\"[!#-~\\x80-\\xff]*\"");

  private static final Pattern TAGS = Pattern.compile(TAG + "([ \t]*,[ \t]*" + TAG + ")*+");

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
   * @param expected the header {@code If-Match}: entity tags of which one has to be theirs, or
   *     {@code *} for any; null if the caller expects nothing
   * @throws RequestException they are not, or it is no list of entity tags
   */
  public static void check(@Nullable String expected, ObjectNode settings) {
    if (expected == null || expected.equals("*")) {
      return;
    }
    if (!TAGS.matcher(expected).matches()) {
      throw RequestException.field(
          "If-Match", "is neither * nor a list of entity tags such as \"a\", \"b\"");
    }
    String actual = of(settings);
    if (TAG.matcher(expected).results().noneMatch(each -> each.group().equals(actual))) {
      throw RequestException.of(
          RequestException.Reason.PRECONDITION_FAILED,
          "the settings have changed: their ETag is " + actual + " now");
    }
  }

  /**
   * Checks that the caller does not expect settings where there are none yet.
   *
   * @param expected the header {@code If-Match}; null if the caller expects nothing
   */
  static void checkNone(@Nullable String expected, String what) {
    if (expected != null) {
      throw RequestException.of(
          RequestException.Reason.PRECONDITION_FAILED, what + " does not exist: it has no ETag");
    }
  }
}
