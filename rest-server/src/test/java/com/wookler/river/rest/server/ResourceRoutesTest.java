package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages, places, versions of settings, and the headers that a message keeps. */
class ResourceRoutesTest extends ServerFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";

  @Test
  void shouldChangeSettingsOnlyWhileTheyAreAsTheCallerHasSeenThem() {
    Asked.Reply made = asked.put(ORDERS, "{\"maxMessages\":5}");
    assertThat(made.header("Location")).isEqualTo(ORDERS);
    String seen = made.header("ETag");
    assertThat(asked.get(ORDERS).header("ETag")).isEqualTo(seen);

    Asked.Reply changed = asked.send("PATCH", ORDERS, "{\"maxMessages\":6}", "If-Match", seen);
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.header("ETag")).isNotEqualTo(seen);
    Asked.Reply late = asked.send("PATCH", ORDERS, "{\"maxMessages\":7}", "If-Match", seen);
    assertThat(late.status()).isEqualTo(412);
    assertThat(late.problem()).isEqualTo("precondition-failed");
    assertThat(asked.get(ORDERS).json().at("/settings/maxMessages").asInt()).isEqualTo(6);
    assertThat(asked.send("PATCH", ORDERS, "{\"maxMessages\":8}", "If-Match", "*").status())
        .isEqualTo(200);

    Asked.Reply subscriber = asked.put(BILLING, "{\"ackTimeout\":\"1m\"}");
    assertThat(subscriber.header("Location")).isEqualTo(BILLING);
    String before = subscriber.header("ETag");
    String change = "{\"ackTimeout\":\"2m\"}";
    assertThat(asked.send("PATCH", BILLING, change, "If-Match", before).status()).isEqualTo(200);
    assertThat(asked.send("PATCH", BILLING, change, "If-Match", before).status()).isEqualTo(412);
  }

  @Test
  void shouldDeleteAndRepeatOnlyWhatIsAsTheCallerHasSeenIt() {
    String other = "\"0123456789abcdef\"";
    String queue = asked.put(ORDERS, "").header("ETag");
    String subscriber = asked.put(BILLING, "").header("ETag");
    for (String path : List.of(BILLING, ORDERS)) {
      assertThat(asked.send("DELETE", path, "", "If-Match", other).status()).isEqualTo(412);
      assertThat(asked.send("PUT", path, "", "If-Match", other).status()).isEqualTo(412);
      assertThat(asked.send("DELETE", path, "", "If-Match", "x").field()).isEqualTo("If-Match");
    }
    assertThat(asked.send("PUT", ORDERS, "", "If-Match", queue).status()).isEqualTo(200);
    assertThat(asked.send("DELETE", BILLING, "", "If-Match", subscriber).status()).isEqualTo(204);
    assertThat(asked.send("DELETE", ORDERS, "", "If-Match", queue).status()).isEqualTo(204);
    assertThat(asked.send("PUT", ORDERS, "", "If-Match", queue).status()).isEqualTo(412);
    assertThat(asked.get(ORDERS).status()).isEqualTo(404);
  }

  @Test
  void shouldTakeAListOfEntityTags() {
    String tag = asked.put(ORDERS, "").header("ETag");
    for (String list : List.of("\"a\", " + tag, tag + " ,\"b\"", "W/\"a,b\",\t" + tag)) {
      assertThat(asked.send("PATCH", ORDERS, "{}", "If-Match", list).status())
          .as(list)
          .isEqualTo(200);
    }
    assertThat(asked.send("PATCH", ORDERS, "{}", "If-Match", "\"a\", \"b\"").status())
        .isEqualTo(412);
    assertThat(asked.send("PATCH", ORDERS, "{}", "If-Match", "W/" + tag).status()).isEqualTo(412);
    for (String wrong : List.of("a", tag + ",", "*, " + tag)) {
      assertThat(asked.send("PATCH", ORDERS, "{}", "If-Match", wrong).field())
          .as(wrong)
          .isEqualTo("If-Match");
    }
  }

  /** What has no version cannot be expected to have one. */
  @Test
  void shouldRefuseConditionsThatItDoesNotKnow() {
    asked.put(BILLING.replace("/subscribers/billing", ""), "");
    asked.put(BILLING, "");
    String up = "{\"status\":\"UP\"}";
    assertThat(asked.send("PUT", ORDERS + "/status", up, "If-Match", "*").field())
        .isEqualTo("If-Match");
    assertThat(asked.send("POST", BILLING + "/purge", "", "If-Match", "*").field())
        .isEqualTo("If-Match");
    assertThat(asked.send("PUT", ORDERS, "", "If-None-Match", "*").field())
        .isEqualTo("If-None-Match");
    assertThat(asked.send("GET", ORDERS, "", "If-None-Match", "*").status()).isEqualTo(200);
  }

  @Test
  void shouldListQueuesByPages() {
    for (String name : new String[] {"c", "A", "b"}) {
      asked.put("/v1/queues/" + name, "");
    }
    JsonNode first = asked.get("/v1/queues?max=2").json();
    assertThat(first.at("/queues/0/name").asText()).isEqualTo("A");
    assertThat(first.get("queues")).hasSize(2);
    assertThat(first.get("next").asText()).isEqualTo("b");
    JsonNode last = asked.get("/v1/queues?max=2&after=b").json();
    assertThat(last.at("/queues/0/name").asText()).isEqualTo("c");
    assertThat(last.has("next")).isFalse();
    assertThat(asked.get("/v1/queues?max=0").status()).isEqualTo(400);
  }

  @Test
  void shouldKeepTheMediaTypeAndTheHeadersOfACloudEvent() {
    String body = "{\"a\":1}";
    Asked.Reply published =
        asked.send(
            "POST",
            ORDERS + "/messages",
            body,
            "Content-Type",
            "application/json",
            "ce-id",
            "7",
            "ce-type",
            "com.example.order");
    assertThat(published.header("Location")).isEqualTo(ORDERS + "/messages/0");
    JsonNode headers = asked.get(ORDERS + "/messages/0").json().get("headers");
    assertThat(headers.toString())
        .contains("\"content-type\":\"application/json\"", "\"ce-type\":\"com.example.order\"");

    HttpResponse<String> data = data(0);
    assertThat(data.body()).isEqualTo(body);
    assertThat(data.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(data.headers().firstValue("ce-id")).contains("7");

    asked.send(
        "POST", ORDERS + "/messages", "x", "Content-Type", "application/x-www-form-urlencoded");
    assertThat(asked.get(ORDERS + "/messages/1").json().get("headers")).isEmpty();
    assertThat(data(1).headers().firstValue("Content-Type")).contains("application/octet-stream");
  }

  private HttpResponse<String> data(int sequence) {
    return asked.get(ORDERS + "/messages/" + sequence + "/data").http();
  }

  @Test
  void shouldShowOneRedriveWhereItsLocationSays() {
    asked.put(ORDERS, "");
    asked.put(BILLING, "");
    asked.post(ORDERS + "/messages", "x");
    String receipt = asked.post(BILLING + "/deliveries", "").receipts().get(0);
    asked.post(BILLING + "/reject", "{\"reason\":\"no\",\"receipts\":[\"" + receipt + "\"]}");
    await().until(() -> asked.get(BILLING + "/dead").json().at("/size").asInt() == 1);
    String place = asked.post(BILLING + "/redrives", "").header("Location");
    await().until(() -> asked.get(place).json().at("/state").asText().equals("DONE"));
    assertThat(asked.get(ORDERS + "/redrives/none").status()).isEqualTo(404);
  }
}
