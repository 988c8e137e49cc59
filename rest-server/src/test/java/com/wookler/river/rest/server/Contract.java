package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The OpenAPI document, to which every answer of the tests is held. */
final class Contract {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> METHODS =
      List.of("get", "put", "post", "delete", "head", "options", "patch", "trace");

  final JsonNode document = read();
  final Schema schema = new Schema(document);
  private final List<Operation> operations = readOperations();

  /** One method of a path. */
  record Operation(String method, String path, JsonNode node, List<JsonNode> parameters) {
    List<String> query() {
      return parameters.stream()
          .filter(parameter -> parameter.get("in").asText().equals("query"))
          .map(parameter -> parameter.get("name").asText())
          .sorted()
          .toList();
    }

    /** The schema of what it answers to this type of body; that of the status where it is usual. */
    JsonNode answer(String requestType, JsonNode usual) {
      JsonNode special = node.path("x-river-media-types").path(requestType).path("answer");
      return special.isMissingNode() ? usual : special;
    }

    String right() {
      return node.path("x-river-right").asText();
    }
  }

  private static JsonNode read() {
    try (InputStream in = Contract.class.getResourceAsStream("/openapi.yaml")) {
      return new YAMLMapper().readTree(Objects.requireNonNull(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<Operation> operations() {
    return operations;
  }

  private List<Operation> readOperations() {
    List<Operation> all = new ArrayList<>();
    document
        .get("paths")
        .properties()
        .forEach(
            path ->
                METHODS.stream()
                    .filter(path.getValue()::has)
                    .forEach(
                        method -> {
                          List<JsonNode> parameters = new ArrayList<>();
                          path.getValue().path("parameters").forEach(parameters::add);
                          JsonNode node = path.getValue().get(method);
                          node.path("parameters").forEach(parameters::add);
                          all.add(
                              new Operation(
                                  method.toUpperCase(Locale.ROOT),
                                  path.getKey(),
                                  node,
                                  parameters.stream().map(schema::resolved).toList()));
                        }));
    return all;
  }

  Operation operation(String id) {
    return operations().stream()
        .filter(operation -> operation.node().path("operationId").asText().equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError("there is no operation " + id));
  }

  /** Fails unless the contract allows this answer to a request of this method and path. */
  void check(String method, String path, HttpResponse<String> answer) {
    String bare = path.replaceFirst("\\?.*", "");
    Map<String, JsonNode> answers = new HashMap<>();
    Operation asked = null;
    for (Operation operation : operations()) {
      if (operation.method().equals(method.equals("HEAD") ? "GET" : method)
          && bare.matches(operation.path().replaceAll("\\{\\w+}", "[^/]+"))) {
        asked = operation;
        operation
            .node()
            .get("responses")
            .properties()
            .forEach(each -> answers.put(each.getKey(), schema.resolved(each.getValue())));
      }
    }
    String status = String.valueOf(answer.statusCode());
    JsonNode problem = document.at("/components/responses/Problem");
    JsonNode declared = answers.getOrDefault(status, answers.getOrDefault("default", problem));
    if (!answers.containsKey(status)) {
      assertThat(answer.statusCode())
          .as("%s %s: %s", method, path, answer.body())
          .isBetween(400, 599);
    }
    assertThat(answer.headers().firstValue("River-Request-Id")).isPresent();
    JsonNode content = declared.path("content");
    if (content.isMissingNode() || method.equals("HEAD")) {
      assertThat(answer.body()).isEmpty();
      return;
    }
    String type = answer.headers().firstValue("Content-Type").orElse("none");
    if (!content.has(type) && content.has("*/*")) {
      return; // any type, which says what the data is
    }
    assertThat(content.has(type)).as("%s %s answers %s", method, path, type).isTrue();
    JsonNode expected = content.get(type).path("schema");
    if (type.endsWith("json")) {
      if (asked != null && answer.statusCode() < 300) {
        String sent = answer.request().headers().firstValue("Content-Type").orElse("");
        expected = asked.answer(sent, expected);
      }
      assertThat(schema.errors(expected, json(answer.body())))
          .as("%s %s answers %s", method, path, answer.body())
          .isEmpty();
    }
  }

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(text, e);
    }
  }
}
