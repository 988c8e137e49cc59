package com.wookler.river.rest.server.http;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.stream.Stream;

/** The formats of streams. */
enum StreamFormat {
  /** One delivery in each line; an empty line as keep-alive. */
  LINES("application/x-ndjson", "", "\n"),

  /** Server-sent events of the type {@code delivery}; a comment as keep-alive. */
  EVENTS("text/event-stream", "event: delivery\ndata: ", "\n\n") {
    @Override
    Buffer begin() {
      return Buffer.buffer("retry: 2000\n\n");
    }

    @Override
    Buffer framed(Buffer json, long sequence) {
      return Buffer.buffer("id: " + sequence + "\n").appendBuffer(framed(json));
    }

    @Override
    Buffer keepAlive() {
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

  /**
   * Returns the format that the caller accepts, the first one if it does not say.
   *
   * @throws Problem it accepts none of them
   */
  static StreamFormat of(ApiRequest call, StreamFormat... offered) {
    List<String> types = Stream.of(offered).map(StreamFormat::type).toList();
    String chosen = ContentNegotiation.ofOffered(call, types);
    return offered[types.indexOf(chosen)];
  }

  /** Frames one delivery, whose JSON has no line break. */
  Buffer framed(Buffer json) {
    return Buffer.buffer(before.length() + json.length() + after.length())
        .appendString(before)
        .appendBuffer(json)
        .appendString(after);
  }

  /** Returns what a stream begins with. */
  Buffer begin() {
    return Buffer.buffer();
  }

  /** Frames the delivery of a message. */
  Buffer framed(Buffer json, long sequence) {
    return framed(json);
  }

  Buffer keepAlive() {
    return Buffer.buffer(after);
  }
}
