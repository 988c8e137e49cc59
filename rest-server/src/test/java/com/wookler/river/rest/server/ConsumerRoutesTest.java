package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits for messages of a subscriber, and ending one of them. */
@Timeout(120)
class ConsumerRoutesTest extends ServerFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";
  private static final String CONSUMERS = BILLING + "/consumers";

  @BeforeEach
  void subscribe() {
    asked.put(ORDERS, "");
    asked.put(BILLING, "");
    asked.put(ORDERS + "/subscribers/audit", "");
  }

  private JsonNode awaitConsumers(int count) {
    await().until(() -> asked.get(CONSUMERS).json().get("size").asInt() == count);
    return asked.get(CONSUMERS).json().get("consumers");
  }

  private CompletableFuture<HttpResponse<String>> stream() {
    return Asked.client()
        .sendAsync(
            asked.request("POST", BILLING + "/stream", ""), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shouldShowEachAndEndOne() {
    Instant begun = Instant.now();
    var poll = asked.later("POST", BILLING + "/deliveries?wait=60s&owner=node-1", "");
    JsonNode first = awaitConsumers(1).get(0);
    assertThat(first.get("kind").asText()).isEqualTo("POLL");
    assertThat(first.get("owner").asText()).isEqualTo("node-1");
    assertThat(first.get("key").asText()).isEmpty();
    assertThat(first.get("address").asText()).startsWith("127.0.0.1:");
    assertThat(Instant.parse(first.get("since").asText())).isAfterOrEqualTo(begun.minusMillis(50));
    CompletableFuture<HttpResponse<String>> stream = stream();
    JsonNode both = awaitConsumers(2);
    assertThat(both.findValuesAsText("kind")).containsExactly("POLL", "STREAM");
    assertThat(asked.get(CONSUMERS + "?max=1").json().get("consumers")).hasSize(1);
    String pollId = first.get("id").asText();
    String streamId = both.get(1).get("id").asText();

    assertThat(asked.delete(ORDERS + "/subscribers/audit/consumers/" + pollId).status())
        .isEqualTo(404);
    assertThat(asked.delete(CONSUMERS + "/none").status()).isEqualTo(404);
    assertThat(asked.delete(CONSUMERS + "/" + streamId).status()).isEqualTo(204);
    assertThat(stream.join().body()).isBlank();
    awaitConsumers(1);
    assertThat(asked.delete(CONSUMERS + "/" + pollId).status()).isEqualTo(204);
    assertThat(poll.join().body()).isEqualTo("[]");
    awaitConsumers(0);
    assertThat(asked.delete(CONSUMERS + "/" + pollId).status()).isEqualTo(404);
  }

  @Test
  void shouldGiveBackWhatTheStreamHadThatItEnds() {
    asked.post(ORDERS + "/messages", "x");
    CompletableFuture<HttpResponse<String>> stream = stream();
    String id = awaitConsumers(1).get(0).get("id").asText();
    await().until(() -> asked.get(BILLING).json().at("/stats/inFlight").asInt() == 1);
    asked.delete(CONSUMERS + "/" + id);
    assertThat(stream.join().body()).contains("\"data\":\"x\"");
    await().until(() -> asked.get(BILLING).json().at("/stats/inFlight").asInt() == 0);
    assertThat(asked.post(BILLING + "/deliveries", "").json().at("/0/attempt").asInt())
        .isEqualTo(1);
  }

  @Test
  void shouldShowNoneOfWhatIsNotThere() {
    assertThat(asked.get("/v1/queues/none/subscribers/billing/consumers").status()).isEqualTo(404);
    assertThat(asked.get(ORDERS + "/subscribers/none/consumers").status()).isEqualTo(404);
  }
}
