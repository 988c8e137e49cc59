package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subscribers, taking, settling and dead letters. */
@Timeout(120)
class SubscriberRoutesTest extends ServerFixture {
  private static final String MESSAGES = "/v1/queues/orders/messages";
  private static final String BILLING = "/v1/queues/orders/subscribers/billing";

  @Test
  void shouldPublishTakeAndAcknowledge() {
    asked.post(MESSAGES, "order 1");
    Asked.Reply taken = asked.post(BILLING + "/deliveries?create=true&wait=5s&max=10", "");
    assertThat(taken.json()).hasSize(1);
    JsonNode delivery = taken.json().get(0);
    assertThat(delivery.get("data").asText()).isEqualTo("order 1");
    assertThat(delivery.get("attempt").asInt()).isEqualTo(1);

    assertThat(settle("ack", taken)).isEqualTo("ok");
    assertThat(settle("ack", taken)).isEqualTo("ok");
    assertThat(settle("nack", taken)).isEqualTo("stale");
    assertThat(asked.get(BILLING).json().at("/stats/lag").asLong()).isZero();
  }

  private String settle(String verb, Asked.Reply taken) {
    return settle(verb, taken, "");
  }

  private String settle(String verb, Asked.Reply taken, String more) {
    Asked.Reply reply =
        asked.post(
            BILLING + "/" + verb,
            "{\"receipts\":[\"" + taken.receipts().get(0) + "\"]" + more + "}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return reply.json().at("/results/0/result").asText();
  }

  private Asked.Reply take() {
    return asked.post(BILLING + "/deliveries", "");
  }

  @Test
  void shouldMakeTheSubscriberByTakingAndTheQueueOnlyWhereThatIsAskedFor() {
    assertThat(take().status()).isEqualTo(404);
    assertThat(asked.post(BILLING + "/deliveries?create=true", "").status()).isEqualTo(200);
    assertThat(asked.get(BILLING).status()).isEqualTo(200);
    String audit = "/v1/queues/orders/subscribers/audit";
    assertThat(asked.post(audit + "/deliveries?create=false", "").status()).isEqualTo(404);
    assertThat(asked.post(audit + "/deliveries", "").status()).isEqualTo(200);
    assertThat(asked.get(audit).status()).isEqualTo(200);
  }

  @Test
  void shouldSettleInEveryWay() {
    asked.post(MESSAGES, "a");
    assertThat(settle("release", take())).isEqualTo("ok");
    Asked.Reply again = take();
    assertThat(again.json().at("/0/attempt").asInt()).isEqualTo(1);
    assertThat(settle("nack", again)).isEqualTo("ok");
    Asked.Reply third = take();
    assertThat(third.json().at("/0/attempt").asInt()).isEqualTo(2);
    assertThat(settle("extend", third, ",\"duration\":\"1m\"")).isEqualTo("ok");
    assertThat(settle("reject", third, ",\"reason\":\"no such customer\"")).isEqualTo("ok");
    Asked.Reply dead = asked.get(BILLING + "/dead");
    assertThat(dead.json().get("size").asInt()).isEqualTo(1);
    assertThat(dead.body()).contains("no such customer");
    assertThat(asked.post(BILLING + "/redrive", "{\"max\":10}").body())
        .isEqualTo("{\"redriven\":1}");
    assertThat(settle("reject", take(), ",\"reason\":\"still none\"")).isEqualTo("ok");
    assertThat(asked.delete(BILLING + "/dead").body()).isEqualTo("{\"purged\":1}");
    asked.post(MESSAGES, "b");
    assertThat(settle("nack", take(), ",\"delay\":\"1h\"")).isEqualTo("ok");
    assertThat(take().json()).isEmpty();
  }

  @Test
  void shouldNotKnowReceiptsThatAreForgedOrAnothers() {
    asked.post(MESSAGES, "a");
    Asked.Reply mine = take();
    Asked.Reply others =
        asked.post("/v1/queues/orders/subscribers/audit/deliveries?create=true", "");
    String forged = mine.receipts().get(0).substring(1) + "x";
    Asked.Reply reply =
        asked.post(
            BILLING + "/ack",
            "{\"receipts\":[\"" + others.receipts().get(0) + "\",\"" + forged + "\",\"\\u0000\"]}");

    assertThat(reply.json().findValuesAsText("result"))
        .containsExactly("unknown", "unknown", "unknown");
    assertThat(asked.get(BILLING).json().at("/stats/inFlight").asInt()).isEqualTo(1);
  }

  @Test
  void shouldNameWhatIsMissing() {
    asked.post(MESSAGES, "a");
    take();
    for (String verb : new String[] {"ack", "ack-up-to", "nack", "release", "reject", "extend"}) {
      String more = verb.equals("reject") ? ",\"reason\":\"r\"" : "";
      more += verb.equals("extend") ? ",\"duration\":\"1m\"" : "";
      assertField(verb, "", "body");
      assertField(verb, "{" + more.replaceFirst(",", "") + "}", "receipts");
      assertField(verb, "{\"receipts\":[]" + more + "}", "receipts");
      assertField(verb, "{\"receipts\":[null]" + more + "}", "receipts.0");
      assertField(verb, "{\"receipts\":[\"" + "r".repeat(129) + "\"]" + more + "}", "receipts");
      assertField(verb, "{\"receipts\":[\"r\"],\"x\":1" + more + "}", "x");
    }
    assertField("reject", "{\"receipts\":[\"r\"]}", "reason");
    assertField("extend", "{\"receipts\":[\"r\"]}", "duration");
    assertField("extend", "{\"receipts\":[\"r\"],\"duration\":\"0s\"}", "duration");
    assertField("nack", "{\"receipts\":[\"r\"],\"delay\":\"-1s\"}", "delay");
    assertThat(asked.send("POST", BILLING + "/ack", "<a/>", "Content-Type", "text/xml").status())
        .isEqualTo(415);
  }

  private void assertField(String verb, String body, String field) {
    Asked.Reply reply = asked.post(BILLING + "/" + verb, body);
    assertThat(reply.status()).as(verb + " " + body + " " + reply.body()).isEqualTo(400);
    assertThat(reply.field()).as(verb + " " + body + " " + reply.body()).isEqualTo(field);
  }

  @Test
  void shouldMakeASubscriberOnce() {
    asked.put("/v1/queues/orders", "");
    String settings =
        "{\"ackTimeout\":\"2m\",\"deadLetterLimit\":9,\"deadLetterAge\":\"7d\",\"maxDeliveries\":5,\"backoff\":{\"exponential\":"
            + "{\"first\":\"1s\",\"longest\":\"5m\"}},\"start\":{\"to\":\"LATEST\"}}";
    assertThat(asked.put(BILLING, settings).status()).isEqualTo(201);
    assertThat(asked.put(BILLING, settings).status()).isEqualTo(200);
    assertThat(asked.put(BILLING, "{\"ackTimeout\":\"3m\"}").status()).isEqualTo(409);
    assertThat(asked.put("/v1/queues/orders/subscribers/Billing", "").status()).isEqualTo(409);
    assertThat(asked.get(BILLING).json().at("/settings/maxDeliveries").asInt()).isEqualTo(5);
    assertThat(asked.get(BILLING).json().at("/settings/deadLetterLimit").asLong()).isEqualTo(9);
    assertThat(asked.get(BILLING).json().at("/settings/deadLetterAge").asText()).isEqualTo("7d");
    assertThat(asked.delete(BILLING).status()).isEqualTo(204);
    assertThat(asked.delete(BILLING).status()).isEqualTo(404);
    assertThat(asked.get(BILLING).status()).isEqualTo(404);
    assertThat(asked.get(BILLING + "/peek").status()).isEqualTo(404);
    assertThat(asked.put(BILLING, "{\"ackTimeout\":\"3m\"}").status()).isEqualTo(201);
  }

  @Test
  void shouldDeliverWhatAnExpressionWants() {
    asked.put("/v1/queues/orders", "");
    String settings = "{\"filterExpression\":\"json.amount > 100 && headers.type == 'order'\"}";
    assertThat(asked.put(BILLING, settings).status()).isEqualTo(201);
    assertThat(asked.put(BILLING, settings).status()).isEqualTo(200);
    assertThat(asked.put(BILLING, "{\"filterExpression\":\"json.amount > 1\"}").status())
        .isEqualTo(409);
    for (String data : List.of("{\"amount\":5}", "{\"amount\":500}", "none")) {
      asked.send("POST", MESSAGES, data, "River-Header-Type", "order");
    }
    asked.post(MESSAGES, "{\"amount\":501}");

    JsonNode taken = asked.post(BILLING + "/deliveries?max=10", "").json();
    assertThat(taken).hasSize(1);
    assertThat(taken.at("/0/data").asText()).isEqualTo("{\"amount\":500}");
    assertThat(asked.get(BILLING).json().at("/settings/filterExpression").asText())
        .isEqualTo("json.amount > 100 && headers.type == 'order'");
    assertThat(asked.get(BILLING).json().at("/stats/filtered").asLong()).isEqualTo(3);
  }

  @Test
  void shouldHandOutOneMessageOfAKeyAtATime() {
    asked.put("/v1/queues/orders", "");
    assertThat(asked.put(BILLING, "{\"order\":\"KEY\"}").status()).isEqualTo(201);
    for (String key : List.of("eu", "eu", "us")) {
      asked.send("POST", MESSAGES, key, "River-Key", key);
    }
    List<String> taken = asked.post(BILLING + "/deliveries?max=10", "").receipts();
    assertThat(taken).hasSize(2);
    asked.post(BILLING + "/ack", "{\"receipts\":[\"" + taken.get(0) + "\"]}");
    assertThat(asked.post(BILLING + "/deliveries?max=10", "").json().at("/0/sequence").asLong())
        .isEqualTo(1);
    assertThat(asked.get(BILLING).json().at("/settings/order").asText()).isEqualTo("KEY");
  }

  @Test
  void shouldNameTheSettingThatIsWrong() {
    asked.put("/v1/queues/orders", "");
    assertSetting("{\"maxInFlight\":0}", "maxInFlight");
    assertSetting("{\"ackTimeout\":\"13h\"}", "ackTimeout");
    assertSetting("{\"ack\":false,\"maxDeliveries\":1}", "body");
    assertSetting("{\"backoff\":{}}", "backoff");
    assertSetting("{\"backoff\":{\"list\":[]}}", "backoff.list");
    assertSetting("{\"backoff\":{\"list\":[null]}}", "backoff.list.0");
    assertSetting(
        "{\"backoff\":{\"exponential\":{\"first\":\"1s\"}}}", "backoff.exponential.longest");
    assertSetting(
        "{\"backoff\":{\"exponential\":{\"first\":\"5m\",\"longest\":\"1s\"}}}", "backoff");
    assertSetting("{\"start\":{\"to\":\"HERE\"}}", "start.to");
    assertSetting("{\"start\":{}}", "start");
    assertSetting("{\"start\":{\"sequence\":-1}}", "start.sequence");
    assertSetting("{\"order\":\"ANY\"}", "order");
    assertSetting("{\"filterExpression\":\"json.amount >\"}", "filterExpression");
    assertSetting(
        "{\"filterExpression\":\"''.class.forName('java.lang.Runtime') != null\"}",
        "filterExpression");
    assertThat(asked.put("/v1/queues/none/subscribers/billing", "").status()).isEqualTo(404);
  }

  private void assertSetting(String settings, String field) {
    Asked.Reply reply = asked.put(BILLING, settings);
    assertThat(reply.status()).as(settings + " " + reply.body()).isEqualTo(400);
    assertThat(reply.field()).as(settings + " " + reply.body()).isEqualTo(field);
  }

  @Test
  void shouldSeekPauseResumeAndPurge() {
    asked.post(MESSAGES, "a");
    asked.put(BILLING, "");
    asked.post(MESSAGES, "b");
    Asked.Reply peeked = asked.get(BILLING + "/peek?max=5");
    assertThat(peeked.json().get("messages")).hasSize(2);
    assertThat(asked.post(BILLING + "/pause", "").status()).isEqualTo(204);
    assertThat(take().json()).isEmpty();
    assertThat(asked.post(BILLING + "/resume", "").status()).isEqualTo(204);
    assertThat(take().json()).hasSize(1);
    assertThat(asked.post(BILLING + "/seek", "{\"sequence\":1}").status()).isEqualTo(200);
    assertThat(take().json().at("/0/data").asText()).isEqualTo("b");
    assertThat(asked.post(BILLING + "/seek", "{\"time\":\"now\"}").field()).isEqualTo("body.time");
    assertThat(asked.post(BILLING + "/seek", "{}").field()).isEqualTo("body");
    asked.post(BILLING + "/seek", "{\"to\":\"EARLIEST\"}");
    assertThat(asked.post(BILLING + "/purge", "").body()).isEqualTo("{\"purged\":2}");
    assertThat(take().json()).isEmpty();
    assertThat(asked.post(BILLING + "/redrive", "{\"max\":0}").field()).isEqualTo("max");
    assertThat(asked.get(BILLING + "/peek?max=0").field()).isEqualTo("max");
  }

  @Test
  void shouldTakeUpToAnAnswersWorthOfData() {
    String large = "x".repeat(1 << 20);
    for (int i = 0; i < 70; i++) {
      asked.post(MESSAGES, i < 64 ? "small" : large);
    }
    asked.put(BILLING, "");
    Asked.Reply all = asked.post(BILLING + "/deliveries?max=1000", "");

    assertThat(all.json()).hasSize(70);
  }

  @Test
  void shouldAnswerALongPollWhenAMessageComes() {
    asked.put("/v1/queues/orders", "");
    asked.put(BILLING, "");
    var waiting = asked.later("POST", BILLING + "/deliveries?wait=50s", "");
    asked.post(MESSAGES, "late");

    assertThat(waiting.join().json().at("/0/data").asText()).isEqualTo("late");
    assertThat(asked.post(BILLING + "/deliveries?wait=10ms", "").json()).isEmpty();
    assertThat(asked.post(BILLING + "/deliveries?wait=61s", "").field()).isEqualTo("wait");
  }

  @Test
  void shouldGiveBackWhatADepartedPollWouldHaveGot() throws Exception {
    asked.put("/v1/queues/orders", "");
    asked.put(BILLING, "");
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Socket socket = asked.connect();
      sockets.add(socket);
      socket
          .getOutputStream()
          .write(
              ("POST "
                      + BILLING
                      + "/deliveries?wait=50s HTTP/1.1\r\nHost: localhost\r\n"
                      + "Content-Length: 0\r\n\r\n")
                  .getBytes(StandardCharsets.UTF_8));
    }
    await().until(() -> server.waiting() == 20);
    for (Socket socket : sockets) {
      socket.close();
    }
    await().until(() -> server.waiting() == 0);
    asked.post(MESSAGES, "for who is there");

    assertThat(asked.post(BILLING + "/deliveries?wait=20s", "").body())
        .contains("for who is there");
  }

