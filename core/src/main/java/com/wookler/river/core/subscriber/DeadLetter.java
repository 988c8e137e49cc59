package com.wookler.river.core.subscriber;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.Micros;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that became a dead letter of a subscriber, and why.
 *
 * @param message as it was published
 * @param attempts deliveries that it had
 * @param reason in words
 * @param exception name of the class of what its processing threw last, if that is known
 * @param failures of the deliveries before the last one, as far as they are known
 */
public record DeadLetter(
    StoredMessage message,
    int attempts,
    String reason,
    @Nullable String exception,
    List<Failure> failures) {
  private static final JsonMapper JSON = new JsonMapper();

  /** Makes a letter without earlier failures. */
  public DeadLetter(
      StoredMessage message, int attempts, String reason, @Nullable String exception) {
    this(message, attempts, reason, exception, List.of());
  }

  /**
   * Why one delivery failed.
   *
   * @param attempt of the message, from 1
   * @param time when that was said, by the wall clock
   * @param reason in words, at most 1,024 characters; empty if none was given
   * @param exception name of the class of what the processing threw, if that is known
   */
  public record Failure(int attempt, Instant time, String reason, @Nullable String exception) {}

  /** Returns the same letter with what is known of earlier deliveries. */
  DeadLetter after(List<Failure> earlier) {
    return new DeadLetter(message, attempts, reason, exception, List.copyOf(earlier));
  }

  static String limited(String text, int longest) {
    return text.length() > longest ? text.substring(0, longest) : text;
  }

  /** The place in the log and the publish time of the message that a letter is about. */
  public record Source(long place, long publishedMicros) {}

  /** Returns the letter as it is kept: the same data, key and headers, and those that say why. */
  public Message<byte[]> toMessage(String queue, String subscriber) {
    Message<byte[]> letter = Message.of(message.data());
    if (message.key() != null) {
      letter = letter.withKey(message.key());
    }
    for (Map.Entry<String, byte[]> header : message.headers().entrySet()) {
      if (!header.getKey().startsWith(DeadLetters.PREFIX)
          && !header.getKey().equals(DeadLetters.REDRIVEN_TO)) { // else no other takes it out
        letter = letter.withHeader(header.getKey(), header.getValue());
      }
    }
    letter =
        letter
            .withHeader(DeadLetters.QUEUE, text(queue))
            .withHeader(DeadLetters.SUBSCRIBER, text(subscriber))
            .withHeader(DeadLetters.SEQUENCE, text(String.valueOf(message.originalSequence())))
            .withHeader(DeadLetters.PUBLISHED, text(message.publishedAt().toString()))
            .withHeader(DeadLetters.ATTEMPTS, text(String.valueOf(attempts)))
            .withHeader(DeadLetters.REASON, text(reason));
    if (message.originalSequence() != message.sequence()) {
      letter = letter.withHeader(DeadLetters.PLACE, text(String.valueOf(message.sequence())));
    }
    if (!failures.isEmpty()) {
      letter = letter.withHeader(DeadLetters.FAILURES, json());
    }
    return exception == null ? letter : letter.withHeader(DeadLetters.EXCEPTION, text(exception));
  }

  private byte[] json() {
    ArrayNode all = JSON.createArrayNode();
    for (Failure each : failures) {
      ObjectNode one = all.addObject();
      one.put("attempt", each.attempt()).put("time", each.time().toString());
      one.put("reason", each.reason());
      if (each.exception() != null) {
        one.put("exception", each.exception());
      }
    }
    return text(all.toString());
  }

  /**
   * Returns why earlier deliveries of a message failed, by the headers of its letter, in their
   * order; none where they do not say it.
   */
  public static List<Failure> failures(Map<String, byte[]> headers) {
    List<Failure> all = new ArrayList<>();
    try {
      byte[] json = headers.get(DeadLetters.FAILURES);
      for (JsonNode each : json == null ? JSON.createArrayNode() : JSON.readTree(json)) {
        JsonNode exception = each.get("exception");
        all.add(
            new Failure(
                each.path("attempt").asInt(),
                Instant.parse(each.path("time").asText()),
                each.path("reason").asText(),
                exception == null ? null : exception.asText()));
      }
      return all;
    } catch (IOException | DateTimeException e) {
      return List.of(); // a publisher set it
    }
  }

  /** Returns the message that a letter is about by its headers; null if they do not say. */
  public static @Nullable Source source(Map<String, byte[]> headers) {
    byte[] place = headers.getOrDefault(DeadLetters.PLACE, headers.get(DeadLetters.SEQUENCE));
    byte[] published = headers.get(DeadLetters.PUBLISHED);
    if (place == null || published == null) {
      return null;
    }
    try {
      return new Source(
          Long.parseLong(text(place)), Micros.atOrAfter(Instant.parse(text(published))));
    } catch (NumberFormatException | DateTimeException e) {
      return null;
    }
  }

  /** Returns whether a message with these headers was redriven for another subscriber than this. */
  static boolean isForAnother(Map<String, byte[]> headers, String subscriber) {
    if (headers.isEmpty()) {
      return false;
    }
    byte[] to = headers.get(DeadLetters.REDRIVEN_TO);
    return to != null && !subscriber.equals(text(to));
  }

  private static byte[] text(String value) {
    return value.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.UTF_8);
  }
}
