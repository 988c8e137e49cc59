package com.wookler.river.rest.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.stream.Collectors;

/** Reads and writes the objects of the contract; strict, and bounded whatever is sent. */
final class Json {
  private static final int MOST_NESTING = 64;
  private static final int MOST_STRING = 1 << 20;

  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MOST_NESTING)
                  .maxStringLength(MOST_STRING)
                  .maxNumberLength(32)
                  .maxNameLength(1 << 12)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private static final ObjectMapper MAPPER =
      JsonMapper.builder(FACTORY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  private Json() {}

  static <T> T read(Buffer body, Class<T> type) {
    try {
      T value = MAPPER.readValue(body.getBytes(), type);
      if (value == null) {
        throw Problem.field("body", "is null");
      }
      return value;
    } catch (JsonMappingException e) {
      if (e.getCause() instanceof Problem problem) {
        throw problem;
      }
      String field =
          e.getPath().stream()
              .map(part -> part.getFieldName() == null ? "" + part.getIndex() : part.getFieldName())
              .collect(Collectors.joining("."));
      throw Problem.field(field.isEmpty() ? "body" : field, e.getOriginalMessage());
    } catch (JsonProcessingException e) {
      throw Problem.field("body", "is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new IllegalStateException(e); // reads from memory
    }
  }

  static Buffer write(Object value) {
    try {
      return Buffer.buffer(MAPPER.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // our own records
    }
  }
}