  @Test
  void shouldTellAPollThatItsSubscriberWasRemoved() {
    asked.put("/v1/queues/orders", "");
    for (String removed : List.of(BILLING, "/v1/queues/orders?force=true")) {
      asked.put(BILLING, "");
      var waiting = asked.later("POST", BILLING + "/deliveries?wait=50s", "");
      await().until(() -> server.waiting() == 1);
      asked.delete(removed);
      assertThat(waiting.join().status()).isEqualTo(404);
    }
  }

  @Test
  void shouldMakeNothingUnlessItIsSetTo() {
    server.close();
    server = RiverServer.builder().port(0).directory(directory).autoCreate(false).start();
    asked = new Asked(server);
    assertThat(asked.post(MESSAGES, "a").status()).isEqualTo(404);
    assertThat(asked.post(BILLING + "/deliveries", "").status()).isEqualTo(404);
    asked.put("/v1/queues/orders", "");
    assertThat(asked.post(BILLING + "/deliveries", "").status()).isEqualTo(404);
    assertThat(asked.post(BILLING + "/stream", "").status()).isEqualTo(404);
  }

  @Test
  void shouldDropOneDeadLetter() {
    String own = BILLING.replace("billing", "strict");
    asked.put(own, "");
    for (String data : List.of("a", "b", "c")) {
      asked.post("/v1/queues/orders/messages", data);
      String receipt = asked.post(own + "/deliveries", "").receipts().get(0);
      asked.post(own + "/reject", "{\"reason\":\"r\",\"receipts\":[\"" + receipt + "\"]}");
    }
    assertThat(asked.get(own + "/dead").json().findValuesAsText("data"))
        .containsExactly("a", "b", "c");
    long second = asked.get(own + "/dead").json().at("/messages/1/sequence").asLong();
    assertThat(asked.delete(own + "/dead/" + second).status()).isEqualTo(204);
    assertThat(asked.delete(own + "/dead/" + second).status()).isEqualTo(404);
    assertThat(asked.delete(own + "/dead/99").json().get("detail").asText())
        .isEqualTo("subscriber strict has no dead letter 99");
    assertThat(asked.delete(own + "/dead/x").field()).isEqualTo("sequence");
    assertThat(asked.get(own + "/dead").json().findValuesAsText("data")).containsExactly("a", "c");
    assertThat(asked.get(own + "/dead").json().get("size").asInt()).isEqualTo(2);
    assertThat(asked.post(own + "/redrive", "").json().get("redriven").asInt()).isEqualTo(2);
  }

  @Test
  void shouldRefuseALeaseOfASubscriberThatIsNotExclusive() {
    String shared = "/v1/queues/orders/subscribers/shared";
    asked.put("/v1/queues/orders", "");
    asked.put(shared, "");
    Asked.Reply refused = asked.put(shared + "/lease?owner=a", "");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains("shared is not exclusive");
  }
}
