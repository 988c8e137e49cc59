package com.wookler.river.core.message;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The converters that {@link MessageConverter} offers ready-made. */
final class Converters {
  static final MessageConverter<String> UTF8 = new Utf8();
  static final MessageConverter<byte[]> BYTES = new Bytes();

  private Converters() {}

  /** Returns the UTF-8 form of a text, and fails if half a surrogate pair is in it. */
  static byte[] utf8(String text) {
    return utf8("text", text);
  }

  /** Returns the bytes of a text in UTF-8; the error names what the text is. */
  static byte[] utf8(String what, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (byte b : bytes) {
      if (b == '?') { // what getBytes writes for what it cannot encode
        return strict(what, text);
      }
    }
    return bytes;
  }

  private static byte[] strict(String what, String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new RiverException(
          "the " + what + " holds half a surrogate pair and has no UTF-8 form", e);
    }
  }

  private static final class Utf8 implements MessageConverter<String> {
    @Override
    public byte[] toBytes(String data) {
      return utf8(data);
    }

    @Override
    public String fromBytes(byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private static final class Bytes implements MessageConverter<byte[]> {
    @Override
    public byte[] toBytes(byte[] data) {
      return data;
    }

    @Override
    public byte[] fromBytes(byte[] bytes) {
      return bytes;
    }
  }

  static final class Json<T> implements MessageConverter<T> {
    private static final JsonMapper MAPPER =
        JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private final Class<T> type;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    Json(Class<T> type) {
      this.type = type;
      this.writer = MAPPER.writerFor(type);
      this.reader = MAPPER.readerFor(type);
    }

    @Override
    public byte[] toBytes(T data) {
      try {
        return writer.writeValueAsBytes(data);
      } catch (JsonProcessingException e) {
        throw new RiverException(
            "cannot write " + type.getName() + " as JSON: " + e.getMessage(), e);
      }
    }

    @Override
    public T fromBytes(byte[] bytes) {
      try {
        return reader.readValue(bytes);
      } catch (IOException e) {
        throw new RiverException(
            "cannot read " + type.getName() + " from JSON: " + e.getMessage(), e);
      }
    }
  }
}
