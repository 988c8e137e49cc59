package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        server
            .endpoints(new Offers(new QueueCatalog(directory.resolve("none"), null), true))
            .stream()
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
    asked.post("/v1/queues/orders/subscribers/billing/deliveries", "");
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

    assertThat(taken).hasSizeGreaterThanOrEqualTo(6);
  }

  private static List<Map.Entry<String, JsonNode>> contents(Contract.Operation operation) {
    List<Map.Entry<String, JsonNode>> all = new ArrayList<>();
    operation.node().path("requestBody").path("content").properties().forEach(all::add);
    return all;
  }

  private String take(
      Contract.Operation operation, String type, Map.Entry<String, JsonNode> example) {
    JsonNode value = example.getValue().get("value");
    String name = operation.node().get("operationId").asText() + "-" + example.getKey();
    String made = operation.method().equals("PUT") ? name : "orders";
    String path = operation.path().replace("{queue}", made).replace("{subscriber}", "billing");
    if (operation.method().equals("PUT") && path.contains("/subscribers/")) {
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
}
