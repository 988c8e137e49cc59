package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the routes to the OpenAPI document, and runs its examples. */
@Timeout(120)
class ContractTest extends ServerFixture {
  private final Contract contract = new Contract();

  @Test
  void shouldHaveThePathsMethodsRightsAndParametersOfTheDocument() {
    List<String> declared =
        contract.operations().stream()
            .map(each -> line(each.method(), each.path(), each.right(), each.query()))
            .toList();
    List<String> served =
        server.endpoints().stream()
            .map(
                each ->
                    line(
                        each.method().name(),
                        each.path(),
                        each.right().verb(),
                        each.query().stream().sorted().toList()))
            .toList();

    assertThat(served).containsExactlyInAnyOrderElementsOf(declared);
  }

  private static String line(String method, String path, String right, List<String> query) {
    return method + " " + path + " " + right + " " + query;
  }

  @Test
  void shouldServeItsDocument() throws Exception {
    byte[] document =
        Objects.requireNonNull(getClass().getResourceAsStream("/openapi.yaml")).readAllBytes();

    assertThat(asked.get("/openapi.yaml").body())
        .isEqualTo(new String(document, StandardCharsets.UTF_8));
  }

  @Test
  void shouldTakeEveryExample() {
    asked.put("/v1/queues/orders/subscribers/billing", "");
    asked.post("/v1/queues/orders/messages", "order 0");
    asked.post("/v1/queues/orders/subscribers/billing/deliveries?create=true", "");
    List<String> taken = new ArrayList<>();
    for (Contract.Operation operation : contract.operations()) {
      for (Map.Entry<String, JsonNode> content : contents(operation)) {
        content
            .getValue()
            .path("examples")
            .properties()
            .forEach(example -> taken.add(take(operation, content.getKey(), example)));
      }
    }

    assertThat(taken).hasSizeGreaterThanOrEqualTo(11);
  }

  private static List<Map.Entry<String, JsonNode>> contents(Contract.Operation operation) {
    List<Map.Entry<String, JsonNode>> all = new ArrayList<>();
    operation.node().path("requestBody").path("content").properties().forEach(all::add);
    operation.node().path("x-river-media-types").properties().forEach(all::add);
    return all;
  }

  private String take(
      Contract.Operation operation, String type, Map.Entry<String, JsonNode> example) {
    JsonNode value = example.getValue().get("value");
    String name = operation.node().get("operationId").asText() + "-" + example.getKey();
    String made = operation.method().equals("PUT") ? name : "orders";
    String path = operation.path().replace("{queue}", made).replace("{subscriber}", "billing");
    path = path.replace("{target}", "audit");
    if (operation.method().equals("PUT") && path.matches(".*/(subscribers|forwards)/.*")) {
      asked.put("/v1/queues/" + made, "");
    }
    Asked.Reply reply =
        asked.send(
            operation.method(),
            path,
            value.isTextual() ? value.asText() : value.toString(),
            "Content-Type",
            type.equals("*/*") ? "text/plain" : type);
    assertThat(reply.status()).as("%s: %s", name, reply.body()).isBetween(200, 201);
    return name;
  }

  /** A generator makes one method of an operation, with one type of body and one of answer. */
  @Test
  void shouldHaveOneFormOfBodyAnOperation() {
    for (Contract.Operation operation : contract.operations()) {
      JsonNode body = operation.node().path("requestBody").path("content");
      assertThat(body.size()).as(operation.path()).isLessThanOrEqualTo(1);
      for (JsonNode content : body) {
        assertThat(content.get("schema").has("$ref") || content.get("schema").has("type")).isTrue();
      }
    }
  }

  @Test
  void shouldLinkOperationsAndParametersThatThereAre() {
    List<JsonNode> links = new ArrayList<>();
    for (Contract.Operation operation : contract.operations()) {
      for (JsonNode answer : operation.node().get("responses")) {
        answer.path("links").forEach(link -> links.add(contract.schema.resolved(link)));
      }
    }
    assertThat(links).hasSizeGreaterThanOrEqualTo(6);
    for (JsonNode link : links) {
      Contract.Operation target = contract.operation(link.get("operationId").asText());
      List<String> known =
          target.parameters().stream().map(each -> each.get("name").asText()).toList();
      link.path("parameters")
          .fieldNames()
          .forEachRemaining(name -> assertThat(known).contains(name));
    }
  }

