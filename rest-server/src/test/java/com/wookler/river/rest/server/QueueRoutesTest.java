package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.wookler.river.rest.server.hosting.ContractFormat;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Making, showing and removing queues. */
@Timeout(120)
class QueueRoutesTest extends ServerFixture {
  @Test
  void shouldMakeAQueueOnce() {
    Asked.Reply made = asked.put("/v1/queues/orders", "{\"maxMessages\":10}");
    Asked.Reply again =
        asked.put("/v1/queues/orders", "{\"maxMessages\":10,\"durability\":\"MEMORY\"}");

    assertThat(made.status()).isEqualTo(201);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().at("/settings/maxMessages").asInt()).isEqualTo(10);
    assertThat(asked.get("/v1/queues").json().get("queues")).hasSize(1);
    assertThat(asked.get("/v1/queues/orders").json().get("state").asText()).isEqualTo("RUNNING");
  }

  @Test
  void shouldRefuseOtherSettingsOfAQueueThatIsThere() {
    asked.put("/v1/queues/orders", "{\"syncInterval\":\"1s\"}");

    assertThat(asked.put("/v1/queues/orders", "{\"syncInterval\":\"1000ms\"}").status())
        .isEqualTo(200);
    Asked.Reply other = asked.put("/v1/queues/orders", "{\"syncInterval\":\"2s\"}");

    assertThat(other.status()).isEqualTo(409);
    assertThat(other.problem()).isEqualTo("conflict");
    assertThat(asked.put("/v1/queues/ORDERS", "").status()).isEqualTo(409);
  }

  @Test
  void shouldForgetAQueueThatIsNotInUse() {
    assertThat(asked.put("/v1/queues/orders", "{\"expiresAfter\":\"1s\"}").status()).isEqualTo(201);

    await().until(() -> asked.get("/v1/queues/orders").status() == 404);

    assertThat(asked.get("/health/ready").status()).isEqualTo(200);
    assertThat(asked.put("/v1/queues/orders", "{\"expiresAfter\":\"1h\"}").status()).isEqualTo(201);
    assertThat(asked.post("/v1/queues/orders/messages", "one").status()).isEqualTo(201);
  }

  @Test
  void shouldSetTheStatusOfAQueue() {
    asked.put("/v1/queues/orders", "");
    asked.post("/v1/queues/orders/messages", "one");
    assertThat(asked.get("/v1/queues/orders/status").body()).isEqualTo("{\"status\":\"UP\"}");

    Asked.Reply set = asked.put("/v1/queues/orders/status", "{\"status\":\"READ_ONLY\"}");

    assertThat(set.status()).isEqualTo(200);
    assertThat(set.body()).isEqualTo("{\"status\":\"READ_ONLY\"}");
    assertThat(asked.get("/v1/queues/orders").json().at("/stats/status").asText())
        .isEqualTo("READ_ONLY");
    Asked.Reply refused = asked.post("/v1/queues/orders/messages", "two");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.problem()).isEqualTo("status");
    assertThat(refused.header("Retry-After")).isEmpty(); // an operator decides when
    assertThat(refused.body()).contains("READ_ONLY");
    assertThat(asked.put("/v1/queues/orders/status", "{}").field()).isEqualTo("status");
    assertThat(asked.put("/v1/queues/orders/status", "{\"status\":\"OFF\"}").status())
        .isEqualTo(400);
    assertThat(asked.get("/v1/queues/none/status").status()).isEqualTo(404);
    asked.put("/v1/queues/orders/status", "{\"status\":\"UP\"}");
    assertThat(asked.post("/v1/queues/orders/messages", "two").status()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"2s", "2ss", "2S", "2 SS", "2000", "2000ms", "2000 MS", "PT2S", "pt2s", "PT0M2S"})
  void shouldReadDurationsAsConfigurationsDo(String text) {
    asked.put("/v1/queues/orders", "{\"syncInterval\":\"2s\"}");

    String settings = "{\"syncInterval\":\"" + text + "\"}";
    assertThat(asked.put("/v1/queues/orders", settings).status()).isEqualTo(200);
    assertThat(asked.get("/v1/queues/orders").json().at("/settings/syncInterval").asText())
        .isEqualTo("2s");
    assertThat(text).matches(pattern());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "s",
        "2x",
        "-2s",
        "1.5s",
        "1h30m",
        "2min",
        "PT",
        "P",
        "P1DT",
        "PT-2S",
        "PT0.0005S",
        "P-1DT48H",
        " 2s",
        "36501d"
      })
  void shouldRefuseWhatIsNoDuration(String text) {
    Asked.Reply reply = asked.put("/v1/queues/orders", "{\"syncInterval\":\"" + text + "\"}");

    assertThat(reply.status()).as(reply.body()).isEqualTo(400);
    assertThat(reply.field()).isEqualTo("syncInterval");
  }

  @Test
  void shouldReadDurationsAsTheContractDeclaresThem() {
    assertThat(pattern()).isEqualTo("^" + ContractFormat.DURATION.pattern() + "$");
  }

  private static String pattern() {
    return new Contract().document.at("/components/schemas/Duration/pattern").asText();
  }

  @Test
  void shouldNameTheSettingThatIsWrong() {
    assertField("{\"durability\":\"SOMETIMES\"}", "durability");
    assertField("{\"durability\":1}", "durability");
    assertField("{\"syncInterval\":\"soon\"}", "syncInterval");
    assertField("{\"syncInterval\":\"99999999d\"}", "syncInterval");
    assertField("{\"whenFull\":{}}", "whenFull.policy");
    assertField("{\"whenFull\":{\"policy\":\"BLOCK\",\"timeout\":\"31s\"}}", "whenFull.timeout");
    assertField("{\"retention\":{}}", "retention");
    assertField("{\"retention\":{\"bytes\":0}}", "retention.bytes");
    assertField("{\"maxMessages\":1.5}", "maxMessages");
    assertField("{\"colour\":\"red\"}", "colour");
    assertField("{\"maxMessages\":1,\"maxMessages\":2}", "body");
    assertField("[]", "body");
    assertField("null", "body");
    assertField("{", "body");
    assertField("{} {}", "body");
    assertField("[".repeat(100_000), "body");
    assertField("{\"blockBytes\":1}", "blockBytes");
    assertThat(asked.get("/v1/queues").json().get("queues")).isEmpty();
  }

  private void assertField(String settings, String field) {
    Asked.Reply reply = asked.put("/v1/queues/orders", settings);
    assertThat(reply.status()).as(reply.body()).isEqualTo(400);
    assertThat(reply.field()).as(reply.body()).isEqualTo(field);
    assertThat(reply.body()).doesNotContain("com.wookler", "com.fasterxml", "java.");
  }

  @Test
  void shouldChangeSettingsWhileTheQueueRuns() {
    asked.put("/v1/queues/orders", "{\"maxMessages\":1,\"blockBytes\":1048576}");
    asked.put("/v1/queues/orders/subscribers/billing", "");
    assertThat(asked.post("/v1/queues/orders/messages", "order 1").status()).isEqualTo(201);
    assertThat(asked.post("/v1/queues/orders/messages", "order 2").status()).isEqualTo(429);

    Asked.Reply changed =
        asked.send("PATCH", "/v1/queues/orders", "{\"maxMessages\":2,\"blockBytes\":1048576}");

    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    assertThat(changed.json().at("/settings/maxMessages").asInt()).isEqualTo(2);
    assertThat(asked.post("/v1/queues/orders/messages", "order 2").status()).isEqualTo(201);
    assertThat(asked.post("/v1/queues/orders/messages", "order 3").status()).isEqualTo(429);
    stop();
    start();
    assertThat(asked.get("/v1/queues/orders").json().at("/settings/maxMessages").asInt())
        .isEqualTo(2);
    assertThat(asked.post("/v1/queues/orders/messages", "order 3").status()).isEqualTo(429);
  }

  @Test
  void shouldChangeNothingIfASettingCannotChange() {
    asked.put("/v1/queues/orders", "{\"maxMessages\":1}");
    String queue = "/v1/queues/orders";
    for (String settings :
        new String[] {
          "{\"maxMessages\":2,\"blockBytes\":1048576}",
          "{\"maxMessages\":2,\"keyIndex\":true}",
          "{\"maxMessages\":2,\"backup\":{\"retention\":\"1d\"}}"
        }) {
      assertThat(asked.send("PATCH", queue, settings).status()).as(settings).isEqualTo(409);
    }
    assertThat(asked.send("PATCH", queue, "{\"maxMessages\":-1}").field()).isEqualTo("maxMessages");
    assertThat(
            asked
                .send("PATCH", queue, "{\"whenFull\":{\"policy\":\"BLOCK\",\"timeout\":\"31s\"}}")
                .field())
        .isEqualTo("whenFull.timeout");
    assertThat(asked.send("PATCH", "/v1/queues/none", "{}").status()).isEqualTo(404);
    assertThat(asked.get(queue).json().at("/settings").toString()).isEqualTo("{\"maxMessages\":1}");
  }

  @Test
  void shouldRemoveAQueueThatIsFinished() {
    asked.put("/v1/queues/orders", "");
    assertThat(asked.delete("/v1/queues/orders").status()).isEqualTo(204);
    assertThat(asked.get("/v1/queues/orders").status()).isEqualTo(404);
    assertThat(asked.delete("/v1/queues/orders").status()).isEqualTo(404);
    assertThat(directory.resolve("orders")).doesNotExist();
  }

  @Test
  void shouldRemoveMessagesByForceOnly() {
    asked.post("/v1/queues/orders/messages", "order 1");

    assertThat(asked.delete("/v1/queues/orders").status()).isEqualTo(409);
    assertThat(asked.delete("/v1/queues/orders?force=perhaps").field()).isEqualTo("force");
    assertThat(asked.delete("/v1/queues/orders?force=true").status()).isEqualTo(204);
    asked.put("/v1/queues/orders", "");
    assertThat(asked.get("/v1/queues/orders").json().at("/stats/nextSequence").asLong()).isZero();
  }

  @Test
  void shouldKeepADelayedMessageFromBeingRemoved() {
    asked.put("/v1/queues/orders/subscribers/none", "");
    asked.send("POST", "/v1/queues/orders/messages", "later", "River-Delay", "1h");

    assertThat(asked.delete("/v1/queues/orders").status()).isEqualTo(409);
  }

  @Test
  void shouldHaveItsQueuesAgainAfterARestart() {
    asked.put("/v1/queues/orders", "{\"maxMessages\":10}");
    asked.put("/v1/queues/orders/subscribers/billing", "{\"ackTimeout\":\"2m\"}");
    asked.post("/v1/queues/orders/messages", "order 1");
    asked.put("/v1/queues/gone", "");
    asked.delete("/v1/queues/gone");
    stop();
    start();

    assertThat(asked.get("/v1/queues").json().get("queues")).hasSize(1);
    assertThat(asked.put("/v1/queues/orders", "{\"maxMessages\":10}").status()).isEqualTo(200);
    assertThat(asked.get("/v1/queues/orders/subscribers").json().at("/subscribers/0/name").asText())
        .isEqualTo("billing");
    assertThat(
            asked.put("/v1/queues/orders/subscribers/billing", "{\"ackTimeout\":\"2m\"}").status())
        .isEqualTo(200);
    assertThat(asked.put("/v1/queues/orders/subscribers/billing", "{}").status()).isEqualTo(409);
    assertThat(asked.post("/v1/queues/orders/subscribers/billing/deliveries", "").body())
        .contains("order 1");
  }

  @Test
  void shouldKeepWhatIsThereIfTheSettingsCannotBeKept() throws Exception {
    asked.post("/v1/queues/orders/messages", "order 1");
    stop();
    Files.delete(directory.resolve(".server/queues/orders.json"));
    Files.delete(directory.resolve(".server/queues"));
    Files.createFile(directory.resolve(".server/queues"));
    start();

    assertThat(asked.put("/v1/queues/orders", "").status()).isEqualTo(500);
    Files.delete(directory.resolve(".server/queues"));
    assertThat(asked.put("/v1/queues/orders", "").status()).isEqualTo(201);
    assertThat(asked.get("/v1/queues/orders/messages/0").body()).contains("order 1");
  }

  @Test
  void shouldListBlocksAPageAtATime() {
    String queue = "/v1/queues/blocks";
    asked.put(queue, "{\"recycle\":{\"messages\":2}}");
    asked.put(queue + "/subscribers/s", "");
    for (int i = 0; i < 5; i++) {
      asked.post(queue + "/messages", "x");
    }
    JsonNode first = asked.get(queue + "/blocks?max=2").json();
    assertThat(first.get("blocks").findValuesAsText("number")).containsExactly("3", "2");
    assertThat(first.get("blocks").findValuesAsText("state")).containsExactly("ACTIVE", "CLOSED");
    assertThat(first.at("/blocks/1/firstSequence").asInt()).isEqualTo(2);
    assertThat(first.at("/blocks/1/endSequence").asInt()).isEqualTo(4);
    assertThat(first.at("/blocks/1/inBackup").asBoolean()).isFalse();
    assertThat(first.get("next").asInt()).isEqualTo(2);
    JsonNode rest = asked.get(queue + "/blocks?max=2&below=2").json();
    assertThat(rest.get("blocks").findValuesAsText("number")).containsExactly("1");
    assertThat(rest.has("next")).isFalse();
    assertThat(asked.get(queue + "/blocks?below=0").field()).isEqualTo("below");
  }

  @Test
  void shouldSayWhichConstantsAreAllowed() {
    Asked.Reply policy = asked.put("/v1/queues/orders", "{\"whenFull\":{\"policy\":\"NOPE\"}}");
    assertThat(policy.status()).isEqualTo(400);
    assertThat(policy.field()).isEqualTo("whenFull.policy");
    assertThat(policy.json().get("detail").asText())
        .isEqualTo("'NOPE' is not allowed; REJECT and BLOCK and DISCARD_OLDEST are allowed");
    Asked.Reply level = asked.put("/v1/queues/orders", "{\"durability\":\"disk\"}");
    assertThat(level.field()).isEqualTo("durability");
    assertThat(level.json().get("detail").asText())
        .isEqualTo("'disk' is not allowed; MEMORY and DISK are allowed");
    asked.put("/v1/queues/orders", "");
    Asked.Reply status = asked.put("/v1/queues/orders/status", "{\"status\":\"up\"}");
    assertThat(status.field()).isEqualTo("status");
    assertThat(status.json().get("detail").asText())
        .isEqualTo("'up' is not allowed; UP and READ_ONLY and QUIESCENT and DOWN are allowed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{; it ends too early, at line 1, column 2",
        "{\"a\":1,\"a\":2}; a field occurs twice, at line 1, column 11",
        "{no}; it cannot be read at line 1, column",
      })
  void shouldSayWhereJsonCannotBeRead(String json, String why) {
    Asked.Reply refused = asked.put("/v1/queues/orders", json);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.json().get("detail").asText())
        .startsWith("is not JSON: " + why)
        .doesNotContain("Source", "REDACTED");
  }
}
