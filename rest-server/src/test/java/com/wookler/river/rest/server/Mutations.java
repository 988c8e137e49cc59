package com.wookler.river.rest.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Makes JSON values that differ from one in a single place. */
final class Mutations {
  private static final List<JsonNode> OTHERS =
      List.of("null", "true", "0", "-1", "1.5", "\"\"", "\"x y\"", "[]", "{}", "[7]").stream()
          .map(Contract::json)
          .toList();

  private final JsonNode original;
  private final List<JsonNode> all = new ArrayList<>();

  private Mutations(JsonNode original) {
    this.original = original;
  }

  /** Each with another value in one place, without one field, or with one field more. */
  static List<JsonNode> of(JsonNode original) {
    Mutations mutations = new Mutations(original);
    mutations.all.addAll(OTHERS);
    mutations.walk("", original);
    return mutations.all;
  }

  private void walk(String at, JsonNode node) {
    if (node.isObject()) {
      change(at, (object, none) -> ((ObjectNode) object).put("unknown", "x"));
      node.fieldNames()
          .forEachRemaining(
              name -> {
                change(at, (object, none) -> ((ObjectNode) object).remove(name));
                replace(at, (object, other) -> ((ObjectNode) object).set(name, other));
                walk(at + "/" + name, node.get(name));
              });
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      int index = i;
      replace(at, (array, other) -> ((ArrayNode) array).set(index, other));
      walk(at + "/" + i, node.get(i));
    }
  }

  private void replace(String at, BiConsumer<JsonNode, JsonNode> change) {
    for (JsonNode other : OTHERS) {
      change(at, (parent, none) -> change.accept(parent, other));
    }
  }

  private void change(String at, BiConsumer<JsonNode, JsonNode> change) {
    JsonNode copy = original.deepCopy();
    change.accept(copy.at(at), copy);
    all.add(copy);
  }
}