  /** Bodies that are accepted, of which {@link #shouldRefuseWhatTheSchemaForbids} makes others. */
  static Stream<Arguments> bodies() {
    return Stream.of(
        Arguments.of(
            "putQueue",
            """
            {"durability":"DISK","syncInterval":"1s","maxMessageBytes":1000,"maxMessages":5,
             "maxBytes":9999999,"whenFull":{"policy":"BLOCK","timeout":"1s"},
             "retention":{"age":"1h","bytes":9999999,"messages":9},"deduplicate":"1m","maxAge":"1h",
             "expiryQueue":"old","keyIndex":true,"blockBytes":1048576,"onDamage":"STOP",
             "recycle":{"messages":9,"bytes":999999,"age":"1h"}}"""),
        Arguments.of(
            "putSubscriber",
            """
            {"ack":true,"ackTimeout":"1m","ackDurability":"DISK","maxInFlight":10,"window":20,
             "maxDeliveries":3,"backoff":{"exponential":{"first":"1s","longest":"1m","factor":3,
             "jitter":0.5}},"deadLetterLimit":9,"deadLetterAge":"7d","deadLetterQueue":"old","order":"KEY","start":{"to":"EARLIEST"},"filterExpression":"key == 'a'",
             "expiryQueue":"old"}"""),
        Arguments.of("putSubscriber", "{\"backoff\":{\"list\":[\"1s\",\"2s\"]}}"),
        Arguments.of("putSubscriber", "{\"start\":{\"sequence\":0}}"),
        Arguments.of(
            "patchQueue",
            """
            {"syncInterval":"1s","maxMessages":5,"maxBytes":9999999,"whenFull":{"policy":"BLOCK",
             "timeout":"1s"},"retention":{"age":"1h","messages":9}}"""),
        Arguments.of("patchSubscriber", "{\"ackTimeout\":\"1m\",\"backoff\":{\"fixed\":\"1s\"}}"),
        Arguments.of(
            "publish",
            """
            {"data":"a","key":"k","id":"1","headers":{"h":"v","b":{"base64":"AA=="}},"delay":"1s",
             "expires":"1h"}"""),
        Arguments.of("publish", "{\"base64\":\"AA==\"}"),
        Arguments.of("publishBatch", "{\"messages\":[{\"data\":\"a\"},{\"base64\":\"AA==\"}]}"),
        Arguments.of("ack", "{\"receipts\":[\"a\"]}"),
        Arguments.of("ackUpTo", "{\"receipts\":[\"a\"]}"),
        Arguments.of("nack", "{\"receipts\":[\"a\"],\"delay\":\"1s\"}"),
        Arguments.of("release", "{\"receipts\":[\"a\"]}"),
        Arguments.of("reject", "{\"receipts\":[\"a\"],\"reason\":\"b\"}"),
        Arguments.of("extend", "{\"receipts\":[\"a\"],\"duration\":\"1s\"}"),
        Arguments.of("seek", "{\"time\":\"2026-11-20T10:00:00Z\"}"),
        Arguments.of("redrive", "{\"max\":1}"));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void shouldRefuseWhatTheSchemaForbids(String id, String body) {
    Contract.Operation operation = contract.operation(id);
    String name = id.equals("putSubscriber") ? "new" : "billing";
    String path = operation.path().replace("{queue}", "strict").replace("{subscriber}", name);
    if (!id.equals("putQueue")) {
      asked.put("/v1/queues/strict", "");
      asked.put("/v1/queues/strict/subscribers/billing", "");
    }
    assertThat(asked.send(operation.method(), path, body).status()).as(body).isBetween(200, 201);
    JsonNode schema =
        operation.node().at("/requestBody/content/application~1json/schema").deepCopy();
    List<JsonNode> wrong =
        Mutations.of(Contract.json(body)).stream()
            .filter(mutation -> !contract.schema.errors(schema, mutation).isEmpty())
            .toList();

    assertThat(wrong).hasSizeGreaterThan(5);
    String other = id.equals("putQueue") ? "/v1/queues/other" : path.replace("/new", "/other");
    for (JsonNode mutation : wrong) {
      Asked.Reply reply = asked.send(operation.method(), other, mutation.toString());
      assertThat(reply.status()).as("%s: %s", mutation, reply.body()).isEqualTo(400);
    }
  }
}
