package com.wookler.river.rest.server.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.wookler.river.core.message.Message;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.Json;
import com.wookler.river.rest.server.hosting.RequestException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages to publish, each a {@code PublishRequest} of the contract. Throws a {@link
 * RequestException} that names the invalid field, and the line or the index of the message.
 * Confined to one thread.
 */
final class PublishReader {
  private static final int PART_BYTES = 8 << 10;

  private final byte[] body;
  private int line; // from 1; 0: the body is one JSON value
  private int index = -1; // of the message in a batch; -1: the body is one message

  PublishReader(byte[] body) {
    this.body = body;
  }

  /** Returns the number of objects in a JSON body, nested ones included, without parsing it. */
  static int objects(Buffer json) {
    int objects = 0;
    boolean text = false;
    boolean escaped = false;
    byte[] part = new byte[PART_BYTES]; // because the buffer checks each access
    for (int from = 0; from < json.length(); from += PART_BYTES) {
      int length = Math.min(PART_BYTES, json.length() - from);
      json.getBytes(from, from + length, part);
      for (int i = 0; i < length; i++) {
        byte next = part[i];
        if (escaped) {
          escaped = false;
        } else if (next == '\\') {
          escaped = true;
        } else if (next == '"') {
          text = !text;
        } else if (next == '{' && !text) {
          objects++;
        }
      }
    }
    return objects;
  }

  /** Reads the body as one message. */
  Message<byte[]> message() {
    return message(0, body.length);
  }

  /** Reads the body as a {@code PublishBatchRequest}. */
  List<Message<byte[]>> batch() {
    List<Message<byte[]>> messages = new ArrayList<>();
    try (JsonParser json = Json.FACTORY.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw wrong("body", "is not an object");
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        if (!json.currentName().equals("messages")) {
          throw wrong(json.currentName(), "is an unknown field");
        }
        if (json.nextToken() != JsonToken.START_ARRAY) {
          throw wrong("messages", "is not an array");
        }
        readArray(json, messages);
      }
      ensureEnd(json);
    } catch (JsonProcessingException e) {
      throw noJson(e);
    } catch (IOException e) {
      throw new IllegalStateException(e); // reads from memory
    }
    if (messages.isEmpty()) {
      throw wrong("messages", "contains no message");
    }
    return messages;
  }

  private void readArray(JsonParser json, List<Message<byte[]>> messages) throws IOException {
    index = 0;
    while (json.nextToken() != JsonToken.END_ARRAY) {
      messages.add(message(json));
      index++;
    }
    index = -1;
  }

  /** Reads the body as one message in each line; empty lines are ignored. */
  List<Message<byte[]>> lines() {
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
      throw RequestException.field("body", "contains no message");
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
    try (JsonParser json = Json.FACTORY.createParser(body, start, end - start)) {
      json.nextToken();
      Message<byte[]> message = message(json);
      ensureEnd(json);
      return message;
    } catch (JsonProcessingException e) {
      throw noJson(e);
    } catch (IOException e) {
      throw new IllegalStateException(e); // reads from memory
    }
  }

  private void ensureEnd(JsonParser json) throws IOException {
    if (json.nextToken() != null) {
      throw wrong("body", "has data after the object");
    }
  }

  private RequestException noJson(JsonProcessingException e) {
    index = -1;
    return wrong("body", "is not JSON: " + Json.unreadable(e, line == 0));
  }

  /** Reads the object at the parser's current token. */
  private Message<byte[]> message(JsonParser json) throws IOException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw wrong(index < 0 ? "body" : "", "is not an object");
    }
    Fields fields = new Fields();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      field(json, name, fields);
    }
    if (fields.data == null) {
      throw wrong("data", "is required: there is neither data nor base64");
    }
    try {
      return fields.message(fields.data);
    } catch (RequestException e) {
      throw wrong(String.valueOf(e.field()), e.detail());
    }
  }

  private void field(JsonParser json, String name, Fields fields) throws IOException {
    switch (name) {
      case "data" -> fields.data(this, utf8(json, name));
      case "base64" -> fields.data(this, binary(json, name));
      case "key" -> fields.key = text(json, name);
      case "id" -> fields.id = text(json, name);
      case "delay" -> fields.delay = text(json, name);
      case "deliverAt" -> fields.deliverAt = text(json, name);
      case "expires" -> fields.expires = text(json, name);
      case "headers" -> headers(json, fields.headers);
      default -> throw wrong(name, "is an unknown field");
    }
  }

  private void headers(JsonParser json, Map<String, byte[]> headers) throws IOException {
    if (!json.isExpectedStartObjectToken()) {
      throw wrong("headers", "is not an object");
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
        headers.put(name, utf8(json, "headers." + name));
      }
    }
  }

  private String text(JsonParser json, String field) throws IOException {
    utf8(json, field);
    return json.getText();
  }

  private byte[] utf8(JsonParser json, String field) throws IOException {
    if (json.currentToken() != JsonToken.VALUE_STRING) {
      throw wrong(field, "is not a string");
    }
    try {
      return ContractFormat.utf8(field, json.getText());
    } catch (RequestException e) {
      throw wrong(field, e.detail());
    }
  }

  private byte[] binary(JsonParser json, String field) throws IOException {
    text(json, field);
    try {
      return json.getBinaryValue();
    } catch (JsonProcessingException e) {
      throw wrong(field, "is not Base64");
    }
  }

  private RequestException wrong(String field, String what) {
    String path = index < 0 ? field : "messages." + index + (field.isEmpty() ? "" : "." + field);
    return RequestException.field(path, line == 0 ? what : "line " + line + ": " + what);
  }

  /** The fields of a message read so far. */
  private static final class Fields {
    byte @Nullable [] data;
    @Nullable String key;
    @Nullable String id;
    @Nullable String delay;
    @Nullable String deliverAt;
    @Nullable String expires;
    final Map<String, byte[]> headers = new LinkedHashMap<>();

    void data(PublishReader reader, byte[] bytes) {
      if (data != null) {
        throw reader.wrong("data", "there are both data and base64");
      }
      data = bytes;
    }

    Message<byte[]> message(byte[] bytes) {
      return MessageAttributes.message(
          bytes, headers, new MessageAttributes(key, id, delay, deliverAt, expires));
    }
  }
}
