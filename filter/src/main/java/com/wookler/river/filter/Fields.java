package com.wookler.river.filter;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of one message that an expression uses; confined to the thread that evaluates. */
final class Fields {
  static final String KEY = "key";
  static final String HEADERS = "headers";
  static final String JSON = "json";

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();
  private static final ObjectReader READER = MAPPER.readerFor(Object.class);

  private final @Nullable String key;
  private final Map<String, byte[]> headers;
  private final Object data;
  private @Nullable Object json;
  private boolean parsed;

  Fields(@Nullable String key, Map<String, byte[]> headers, Object data) {
    this.key = key;
    this.headers = headers;
    this.data = data;
  }

  static boolean isKnown(String name) {
    return name.equals(KEY) || name.equals(HEADERS) || name.equals(JSON);
  }

  @Nullable Object get(String name) {
    return switch (name) {
      case KEY -> key;
      case HEADERS -> new HeaderTexts(headers);
      case JSON -> json();
      default -> null;
    };
  }

  private @Nullable Object json() {
    if (!parsed) {
      json = read();
      parsed = true;
    }
    return json;
  }

  private @Nullable Object read() {
    try {
      if (data instanceof byte[] bytes) {
        return READER.readValue(bytes);
      }
      if (data instanceof CharSequence text) {
        return READER.readValue(text.toString());
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the data is no JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // an array cannot fail
    }
    return MAPPER.convertValue(data, Object.class);
  }
}
