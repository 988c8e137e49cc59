package com.wookler.river.rest.server;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.wookler.river.core.message.Message;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a batch: a message a line, as {@code NewMessage} of the contract. Empty lines are passed
 * over. Confined to one thread.
 */
final class BatchReader {
  private final byte[] body;
  private int line; // counted from 1

  BatchReader(byte[] body) {
    this.body = body;
  }

  /**
   * All messages.
   *
   * @throws Problem naming the line and the field
   */
  List<Message<byte[]>> read() {
    List<Message<byte[]>> messages = new ArrayList<>();
    int start = 0;
    while (start < body.length) {
      int end = start;
      while (end < body.length && body[end] != '\n') {
        end++;
      }
      line++;
      if (!isBlank(start, end)) {
        messages.add(message(start, end));
      }
      start = end + 1;
    }
    if (messages.isEmpty()) {
      throw Problem.field("body", "has no message");
    }
    return messages;
  }

  private boolean isBlank(int start, int end) {
    for (int i = start; i < end; i++) {
      if (body[i] != ' ' && body[i] != '\t' && body[i] != '\r') {
        return false;
      }
    }
    return true;
  }

  private Message<byte[]> message(int start, int end) {
    Fields fields = new Fields();
    try (JsonParser json = Json.FACTORY.createParser(body, start, end - start)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw wrong("body", "is no object");
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        field(json, name, fields);
      }
      if (json.nextToken() != null) {
        throw wrong("body", "has something behind the object");
      }
    } catch (JsonProcessingException e) {
      throw wrong("body", "is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new IllegalStateException(e); // reads from memory
    }
    if (fields.data == null) {
      throw wrong("data", "there is neither data nor base64");
    }
    try {
      return fields.message(fields.data);
    } catch (Problem e) {
      throw wrong(String.valueOf(e.field()), e.detail());
    }
  }

  private void field(JsonParser json, String name, Fields fields) throws IOException {
    switch (name) {
      case "data" -> fields.data(this, text(json, name).getBytes(StandardCharsets.UTF_8));
      case "base64" -> fields.data(this, binary(json, name));
      case "key" -> fields.key = text(json, name);
      case "id" -> fields.id = text(json, name);
      case "delay" -> fields.delay = text(json, name);
      case "expires" -> fields.expires = text(json, name);
      case "headers" -> headers(json, fields.headers);
      default -> throw wrong(name, "there is no such field");
    }
  }

  private void headers(JsonParser json, Map<String, byte[]> headers) throws IOException {
    if (!json.isExpectedStartObjectToken()) {
      throw wrong("headers", "is no object");
    }
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      if (json.nextToken() == JsonToken.START_OBJECT) {
        if (!"base64".equals(json.nextFieldName())) {
          throw wrong("headers." + name, "is neither text nor base64");
        }
        json.nextToken();
        headers.put(name, binary(json, "headers." + name));
        if (json.nextToken() != JsonToken.END_OBJECT) {
          throw wrong("headers." + name, "has more than base64");
        }
      } else {
        headers.put(name, text(json, "headers." + name).getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private String text(JsonParser json, String field) throws IOException {
    if (json.currentToken() != JsonToken.VALUE_STRING) {
      throw wrong(field, "is no text");
    }
    try {
      return Text.wellFormed(field, json.getText());
    } catch (Problem e) {
      throw wrong(field, e.detail());
    }
  }

  private byte[] binary(JsonParser json, String field) throws IOException {
    text(json, field);
    try {
      return json.getBinaryValue();
    } catch (JsonProcessingException e) {
      throw wrong(field, "is no Base64");
    }
  }

  private Problem wrong(String field, String what) {
    return Problem.field(field, "line " + line + ": " + what);
  }

  /** What a line has said so far. */
  private static final class Fields {
    byte @Nullable [] data;
    @Nullable String key;
    @Nullable String id;
    @Nullable String delay;
    @Nullable String expires;
    final Map<String, byte[]> headers = new LinkedHashMap<>();

    void data(BatchReader reader, byte[] bytes) {
      if (data != null) {
        throw reader.wrong("data", "there are both data and base64");
      }
      data = bytes;
    }

    Message<byte[]> message(byte[] bytes) {
      return MessageParts.message(bytes, headers, new MessageParts(key, id, delay, expires));
    }
  }
}
