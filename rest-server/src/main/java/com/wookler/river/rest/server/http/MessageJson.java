package com.wookler.river.rest.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.rest.server.hosting.Json;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Writes messages and deliveries as JSON of the contract: valid UTF-8 as text, other data in
 * Base64.
 */
final class MessageJson {
  private static final int FIRST_BYTES = 1_024;

  private MessageJson() {}

  /** Writes {@code [delivery, …]}, with receipts. */
  static <M> Buffer deliveries(List<Delivery<M>> deliveries) {
    return written(
        json -> {
          DataWriter data = new DataWriter(DataView.BYTES);
          json.writeStartArray();
          for (Delivery<M> one : deliveries) {
            write(json, one, true, data);
          }
          json.writeEndArray();
        });
  }

  /** Writes one delivery, without a line break. */
  static Buffer delivery(Delivery<?> delivery) {
    return written(json -> write(json, delivery, true, new DataWriter(DataView.BYTES)));
  }

  /** Writes {@code {"messages": [message, …]}}. */
  static <M> Buffer messages(List<Delivery<M>> messages, DataView view) {
    return messages("", 0, messages, view);
  }

  /**
   * Writes {@code {"next": …, "messages": [message, …]}}.
   *
   * @param number the name of the number; empty if there is none
   */
  static <M> Buffer messages(String number, long value, List<Delivery<M>> messages, DataView view) {
    return written(
        json -> {
          DataWriter data = new DataWriter(view);
          json.writeStartObject();
          if (!number.isEmpty()) {
            json.writeNumberField(number, value);
          }
          json.writeFieldName("messages");
          json.writeStartArray();
          for (Delivery<M> one : messages) {
            write(json, one, false, data);
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  static Buffer message(Delivery<?> message, DataView view) {
    return written(json -> write(json, message, false, new DataWriter(view)));
  }

  private interface Part {
    void write(JsonGenerator json) throws IOException;
  }

  private static Buffer written(Part part) {
    Buffer written = Buffer.buffer(FIRST_BYTES);
    try (JsonGenerator json = Json.FACTORY.createGenerator(new BufferOutput(written))) {
      part.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // writes to memory
    }
    return written;
  }

  /** Writes into a buffer, without another copy. */
  private static final class BufferOutput extends OutputStream {
    private final Buffer buffer;

    BufferOutput(Buffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public void write(int one) {
      var unused = buffer.appendByte((byte) one);
    }

    @Override
    public void write(byte[] bytes, int start, int length) {
      var unused = buffer.appendBytes(bytes, start, length);
    }
  }

  private static void write(
      JsonGenerator json, Delivery<?> delivery, boolean receipt, DataWriter data)
      throws IOException {
    json.writeStartObject();
    if (receipt) {
      json.writeStringField("receipt", delivery.receipt());
    }
    json.writeNumberField("sequence", delivery.sequence());
    if (receipt) {
      json.writeNumberField("attempt", delivery.attempt());
    }
    json.writeStringField("publishedAt", delivery.publishedAt().toString());
    if (delivery.id() != null) {
      json.writeStringField("id", delivery.id());
    }
    String failure = receipt ? delivery.previousFailure() : null;
    if (failure != null) {
      json.writeStringField("previousFailure", failure);
    }
    if (delivery.key() != null) {
      json.writeStringField("key", delivery.key());
    }
    json.writeObjectFieldStart("headers");
    for (Map.Entry<String, byte[]> header : delivery.headers().entrySet()) {
      json.writeFieldName(header.getKey());
      headerValue(json, header.getValue());
    }
    json.writeEndObject();
    data.write(json, delivery.headers(), Objects.requireNonNull(delivery.bytes(), "bytes"));
    json.writeEndObject();
  }

  private static void headerValue(JsonGenerator json, byte[] value) throws IOException {
    if (isText(value)) {
      json.writeUTF8String(value, 0, value.length);
    } else {
      json.writeStartObject();
      json.writeBinaryField("base64", value);
      json.writeEndObject();
    }
  }

  /** Returns whether these bytes are valid UTF-8. */
  static boolean isText(byte[] bytes) {
    for (byte b : bytes) {
      if (b < 0) {
        return decodes(bytes);
      }
    }
    return true;
  }

  private static boolean decodes(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
