package com.wookler.river.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;
import java.util.UUID;

/**
 * A source of messages that numbers them itself: a table of a database, a partition of a topic, a
 * device. A queue remembers the last position that it has of each origin, for ever, so that what
 * the source sends again is stored once: see {@link MessageQueue#putFrom}.
 *
 * @param name of the source, 1 to 255 characters; the same at each run
 */
public record Origin(String name) {
  private static final int MOST_CHARACTERS = 255;

  /** Checks the name. */
  public Origin {
    Objects.requireNonNull(name, "name");
    if (name.isEmpty() || name.length() > MOST_CHARACTERS) {
      throw new IllegalArgumentException(
          "the name of an origin has 1 to %s characters, not %s"
              .formatted(MOST_CHARACTERS, name.length()));
    }
  }

  /** Returns the origin of this name. */
  public static Origin of(String name) {
    return new Origin(name);
  }

  /** Returns the identity under which a queue keeps it: the first 16 bytes of its SHA-256. */
  UUID id() {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(("origin:" + name).getBytes(StandardCharsets.UTF_8));
      ByteBuffer in = ByteBuffer.wrap(hash);
      return new UUID(in.getLong(), in.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
