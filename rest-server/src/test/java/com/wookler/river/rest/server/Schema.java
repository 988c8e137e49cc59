package com.wookler.river.rest.server;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks values against the part of JSON Schema that the contract uses; any other is an error. */
final class Schema {
  private static final Set<String> KNOWN =
      Set.of(
          "type",
          "required",
          "properties",
          "additionalProperties",
          "items",
          "enum",
          "pattern",
          "minimum",
          "maximum",
          "minLength",
          "maxLength",
          "minItems",
          "maxItems",
          "minProperties",
          "maxProperties",
          "oneOf",
          "$ref",
          "format",
          "description",
          "examples",
          "default",
          "contentEncoding");

  private final JsonNode document;

  Schema(JsonNode document) {
    this.document = document;
  }

  /** What a reference leads to. */
  JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? resolved(document.at(node.get("$ref").asText().substring(1))) : node;
  }

  /** What is wrong with a value; empty if nothing is. */
  List<String> errors(JsonNode schema, JsonNode value) {
    List<String> errors = new ArrayList<>();
    check(schema, value, "$", errors);
    return errors;
  }

  private void check(JsonNode given, JsonNode value, String at, List<String> errors) {
    given
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!KNOWN.contains(name)) {
                throw new AssertionError("the validator does not know " + name);
              }
            });
    JsonNode schema = resolved(given);
    if (schema.has("oneOf")) {
      int fitting = 0;
      for (JsonNode one : schema.get("oneOf")) {
        fitting += errors(one, value).isEmpty() ? 1 : 0;
      }
      if (fitting != 1) {
        errors.add(at + " fits " + fitting + " of oneOf: " + value);
      }
    }
    if (schema.has("enum")) {
      Set<JsonNode> allowed = new HashSet<>();
      schema.get("enum").forEach(allowed::add);
      if (!allowed.contains(value)) {
        errors.add(at + " is " + value + ", not one of " + allowed);
      }
    }
    String type = schema.path("type").asText("");
    switch (type) {
      case "object" -> object(schema, value, at, errors);
      case "array" -> array(schema, value, at, errors);
      case "string" -> string(schema, value, at, errors);
      case "integer", "number" -> number(schema, value, at, errors);
      case "boolean" -> expect(value.isBoolean(), at + " is no boolean", errors);
      case "" -> {}
      default -> throw new AssertionError("the validator does not know the type " + type);
    }
  }

  private static void expect(boolean right, String what, List<String> errors) {
    if (!right) {
      errors.add(what);
    }
  }

  private void object(JsonNode schema, JsonNode value, String at, List<String> errors) {
    expect(value.isObject(), at + " is no object: " + value, errors);
    schema
        .path("required")
        .forEach(name -> expect(value.has(name.asText()), at + " lacks " + name, errors));
    expect(value.size() >= schema.path("minProperties").asInt(0), at + " is too small", errors);
    expect(value.size() <= schema.path("maxProperties").asInt(1 << 30), at + " is large", errors);
    JsonNode rest = schema.path("additionalProperties");
    value
        .properties()
        .forEach(
            field -> {
              String inner = at + "." + field.getKey();
              JsonNode known = schema.path("properties").path(field.getKey());
              if (!known.isMissingNode()) {
                check(known, field.getValue(), inner, errors);
              } else if (rest.isObject()) {
                check(rest, field.getValue(), inner, errors);
              } else {
                expect(!rest.isBoolean() || rest.asBoolean(), inner + " is not known", errors);
              }
            });
  }

  private void array(JsonNode schema, JsonNode value, String at, List<String> errors) {
    expect(value.isArray(), at + " is no array: " + value, errors);
    expect(value.size() >= schema.path("minItems").asInt(0), at + " is too short", errors);
    expect(value.size() <= schema.path("maxItems").asInt(1 << 30), at + " is too long", errors);
    for (int i = 0; i < value.size(); i++) {
      check(schema.path("items"), value.get(i), at + "[" + i + "]", errors);
    }
  }

  private static void string(JsonNode schema, JsonNode value, String at, List<String> errors) {
    expect(value.isTextual(), at + " is no string: " + value, errors);
    String text = value.asText();
    expect(text.length() >= schema.path("minLength").asInt(0), at + " is too short", errors);
    expect(text.length() <= schema.path("maxLength").asInt(1 << 30), at + " is too long", errors);
    if (schema.has("pattern")) {
      expect(
          Pattern.compile(schema.get("pattern").asText()).matcher(text).find(),
          at + " does not match: " + text,
          errors);
    }
    if (schema.has("contentEncoding")) {
      try {
        expect(Base64.getDecoder().decode(text) != null, at, errors);
      } catch (IllegalArgumentException e) {
        errors.add(at + " is no Base64: " + text);
      }
    }
    if (schema.path("format").asText().equals("date-time")) {
      try {
        expect(Instant.parse(text) != null, at, errors);
      } catch (DateTimeParseException e) {
        errors.add(at + " is no time: " + text);
      }
    }
  }

  private static void number(JsonNode schema, JsonNode value, String at, List<String> errors) {
    boolean whole = schema.get("type").asText().equals("integer");
    expect(whole ? value.isIntegralNumber() : value.isNumber(), at + " is no number", errors);
    double number = value.asDouble();
    expect(!schema.has("minimum") || number >= schema.get("minimum").asDouble(), at, errors);
    expect(!schema.has("maximum") || number <= schema.get("maximum").asDouble(), at, errors);
  }
}
