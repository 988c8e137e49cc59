package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Figures of all queues in one answer or stream, and their past. */
class FigureRoutesTest extends ServerFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";

  private List<JsonNode> stream(String path) {
    List<JsonNode> lines = new CopyOnWriteArrayList<>();
    var unused =
        Asked.client()
            .sendAsync(
                asked.request("GET", path, ""),
                HttpResponse.BodyHandlers.fromLineSubscriber(
                    new java.util.concurrent.Flow.Subscriber<String>() {
                      @Override
                      public void onSubscribe(java.util.concurrent.Flow.Subscription all) {
                        all.request(Long.MAX_VALUE);
                      }

                      @Override
                      public void onNext(String line) {
                        lines.add(Contract.json(line));
                      }

                      @Override
                      public void onError(Throwable broken) {}

                      @Override
                      public void onComplete() {}
                    }));
    await().until(() -> !lines.isEmpty());
    return lines;
  }

  @Test
  void shouldStreamAllQueuesOnceAndThenThoseThatHaveChanged() {
    asked.put(ORDERS, "");
    asked.put("/v1/queues/idle", "");
    await().until(() -> asked.get("/v1/figures").json().get("queues").size() == 2);
    List<JsonNode> lines = stream("/v1/figures/stream");
    assertThat(lines.get(0).get("complete").asBoolean()).isTrue();
    assertThat(lines.get(0).get("queues")).hasSize(2);

    asked.post(ORDERS + "/messages", "x");
    await().until(() -> shows(last(lines), "orders", 1));
    assertThat(last(lines).get("complete").asBoolean()).isFalse();
    assertThat(lines.subList(1, lines.size())).anyMatch(line -> !shows(line, "idle", 0));
    asked.delete("/v1/queues/idle");
    await().until(() -> last(lines).at("/removed/0").asText().equals("idle"));
    assertThat(asked.send("HEAD", "/v1/figures/stream", "").status()).isEqualTo(200);
  }

  private static boolean shows(JsonNode line, String queue, int messages) {
    for (JsonNode row : line.get("queues")) {
      if (row.get("name").asText().equals(queue)) {
        return row.get("messages").asInt() == messages;
      }
    }
    return false;
  }

  private static JsonNode last(List<JsonNode> lines) {
    return lines.get(lines.size() - 1);
  }

  @Test
  void shouldShowASubscriberItsConsumersAndItsPast() {
    asked.put(BILLING.replace("/subscribers/billing", ""), "");
    asked.put(BILLING, "");
    asked.post(ORDERS + "/messages", "x");
    asked.post(BILLING + "/deliveries", "");
    var poll = asked.later("POST", BILLING + "/deliveries?wait=60s", "");
    String path = "/v1/figures?queue=orders";
    await().until(() -> asked.get(path).json().at("/subscribers/0/consumers").asInt() == 1);
    JsonNode row = asked.get(path).json().at("/subscribers/0");
    assertThat(row.get("lag").asInt()).isEqualTo(1);
    assertThat(row.get("inFlight").asInt()).isEqualTo(1);
    asked.post(ORDERS + "/messages", "y");
    assertThat(poll.join().receipts()).hasSize(1);

    await()
        .until(
            () -> {
              JsonNode past = asked.get(BILLING + "/figures").json().at("/series/lag");
              return past.size() > 1 && past.get(past.size() - 1).asInt() == 2;
            });
    JsonNode past = asked.get(ORDERS + "/figures?span=1h").json();
    assertThat(past.get("stepMillis").asInt()).isEqualTo(16_000);
    assertThat(past.get("series")).hasSize(4);
    JsonNode day = asked.get(ORDERS + "/figures?span=1d").json();
    assertThat(day.get("stepMillis").asLong()).isEqualTo(320_000);
    assertThat(day.at("/series/published")).isEmpty(); // there is no mean yet
    assertThat(asked.get(ORDERS + "/figures?span=1w").field()).isEqualTo("span");
    assertThat(asked.get("/v1/figures?queue=none").status()).isEqualTo(404);
    assertThat(asked.get("/v1/figures/stream?queue=none").status()).isEqualTo(404);
  }

  @Test
  void shouldSearchByExpressionCutDataAndServeItAsItIs() {
    for (int i = 0; i < 30; i++) {
      asked.send(
          "POST",
          ORDERS + "/messages",
          "{\"n\":" + i + "}",
          "River-Header-Content-Type",
          "text/html");
    }
    JsonNode first = asked.get(ORDERS + "/messages?from=0&max=2&filter=json.n%20%3E%2010").json();
    assertThat(first.at("/messages/1/sequence").asInt()).isEqualTo(12);
    assertThat(first.get("next").asInt()).isEqualTo(13);
    JsonNode rest = asked.get(ORDERS + "/messages?from=13&max=1000&preview=3").json();
    assertThat(rest.has("next")).isFalse();
    assertThat(rest.at("/messages/0/data").asText()).isEqualTo("{\"n");
    assertThat(rest.at("/messages/0/bytes").asInt()).isEqualTo(8);
    assertThat(asked.get(ORDERS + "/messages?from=0&filter=json.").status()).isEqualTo(400);
    assertThat(asked.get(ORDERS + "/messages?key=a&filter=json.n").status()).isEqualTo(400);

    HttpResponse<String> data =
        Asked.client()
            .sendAsync(
                asked.request("GET", ORDERS + "/messages/3/data", ""),
                HttpResponse.BodyHandlers.ofString())
            .join();
    assertThat(data.body()).isEqualTo("{\"n\":3}");
    assertThat(data.headers().firstValue("Content-Type")).contains("text/html");
    assertThat(data.headers().firstValue("Content-Security-Policy"))
        .contains("sandbox; default-src 'none'");
    assertThat(data.headers().firstValue("Content-Disposition").orElse("")).contains("attachment");
    assertThat(asked.get(ORDERS + "/messages/99/data").status()).isEqualTo(404);
  }

  @Test
  void shouldServeDataWhateverHeadersTheMessageHas() {
    String headers =
        "{\"ce-a b\":\"1\",\"ce-c:d\":\"2\",\"ce-\":\"3\",\"ce-e\":\"ä\",\"ce-type\":\"t\"}";
    asked.post(ORDERS + "/publish", "{\"data\":\"x\",\"headers\":" + headers + "}");

    Asked.Reply data = data("Accept", "*/*");
    assertThat(data.body()).isEqualTo("x");
    assertThat(data.http().headers().map().keySet())
        .filteredOn(name -> name.startsWith("ce-"))
        .containsExactly("ce-type");
    assertThat(data("Sec-Fetch-Dest", "empty").status()).isEqualTo(200);
    assertThat(data("Sec-Fetch-Dest", "document").status()).isEqualTo(200);
    assertThat(data("Sec-Fetch-Dest", "script").problem()).isEqualTo("forbidden");
  }

  private Asked.Reply data(String header, String value) {
    return asked.send("GET", ORDERS + "/messages/0/data", "", header, value);
  }

  @Test
  void shouldRefuseMoreStreamsThanItCanServe() throws IOException {
    List<HttpResponse<InputStream>> streams = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      streams.add(
          Asked.client()
              .sendAsync(
                  asked.request("GET", "/v1/figures/stream", ""),
                  HttpResponse.BodyHandlers.ofInputStream())
              .join());
    }
    assertThat(streams).allMatch(stream -> stream.statusCode() == 200);
    Asked.Reply refused = asked.get("/v1/figures/stream");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.problem()).isEqualTo("too-many-requests");
    assertThat(asked.get("/metrics").body()).contains("river_http_streams 64");

    streams.get(0).body().close();
    await().until(() -> asked.get("/metrics").body().contains("river_http_streams 63"));
    assertThat(stream("/v1/figures/stream")).isNotEmpty();
  }

  @Test
  void shouldSayWhatAServerWithoutKeysAllows() {
    assertThat(asked.get("/v1/access").body())
        .isEqualTo(
            "{\"key\":\"\",\"publish\":[\"*\"],\"consume\":[\"*\"],\"metrics\":[\"*\"],\"admin\":[\"*\"]}");
  }

  /** A restart begins the counters anew, but not the letters; who deletes them has none left. */
  @Test
  void shouldShowTheDeadLettersThatWaitAlsoAfterARestart() {
    asked.put(ORDERS, "");
    asked.put(BILLING, "");
    asked.post(ORDERS + "/messages", "x");
    String receipt = asked.post(BILLING + "/deliveries", "").receipts().get(0);
    asked.post(BILLING + "/reject", "{\"reason\":\"no\",\"receipts\":[\"" + receipt + "\"]}");
    await().until(() -> showsDead(1));

    server.close();
    server = RiverServer.builder().port(0).directory(directory).start();
    asked = new Asked(server);

    await().until(() -> showsDead(1));
    asked.delete(BILLING + "/dead");
    await().until(() -> showsDead(0));
  }

  @Test
  void shouldSayThatItHasNoOtherMediaType() {
    for (String path : List.of("/v1/figures/stream", "/metrics")) {
      Asked.Reply refused = asked.send("GET", path, "", "Accept", "application/json");
      assertThat(refused.status()).as(path).isEqualTo(406);
      assertThat(refused.problem()).isEqualTo("not-acceptable");
    }
    assertThat(asked.send("HEAD", "/v1/figures/stream", "", "Accept", "text/event-stream").status())
        .isEqualTo(406);
    assertThat(asked.send("GET", "/metrics", "", "Accept", "text/html, */*;q=0.1").status())
        .isEqualTo(200);
  }

  private boolean showsDead(int letters) {
    JsonNode figures = asked.get("/v1/figures?queue=orders").json();
    String series = "river_subscriber_dead_letters{queue=\"orders\",subscriber=\"billing\"} ";
    return figures.at("/queues/0/dead").asInt(-1) == letters
        && figures.at("/subscribers/0/dead").asInt(-1) == letters
        && asked.get("/metrics").body().contains(series + letters + ".0");
  }
}
