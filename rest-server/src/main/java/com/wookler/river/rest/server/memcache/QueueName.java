package com.wookler.river.rest.server.memcache;

import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.HexFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a client calls a queue: {@code orders}, or a child {@code orders+audit}, which gets
 * everything that {@code orders} gets from its first use on. In River both are subscribers of the
 * queue {@code orders}.
 *
 * <p>Names in River allow fewer characters. Each other one is written as a dot and two hexadecimal
 * digits, after {@code _.} if it is the first: names of clients have no dots.
 *
 * @param queue name of the queue
 * @param subscriber name of the subscriber
 */
record QueueName(String queue, String subscriber) {
  /** The subscriber whose position reads without a child share. */
  static final String READER = "kestrel";

  /** As long as a message may be held: a read stays open while its connection does. */
  static final Duration LONGEST = Duration.ofHours(12);

  private static final String FIRST = "_.";
  private static final Pattern ESCAPED = Pattern.compile("[^A-Za-z0-9_-]|^-");
  private static final Pattern HEX = Pattern.compile("\\.([0-9a-f]{2})");

  /** Returns whether the protocol allows this name. */
  static boolean isLegal(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '.' || c == '/' || c == '~' || c <= ' ') {
        return false;
      }
    }
    return !name.isEmpty()
        && !name.startsWith("+")
        && !name.endsWith("+")
        && name.indexOf('+') == name.lastIndexOf('+');
  }

  /** Returns the parts of a legal name. */
  static QueueName of(String name) {
    int plus = name.indexOf('+');
    return plus < 0
        ? new QueueName(escaped(name), READER)
        : new QueueName(escaped(name.substring(0, plus)), escaped(name.substring(plus + 1)));
  }

  private static String escaped(String name) {
    if (isPlain(name)) {
      return name;
    }
    String text = ESCAPED.matcher(name).replaceAll(match -> hex(match.group().charAt(0)));
    return text.startsWith(".") ? FIRST + text : text;
  }

  /** Returns whether a name has nothing that is escaped: each request asks for that. */
  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && !(c >= '0' && c <= '9') && c != '_' && (c != '-' || i == 0)) {
        return false;
      }
    }
    return true;
  }

  private static String hex(char character) {
    return "." + HexFormat.of().toHexDigits((byte) character);
  }

  /** Returns what {@link #escaped} was given; the same name where it is not from a client. */
  private static String unescaped(String name) {
    if (name.indexOf('.') < 0) {
      return name;
    }
    String escaped = name.startsWith(FIRST + ".") ? name.substring(FIRST.length()) : name;
    String text =
        HEX.matcher(escaped).replaceAll(match -> Matcher.quoteReplacement(character(match)));
    return isLegal(text) && text.indexOf('+') < 0 && escaped(text).equals(name) ? text : name;
  }

  private static String character(MatchResult hex) {
    return String.valueOf((char) HexFormat.fromHexDigits(hex.group(1)));
  }

  boolean isChild() {
    return !subscriber.equals(READER);
  }

  /** Returns the name as clients know it. */
  String text() {
    String name = unescaped(queue);
    return isChild() ? name + "+" + unescaped(subscriber) : name;
  }

  /** Returns the configuration with which the subscriber is created. */
  SubscriberConfig config() {
    return SubscriberConfig.builder(subscriber)
        .ack(true)
        .ackTimeout(LONGEST)
        .start(isChild() ? Position.latest() : Position.earliest())
        .build();
  }
}
