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
 * The number of events in the input and their checksums. An event's number is its {@code id} if the
 * ids are the line numbers, from 0 without gaps, as in the shipped events. For any other input,
 * line numbers are in a header. Immutable.
 */
final class Events {
  /** The header with the number of an event whose data does not contain it. */
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
   * @throws UsageException the file contains no events
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

  /** Returns the number of events. */
  int count() {
    return checksums.length;
  }

  /** Returns the size of the longest event in bytes. */
  int longest() {
    return longest;
  }

  /** Returns whether the data of the events contains their numbers. */
  boolean identified() {
    return identified;
  }

  EventReader open() {
    return file.open();
  }

  String name() {
    return file.name();
  }

  /** Returns the message of an event. */
  Message<String> message(int number, String line) {
    Message<String> message = Message.of(line);
    return identified
        ? message
        : message.withHeader(HEADER, Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the number of a delivered event; -1 if the input has no such event. */
  int number(Delivery<String> delivery) {
    long number = identified ? id(delivery.data()) : header(delivery);
    return number >= 0 && number < count() ? (int) number : -1;
  }

  /** Returns whether the data is that of the event with this number. */
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

  /** Returns the integer field {@code id} of a JSON object; -1 if it has none. */
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
