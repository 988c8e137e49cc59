package com.wookler.river.rest.server.memcache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.vertx.core.buffer.Buffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a command.
 *
 * @param bytes what is sent
 * @param close whether the connection is closed afterwards
 * @param taken the message in it that is completed once it is sent; null if there is none
 */
record Answer(Buffer bytes, boolean close, @Nullable Held taken) {
  private static final byte[] LINE_END = {'\r', '\n'};
  private static final byte[] END_LINE = "END\r\n".getBytes(ISO_8859_1);

  static final Answer STORED = line("STORED");
  static final Answer NOT_STORED = line("NOT_STORED");
  static final Answer END = line("END");
  static final Answer DELETED = line("DELETED");
  static final Answer NOTHING = new Answer(Buffer.buffer(), false, null);
  static final Answer ERROR = line("ERROR");
  static final Answer CLIENT_ERROR = line("CLIENT_ERROR");
  static final Answer SERVER_ERROR = line("SERVER_ERROR");

  static Answer line(String text) {
    return new Answer(Buffer.buffer(text, "ISO-8859-1").appendBytes(LINE_END), false, null);
  }

  /** Returns the same answer, after which the connection is closed. */
  Answer closing() {
    return new Answer(bytes, true, taken);
  }

  /** Returns a future that is complete with this answer. */
  CompletableFuture<Answer> now() {
    return CompletableFuture.completedFuture(this);
  }

  /** Returns the answer that has a message. */
  static Answer value(String key, long flags, byte[] data, @Nullable Held taken) {
    String head = "VALUE " + key + ' ' + flags + ' ' + data.length + "\r\n";
    Buffer bytes = Buffer.buffer(head.length() + data.length + END_LINE.length + LINE_END.length);
    bytes.appendBytes(head.getBytes(ISO_8859_1)).appendBytes(data).appendBytes(LINE_END);
    return new Answer(bytes.appendBytes(END_LINE), false, taken);
  }
}
