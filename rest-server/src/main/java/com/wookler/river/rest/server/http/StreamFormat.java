package com.wookler.river.rest.server.http;

import io.vertx.core.buffer.Buffer;

/** How a stream writes deliveries. */
enum StreamFormat {
  /** A delivery a line; an empty line as a sign of life. */
  LINES("application/x-ndjson", "", "\n"),

  /** Server-sent events of the type {@code delivery}; a comment as a sign of life. */
  EVENTS("text/event-stream", "event: delivery\ndata: ", "\n\n") {
    @Override
    Buffer signOfLife() {
      return Buffer.buffer(":\n\n");
    }
  };

  private final String type;
  private final String before;
  private final String after;

  StreamFormat(String type, String before, String after) {
    this.type = type;
    this.before = before;
    this.after = after;
  }

  String type() {
    return type;
  }

  /** One delivery, whose JSON has no line's end. */
  Buffer framed(Buffer json) {
    return Buffer.buffer(before.length() + json.length() + after.length())
        .appendString(before)
        .appendBuffer(json)
        .appendString(after);
  }

  Buffer signOfLife() {
    return Buffer.buffer(after);
  }
}
