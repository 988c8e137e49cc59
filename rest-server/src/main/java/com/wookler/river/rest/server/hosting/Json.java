package com.wookler.river.rest.server.hosting;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the objects of the contract. Reading is strict and limits the size of the input.
 */
public final class Json {
  private static final int MAX_NESTING = 64;
  private static final int MAX_STRING = 1 << 20;

  public static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_NESTING)
                  .maxStringLength(MAX_STRING)
                  .maxNumberLength(32)
                  .maxNameLength(1 << 12)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private static final ObjectMapper MAPPER =
      JsonMapper.builder(FACTORY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .withCoercionConfig(
              LogicalType.Textual,
              text ->
                  text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  private Json() {}

  public static <T> T read(byte[] body, Class<T> type) {
    NullRejectingParser json = NullRejectingParser.of(body);
    try (json) {
      return MAPPER.readValue(json, type);
    } catch (JsonMappingException e) {
      json.throwIfFound();
      throw problem("", e);
    } catch (JsonProcessingException e) {
      throw RequestException.field("body", "is not JSON: " + unreadable(e, true));
    } catch (IOException e) {
      throw new IllegalStateException(e); // reads from memory
    }
  }

  /** Converts a tree to an object. */
  static <T> T convert(String field, JsonNode json, Class<T> type) {
    try {
      return MAPPER.treeToValue(json, type);
    } catch (JsonMappingException e) {
      throw problem(field, e);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // the tree was parsed before
    }
  }

  /** Returns the error, with the path of the field. */
  private static RequestException problem(String above, JsonMappingException e) {
    String path =
        Stream.concat(
                Stream.of(above),
                e.getPath().stream()
                    .map(
                        part ->
                            part.getFieldName() == null
                                ? "" + part.getIndex()
                                : part.getFieldName()))
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining("."));
    if (e.getCause() instanceof RequestException problem) {
      String inner = String.valueOf(problem.field());
      return RequestException.field(path.isEmpty() ? inner : path + "." + inner, problem.detail());
    }
    return RequestException.field(path.isEmpty() ? "body" : path, plain(e));
  }

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /**
   * Returns why a text cannot be read, and where, without what the parser says of itself.
   *
   * @param withLine whether the text may have several lines
   */
  public static String unreadable(JsonProcessingException e, boolean withLine) {
    JsonLocation at = e.getLocation();
    String where = "";
    if (at != null) {
      where =
          " at " + (withLine ? "line " + at.getLineNr() + ", " : "") + "column " + at.getColumnNr();
    }
    if (e instanceof StreamConstraintsException) {
      return "it is nested too deeply, or a text, number or name is too long," + where;
    }
    if (e instanceof JsonEOFException) {
      return "it ends too early," + where;
    }
    boolean twice = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate field");
    return (twice ? "a field occurs twice," : "it cannot be read") + where;
  }

  /** Returns the reason, without names of Java classes. */
  private static String plain(JsonMappingException e) {
    if (e instanceof InvalidFormatException format && format.getTargetType().isEnum()) {
      String names =
          Stream.of(format.getTargetType().getEnumConstants())
              .map(Object::toString)
              .collect(Collectors.joining(" and "));
      return "'" + format.getValue() + "' is not allowed; " + names + " are allowed";
    }
    if (e instanceof UnrecognizedPropertyException) {
      return "there is no such field";
    }
    return e instanceof MismatchedInputException ? "has the wrong type" : "is invalid";
  }

  /** Rejects {@code null}, which no schema of the contract allows. */
  private static final class NullRejectingParser extends JsonParserDelegate {
    private @Nullable RequestException found;

    private NullRejectingParser(JsonParser json) {
      super(json);
    }

    static NullRejectingParser of(byte[] body) {
      try {
        return new NullRejectingParser(FACTORY.createParser(body));
      } catch (IOException e) {
        throw new IllegalStateException(e); // reads from memory
      }
    }

    /** Throws the error that was found, without the path that the mapper may have added to it. */
    void throwIfFound() {
      if (found != null) {
        throw found;
      }
    }

    @Override
    public @Nullable JsonToken nextToken() throws IOException {
      JsonToken token = super.nextToken();
      if (token == JsonToken.VALUE_NULL) {
        String path = getParsingContext().pathAsPointer().toString();
        found =
            RequestException.field(
                path.isEmpty() ? "body" : path.substring(1).replace('/', '.'), "is null");
        throw found;
      }
      return token;
    }
  }

  /** Returns the value of a required field. */
  public static <T> T required(String field, @Nullable T value) {
    if (value == null) {
      throw RequestException.field(field, "is required");
    }
    return value;
  }

  public static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // River's own records
    }
  }
}
