package com.wookler.river.rest.server.memcache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads commands out of the bytes of one connection, however they are split. A line ends with LF or
 * CRLF and has words separated by blanks; a command that stores is followed by as many bytes as its
 * fifth word says, and two more, which are not looked at. Memory grows with what has arrived, not
 * with what a line announces. Not thread-safe.
 */
final class RequestParser {
  /** The longest line. */
  static final int LINE_BYTES = 2048;

  private static final Set<String> STORING =
      Set.of("set", "add", "replace", "append", "prepend", "cas");
  private static final int LENGTH_WORD = 4;
  private static final int LINE_END_BYTES = 2;
  private static final int KEPT_BYTES = 16 << 10; // of memory while nothing is there

  private final long maxData;
  private byte[] bytes = {};
  private int from;
  private int to;
  private int searched; // up to here there is no end of line
  private @Nullable Request head; // whose data is arriving
  private int length; // of that data
  private long skipped; // bytes of data that is too large, and still to come

  RequestParser(long maxData) {
    this.maxData = maxData;
  }

  /** Adds what has arrived. */
  void feed(Buffer arrived) {
    int count = arrived.length();
    if (from == to) {
      from = 0;
      to = 0;
      searched = 0;
    }
    if (bytes.length - to < count) {
      int kept = to - from;
      int needed = kept + count;
      byte[] target = needed <= bytes.length ? bytes : new byte[Math.max(needed, 2 * kept)];
      System.arraycopy(bytes, from, target, 0, kept);
      bytes = target;
      searched = Math.max(0, searched - from);
      from = 0;
      to = kept;
    }
    arrived.getBytes(bytes, to);
    to += count;
  }

  /** Returns the bytes of memory in use. */
  int size() {
    return bytes.length;
  }

  /** Returns whether the first byte of a command belongs to the binary protocol. */
  boolean isBinary() {
    return head == null && skipped == 0 && from < to && bytes[from] < 0;
  }

  /** Returns the next command that is there as a whole; null if there is none. */
  @Nullable Request next() {
    if (skipped > 0) {
      return skip();
    }
    if (head == null) {
      Request line = line();
      if (line == null || line.fault() || !STORING.contains(line.verb())) {
        return line;
      }
      return storing(line);
    }
    return data();
  }

  private @Nullable Request line() {
    for (int i = Math.max(from, searched); i < to; i++) {
      if (bytes[i] == '\n') {
        int end = i > from && bytes[i - 1] == '\r' ? i - 1 : i;
        Request line = end - from > LINE_BYTES ? Request.FAULT : parsed(from, end);
        from = i + 1;
        searched = from;
        return line;
      }
    }
    searched = to;
    return to - from > LINE_BYTES + 1 ? Request.FAULT : null;
  }

  private Request parsed(int start, int end) {
    List<String> words = new ArrayList<>();
    int begin = start;
    for (int i = start; i <= end; i++) {
      if (i == end || bytes[i] == ' ') {
        if (i > begin) {
          words.add(new String(bytes, begin, i - begin, ISO_8859_1));
        }
        begin = i + 1;
      }
    }
    if (words.isEmpty()) {
      return new Request("", List.of(), null, false, false);
    }
    String verb = words.get(0).toLowerCase(Locale.ROOT);
    int last = words.size() - 1;
    boolean noreply = last > needed(verb) && words.get(last).equals("noreply");
    List<String> arguments = words.subList(1, noreply ? last : words.size());
    return new Request(verb, arguments, null, noreply, false);
  }

  /** Returns how many words must follow a command before {@code noreply} is none of them. */
  private static int needed(String verb) {
    if (STORING.contains(verb)) {
      return LENGTH_WORD;
    }
    return switch (verb) {
      case "flush_all" -> 0;
      case "delete" -> 1;
      default -> Integer.MAX_VALUE;
    };
  }

  private @Nullable Request storing(Request line) {
    long announced = number(line.argument(LENGTH_WORD - 1));
    if (announced < 0) {
      return Request.FAULT;
    }
    head = line;
    if (announced > maxData) {
      skipped = announced + LINE_END_BYTES;
      return skip();
    }
    length = (int) announced;
    return data();
  }

  private @Nullable Request data() {
    if (to - from < length + LINE_END_BYTES) {
      return null;
    }
    byte[] data = Arrays.copyOfRange(bytes, from, from + length);
    from += length + LINE_END_BYTES;
    searched = from;
    return ended(data);
  }

  private @Nullable Request skip() {
    long now = Math.min(skipped, to - from);
    from += (int) now;
    searched = from;
    skipped -= now;
    return skipped > 0 ? null : ended(null);
  }

  private Request ended(byte @Nullable [] data) {
    Request line = head == null ? Request.FAULT : head;
    head = null;
    if (from == to && bytes.length > KEPT_BYTES) {
      bytes = new byte[0];
      from = 0;
      to = 0;
      searched = 0;
    }
    return new Request(line.verb(), line.arguments(), data, line.noreply(), line.fault());
  }

  /** Returns a number of decimal digits; -1 if it is none, or has more than 18 of them. */
  static long number(String word) {
    if (word.isEmpty() || word.length() > 18) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < word.length(); i++) {
      char digit = word.charAt(i);
      if (digit < '0' || digit > '9') {
        return -1;
      }
      number = 10 * number + digit - '0';
    }
    return number;
  }
}
