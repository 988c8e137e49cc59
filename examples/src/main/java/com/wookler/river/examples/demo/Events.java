package com.wookler.river.examples.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.examples.utils.EventFile;
import com.wookler.river.examples.utils.EventReader;
import com.wookler.river.examples.utils.UsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * What the input holds, from one pass over it: how many events, and a checksum of each. An event's
 * number is its {@code id} where the ids are the line numbers, from 0 without gaps, as in the
 * shipped events. Any other input gets its line numbers in a header. Immutable.
 */
final class Events {
  /** The header that carries the number of events whose data does not. */
  static final String HEADER = "line";

  private static final JsonFactory JSON = new JsonFactory();

  private final EventFile file;
  private final int[] checksums;
  private final int longest;
  private final boolean identified;

  private Events(EventFile file, int[] checksums, int longest, boolean identified) {
    this.file = file;
    this.checksums = checksums;
    this.longest = longest;
    this.identified = identified;
  }

  /**
   * Reads the file once.
   *
   * @throws UsageException if there is nothing in it
   */
  static Events scan(EventFile file) {
    int[] checksums = new int[1 << 15];
    int count = 0;
    int longest = 0;
    boolean identified = true;
    try (EventReader lines = file.open()) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        if (count == checksums.length) {
          checksums = Arrays.copyOf(checksums, count * 2);
        }
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        checksums[count] = checksum(bytes);
        longest = Math.max(longest, bytes.length);
        identified = identified && id(line) == count;
        count++;
      }
    }
    if (count == 0) {
      throw new UsageException("no events in " + file.name());
    }
    return new Events(file, Arrays.copyOf(checksums, count), longest, identified);
  }

  /** How many there are; their numbers are below this. */
  int count() {
    return checksums.length;
  }

  /** Bytes of the longest. */
  int longest() {
    return longest;
  }

  /** Whether the data carries the numbers itself. */
  boolean identified() {
    return identified;
  }

  EventReader open() {
    return file.open();
  }

  String name() {
    return file.name();
  }

  /** The event as it is published. */
  Message<String> message(int number, String line) {
    Message<String> message = Message.of(line);
    return identified
        ? message
        : message.withHeader(HEADER, Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
  }

  /** The number of an event as it arrived; -1 if it has none that the input knows. */
  int number(Delivery<String> delivery) {
    long number = identified ? id(delivery.data()) : header(delivery);
    return number >= 0 && number < count() ? (int) number : -1;
  }

  /** Whether the data is what the input has under this number. */
  boolean intact(int number, String data) {
    return checksums[number] == checksum(data.getBytes(StandardCharsets.UTF_8));
  }

  private static long header(Delivery<String> delivery) {
    byte[] value = delivery.headers().get(HEADER);
    if (value == null) {
      return -1;
    }
    try {
      return Long.parseLong(new String(value, StandardCharsets.US_ASCII));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** The integer field {@code id} of a JSON object; -1 if it has none. */
  static long id(String line) {
    try (JsonParser json = JSON.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return -1;
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        boolean found = json.currentName().equals("id");
        JsonToken value = json.nextToken();
        if (found) {
          return value == JsonToken.VALUE_NUMBER_INT ? json.getLongValue() : -1;
        }
        json.skipChildren();
      }
      return -1;
    } catch (IOException e) {
      return -1; // not JSON: an event without an id
    }
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
