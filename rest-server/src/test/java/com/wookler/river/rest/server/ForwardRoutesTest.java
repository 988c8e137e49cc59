package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
    assertThat(asked.post(waits, "{\"sequence\":0,\"timeout\":\"20ms\"}").body())
        .isEqualTo("{\"held\":false}");
  }
}
