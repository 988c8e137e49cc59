package com.wookler.river.core.subscriber;

import com.wookler.river.common.Micros;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that became a dead letter of a subscriber, and why.
 *
 * @param message as it was published
 * @param attempts deliveries that it had
 * @param reason in words
 * @param exception name of the class of what its processing threw last, if that is known
 */
public record DeadLetter(
    StoredMessage message, int attempts, String reason, @Nullable String exception) {

  /** The place in the log and the publish time of the message that a letter is about. */
  public record Source(long place, long publishedMicros) {}

  /** Returns the letter as it is kept: the same data, key and headers, and those that say why. */
  public Message<byte[]> toMessage(String queue, String subscriber) {
    Message<byte[]> letter = Message.of(message.data());
    if (message.key() != null) {
      letter = letter.withKey(message.key());
    }
    for (Map.Entry<String, byte[]> header : message.headers().entrySet()) {
      if (!header.getKey().startsWith(DeadLetters.PREFIX)) {
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
    return exception == null ? letter : letter.withHeader(DeadLetters.EXCEPTION, text(exception));
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
