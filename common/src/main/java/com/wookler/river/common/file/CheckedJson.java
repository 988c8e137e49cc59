package com.wookler.river.common.file;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Writes and reads small JSON files with a checksum: the field {@code check} is the CRC32C, in
 * hexadecimal, of all others as compact JSON in their order.
 */
public final class CheckedJson {
  private static final String CHECK = "check";
  private static final String FORMAT = "format";

  private CheckedJson() {}

  /** Returns an object with the version of its format, to be filled and written. */
  public static ObjectNode object(int format) {
    return JsonText.NODES.objectNode().put(FORMAT, format);
  }

  /** Writes the object and its check, whole or not at all. */
  public static void write(Path file, ObjectNode json) throws IOException {
    DurableFiles.write(file, encode(json));
  }

  /** Writes the object like {@link #write}, unless the file holds exactly that. */
  public static void update(Path file, ObjectNode json) throws IOException {
    byte[] content = encode(json);
    if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), content)) {
      DurableFiles.write(file, content);
    }
  }

  /** Returns the object and its check as the bytes of a file. */
  public static byte[] encode(ObjectNode json) {
    ObjectNode checked = json.deepCopy().put(CHECK, check(json));
    return JsonText.encode(checked);
  }

  private static String check(ObjectNode json) {
    return Checksum.ofText(JsonText.write(json));
  }

  /**
   * Reads a file. Its check is verified before the version is looked at, which may be what is
   * damaged.
   *
   * @param format the version that is read
   * @throws DamagedException it is not what was written
   * @throws ConfigurationException another version of River wrote it
   */
  public static ObjectNode read(Path file, int format) throws IOException {
    ObjectNode json = read(file);
    if (!isWhole(json)) {
      throw new DamagedException("damaged: " + file.toAbsolutePath() + ": its check is wrong");
    }
    int found = json.path(FORMAT).asInt();
    if (found != format) {
      throw Sealed.otherFormat(file, found, format);
    }
    return json;
  }

  /**
   * Reads a file and leaves its check to {@link #isWhole}.
   *
   * @throws DamagedException it is no JSON object
   */
  public static ObjectNode read(Path file) throws IOException {
    try {
      if (JsonText.read(Files.readAllBytes(file)) instanceof ObjectNode object) {
        return object;
      }
      throw new DamagedException("damaged: " + file + " holds no object");
    } catch (JacksonException e) {
      throw new DamagedException("damaged: " + file + " is no JSON: " + e.getOriginalMessage(), e);
    }
  }

  /** Returns whether the object is what {@link #write} was given. */
  public static boolean isWhole(ObjectNode read) {
    ObjectNode content = read.deepCopy();
    JsonNode check = content.remove(CHECK);
    return check != null && check.asText().equals(check(content));
  }
}
