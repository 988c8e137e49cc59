package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.TransferStats;
import com.wookler.river.core.message.MessageConverter;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Targets to which a queue forwards, added, changed and removed by requests. */
@Timeout(120)
class ForwardRoutesTest extends ServerFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String AUDIT = ORDERS + "/forwards/audit";

  private static String message(int sequence) {
    return "/v1/queues/audit/messages/" + sequence;
  }

  @Test
  void shouldAddChangeAndRemoveATarget() {
    asked.put(ORDERS, "");
    asked.put("/v1/queues/audit", "");
    assertThat(asked.get(ORDERS + "/forwards").body()).isEqualTo("{\"forwards\":[]}");
    Asked.Reply added =
        asked.put(
            AUDIT, "{\"filter\":\"json.n > 1\",\"data\":\"json.n\",\"start\":{\"to\":\"LATEST\"}}");
    assertThat(added.status()).as(added.body()).isEqualTo(201);
    assertThat(added.json().at("/settings/filter").asText()).isEqualTo("json.n > 1");
    assertThat(added.json().at("/configured").asBoolean()).isFalse();
    asked.post(ORDERS + "/messages", "{\"n\":1}");
    asked.post(ORDERS + "/messages", "{\"n\":2}");
    assertThat(asked.post(ORDERS + "/await-forwards", "{\"sequence\":1}").body())
        .isEqualTo("{\"held\":true}");
    assertThat(asked.get(message(0)).json().at("/data").asInt()).isEqualTo(2);
    Asked.Reply changed = asked.put(AUDIT, "{\"filter\":\"json.n == 1\"}");
    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    assertThat(changed.json().at("/settings/data").asText()).isEqualTo("json.n");
    asked.post(ORDERS + "/messages", "{\"n\":1}");
    await().until(() -> asked.get(message(1)).status() == 200);
    assertThat(asked.get(ORDERS + "/forwards").json().at("/forwards/0/stats/filtered").asLong())
        .isEqualTo(1);
    assertThat(asked.delete(AUDIT).status()).isEqualTo(204);
    assertThat(asked.delete(AUDIT).status()).isEqualTo(404);
    assertThat(asked.get(ORDERS + "/forwards").body()).isEqualTo("{\"forwards\":[]}");
  }

  @Test
  void shouldShowWhatElsePassesMessages() {
    try (MessageQueue<byte[]> queue =
            MessageQueue.builder("metered", MessageConverter.bytes())
                .directory(directory.resolve("own"))
                .open();
        RiverServer own =
            RiverServer.builder()
                .port(0)
                .directory(directory.resolve("none"))
                .queue(queue, MessageConverter.bytes())
                .start()) {
      Instant since = Instant.parse("2026-01-02T03:04:05Z");
      Runnable removal =
          queue.addTransfer(
              () ->
                  new TransferStats(
                      "KAFKA", "topic", "kafka", 17, 3, 12, 1, "no broker", since, false));
      String path = "/v1/queues/metered/forwards";
      JsonNode shown = new Asked(own).get(path).json().at("/forwards/0");
      assertThat(shown.at("/kind").asText()).isEqualTo("KAFKA");
      assertThat(shown.at("/target").asText()).isEqualTo("topic");
      assertThat(shown.at("/subscriber").asText()).isEqualTo("kafka");
      assertThat(shown.has("settings")).isFalse();
      assertThat(shown.at("/stats/lag").asLong()).isEqualTo(3);
      assertThat(shown.at("/stats/forwarded").asLong()).isEqualTo(12);
      assertThat(shown.at("/stats/failed").asLong()).isEqualTo(1);
      assertThat(shown.at("/stats/waiting").asText()).isEqualTo("no broker");
      assertThat(shown.at("/stats/awaySince").asText()).isEqualTo("2026-01-02T03:04:05Z");
      assertThat(shown.at("/stats/ended").asBoolean()).isFalse();
      removal.run();
      assertThat(new Asked(own).get(path).body()).isEqualTo("{\"forwards\":[]}");
    }
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    asked.put(ORDERS, "");
    asked.put("/v1/queues/audit", "");
    assertThat(asked.put(ORDERS + "/forwards/orders", "").status()).isEqualTo(409);
    assertThat(asked.put(AUDIT, "{\"filter\":\"n >\"}").status()).isEqualTo(400);
    assertThat(asked.put(AUDIT, "{\"unknown\":1}").status()).isEqualTo(400);
    assertThat(asked.put(AUDIT, "").status()).isEqualTo(201);
    assertThat(asked.put("/v1/queues/audit/forwards/orders", "").status()).isEqualTo(409);
    assertThat(asked.put("/v1/queues/none/forwards/orders", "").status()).isEqualTo(404);
    String waits = ORDERS + "/await-forwards";
    assertThat(asked.post(waits, "{}").status()).isEqualTo(400);
    assertThat(asked.post(waits, "{\"sequence\":0,\"timeout\":\"2m\"}").status()).isEqualTo(400);
    assertThat(asked.post(waits, "{\"sequence\":0,\"targets\":[\"x\"]}").status()).isEqualTo(400);
    Asked.Reply early = asked.post(waits, "{\"sequence\":0,\"timeout\":\"20ms\"}");
    assertThat(early.status()).isEqualTo(400);
    assertThat(early.field()).isEqualTo("sequence");
    assertThat(early.body()).contains("is 0");
    asked.post("/v1/queues/audit/messages", "x");
    Asked.Reply without = asked.post("/v1/queues/audit/await-forwards", "{\"sequence\":0}");
    assertThat(without.status()).isEqualTo(409);
    assertThat(without.body()).contains("queue audit does not forward");
  }

  /** Its forward would fail, and keep what the source holds. */
  @Test
  void shouldDeleteTheTargetOfAForwardOnlyByForce() {
    asked.put(ORDERS, "");
    asked.put("/v1/queues/audit", "");
    asked.put(AUDIT, "");
    Asked.Reply refused = asked.delete("/v1/queues/audit");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains("orders").contains("force=true");
    assertThat(asked.delete("/v1/queues/audit?force=true").status()).isEqualTo(204);
  }
}
