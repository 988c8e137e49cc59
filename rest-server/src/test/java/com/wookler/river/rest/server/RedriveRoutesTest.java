package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Dead letters that are redriven in the background, by requests. */
@Timeout(120)
class RedriveRoutesTest extends ServerFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";

  private void makeLetters(int count) {
    asked.put(ORDERS, "");
    asked.put("/v1/queues/repair", "");
    asked.put(BILLING, "");
    for (int i = 0; i < count; i++) {
      asked.post(ORDERS + "/messages", "{\"n\":" + i + "}");
      String receipt = asked.post(BILLING + "/deliveries?max=1", "").receipts().get(0);
      asked.post(
          BILLING + "/reject", "{\"reason\":\"r" + i + "\",\"receipts\":[\"" + receipt + "\"]}");
    }
    await().until(() -> asked.get(BILLING + "/dead").json().at("/size").asInt() == count);
  }

  private JsonNode redrive(int index) {
    return asked.get(ORDERS + "/redrives").json().at("/redrives/" + index);
  }

  @Test
  void shouldRedriveByFilterToAnotherQueueAndThenTheRest() {
    makeLetters(3);
    Asked.Reply started =
        asked.post(
            BILLING + "/redrives",
            "{\"target\":\"repair\",\"filter\":\"headers['river.dead.reason'] == 'r1'\"}");
    assertThat(started.status()).as(started.body()).isEqualTo(201);
    String id = started.json().at("/id").asText();
    await().until(() -> redrive(0).at("/state").asText().equals("DONE"));
    assertThat(redrive(0).at("/id").asText()).isEqualTo(id);
    assertThat(redrive(0).at("/moved").asInt()).isEqualTo(1);
    assertThat(redrive(0).at("/skipped").asInt()).isEqualTo(2);
    assertThat(asked.get("/v1/queues/repair/messages/0").json().at("/data").asText())
        .isEqualTo("{\"n\":1}");
    assertThat(asked.post(BILLING + "/redrives", "").status()).isEqualTo(201);
    await().until(() -> redrive(1).at("/state").asText().equals("DONE"));
    assertThat(redrive(1).at("/moved").asInt()).isEqualTo(2);
    Asked.Reply cancelled = asked.delete(ORDERS + "/redrives/" + id);
    assertThat(cancelled.json().at("/state").asText()).isEqualTo("DONE");
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    makeLetters(1);
    String redrives = BILLING + "/redrives";
    assertThat(asked.post(redrives, "{\"target\":\"none\"}").status()).isEqualTo(409);
    assertThat(asked.post(redrives, "{\"filter\":\"headers.\"}").status()).isEqualTo(400);
    assertThat(asked.post(redrives, "{\"unknown\":1}").status()).isEqualTo(400);
    assertThat(asked.post(ORDERS + "/subscribers/none/redrives", "").status()).isEqualTo(404);
    assertThat(asked.delete(ORDERS + "/redrives/none").status()).isEqualTo(404);
  }
}
