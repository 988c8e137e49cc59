package com.wookler.river.common.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes trees of JSON token by token, as Jackson's mapper does, which is not used
 * because its first use loads 300 classes: a quarter of the work of opening a queue.
 */
final class JsonText {
  static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final JsonFactory FORMAT = JsonFactory.builder().build();

  private JsonText() {}

  /** Returns the first value of the text; null if it has none. */
  static @Nullable JsonNode read(byte[] text) throws IOException {
    try (JsonParser parser = FORMAT.createParser(text)) {
      return parser.nextToken() == null ? null : value(parser);
    } catch (CharConversionException e) { // zeros in it look like another encoding
      throw new JsonParseException(null, String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns the value at whose first token the parser is. */
  private static JsonNode value(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> NODES.textNode(parser.getText());
      case VALUE_NUMBER_INT -> integer(parser);
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDoubleValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      default -> NODES.nullNode(); // the parser knows no other token that begins a value
    };
  }

  private static ObjectNode object(JsonParser parser) throws IOException {
    ObjectNode object = NODES.objectNode();
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      object.set(name, value(parser));
    }
    return object;
  }

  private static ArrayNode array(JsonParser parser) throws IOException {
    ArrayNode array = NODES.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser));
    }
    return array;
  }

  private static JsonNode integer(JsonParser parser) throws IOException {
    return switch (parser.getNumberType()) {
      case INT -> NODES.numberNode(parser.getIntValue());
      case LONG -> NODES.numberNode(parser.getLongValue());
      default -> NODES.numberNode(parser.getBigIntegerValue());
    };
  }

  /** Returns the text on one line. Half of a surrogate pair is in it as it is. */
  static String write(JsonNode tree) {
    StringWriter text = new StringWriter();
    try (JsonGenerator to = FORMAT.createGenerator(text)) {
      write(tree, to);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write JSON into memory", e);
    }
    return text.toString();
  }

  /**
   * Returns the text as UTF-8, with a line for each field. Surrogates are escaped, as the mapper
   * has them: half of a pair has no form in UTF-8, and would be lost else.
   */
  static byte[] encode(JsonNode tree) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator to = FORMAT.createGenerator(bytes)) {
      to.useDefaultPrettyPrinter();
      write(tree, to);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write JSON into memory", e);
    }
    return bytes.toByteArray();
  }

  private static void write(JsonNode value, JsonGenerator to) throws IOException {
    switch (value.getNodeType()) {
      case OBJECT -> {
        to.writeStartObject();
        for (Map.Entry<String, JsonNode> field : value.properties()) {
          to.writeFieldName(field.getKey());
          write(field.getValue(), to);
        }
        to.writeEndObject();
      }
      case ARRAY -> {
        to.writeStartArray();
        for (JsonNode element : value) {
          write(element, to);
        }
        to.writeEndArray();
      }
      case NUMBER -> number(value, to);
      case BOOLEAN -> to.writeBoolean(value.booleanValue());
      case NULL -> to.writeNull();
      default -> to.writeString(value.asText());
    }
  }

  private static void number(JsonNode value, JsonGenerator to) throws IOException {
    switch (value.numberType()) {
      case INT, LONG -> to.writeNumber(value.longValue());
      case BIG_INTEGER -> to.writeNumber(value.bigIntegerValue());
      case FLOAT -> to.writeNumber(value.floatValue());
      case BIG_DECIMAL -> to.writeNumber(value.decimalValue());
      default -> to.writeNumber(value.doubleValue());
    }
  }
}
