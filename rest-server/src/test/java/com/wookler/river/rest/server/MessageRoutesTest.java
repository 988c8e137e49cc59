package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Publishing, and looking messages up. */
@Timeout(120)
class MessageRoutesTest extends ServerFixture {
  private static final String MESSAGES = "/v1/queues/orders/messages";

  @Test
  void shouldRefuseWhatExpiresBeforeItIsDueAndARangeThatEndsBeforeItBegins() {
    asked.post(MESSAGES, "makes the queue");
    String later = Instant.now().plusSeconds(60).toString();
    for (List<String> when : List.of(List.of("Delay", "5s"), List.of("Deliver-At", later))) {
      Asked.Reply reply =
          asked.send(
              "POST", MESSAGES, "m", "River-Expires", "5s", "River-" + when.get(0), when.get(1));
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.body()).contains("would never be delivered");
    }
    assertThat(asked.post("/v1/queues/orders/remove?from=6&end=2", "").status()).isEqualTo(400);
  }

  @Test
  void shouldPublishAnyBody() {
    Asked.Reply first =
        asked.send(
            "POST", MESSAGES, "a=100%&b", "Content-Type", "application/x-www-form-urlencoded");
    String form = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n";
    asked.send("POST", MESSAGES, form, "Content-Type", "multipart/form-data; boundary=x");
    asked.post(MESSAGES, "");

    assertThat(first.body())
        .isEqualTo("{\"sequence\":0,\"durability\":\"MEMORY\",\"duplicate\":false}");
    assertThat(asked.get(MESSAGES + "/0").json().get("data").asText()).isEqualTo("a=100%&b");
    assertThat(asked.get(MESSAGES + "/1").json().get("data").asText()).isEqualTo(form);
    assertThat(asked.get(MESSAGES + "/2").json().get("data").asText()).isEmpty();
  }

  @Test
  void shouldKeepKeyAndHeadersAsTheyWereSent() {
    String answer =
        asked.raw(
            "POST "
                + MESSAGES
                + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "River-Key: k"
                + latin("ü")
                + "\r\nRiver-Header-Type: "
                + latin("größe")
                + "\r\nRiver-Header-Raw: "
                + (char) 0xff
                + "\r\nContent-Length: 1\r\n\r\nx");

    assertThat(answer).startsWith("HTTP/1.1 201");
    Asked.Reply stored = asked.get(MESSAGES + "/0");
    assertThat(stored.json().get("key").asText()).isEqualTo("kü");
    assertThat(stored.json().at("/headers/type").asText()).isEqualTo("größe");
    assertThat(stored.json().at("/headers/raw/base64").asText()).isEqualTo("/w==");
  }

  private static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  @Test
  void shouldRefuseAHeaderOfRiverThatThereIsNot() {
    Asked.Reply refused = asked.send("POST", MESSAGES, "a", "River-Expires-After", "1ms");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.field()).isEqualTo("River-Expires-After");
    assertThat(refused.body()).contains("River-Expires,");
    assertThat(asked.send("POST", MESSAGES, "a", "River-Header-", "x").status()).isEqualTo(400);
    assertThat(asked.send("POST", MESSAGES, "a", "river-expires", "1h").status()).isEqualTo(201);
    assertThat(asked.get(MESSAGES + "/1").status()).isEqualTo(404);
  }

  @Test
  void shouldStoreARepetitionOnce() {
    assertThat(asked.send("POST", MESSAGES, "a", "River-Id", "7").body()).contains("false");
    Asked.Reply again = asked.send("POST", MESSAGES + "?durability=DISK", "a", "River-Id", "7");

    assertThat(again.body())
        .isEqualTo("{\"sequence\":0,\"durability\":\"DISK\",\"duplicate\":true}");
  }

  @Test
  void shouldPublishOnAConditionOnly() {
    asked.put("/v1/queues/orders", "{\"keyIndex\":true}");
    assertThat(asked.send("POST", MESSAGES, "a", "If-Match", "\"next-0\"").status()).isEqualTo(201);
    Asked.Reply late = asked.send("POST", MESSAGES, "a", "If-Match", "\"next-0\"");
    assertThat(late.status()).isEqualTo(412);
    assertThat(late.problem()).isEqualTo("precondition-failed");
    assertThat(late.json().get("actual").asLong()).isOne();
    assertThat(onCondition("If-Match", "\"last-0\"").status()).isEqualTo(412);
    assertThat(onCondition("If-None-Match", "*").status()).isEqualTo(201);
    assertThat(onCondition("If-Match", "\"last-1\"").status()).isEqualTo(201);
    assertThat(
            asked
                .send(
                    "POST",
                    "/v1/queues/orders/publish-batch",
                    "{\"messages\":[{\"data\":\"b\"},{\"data\":\"c\"}]}",
                    "If-Match",
                    "\"next-3\"")
                .status())
        .isEqualTo(201);
    for (String wrong : List.of("3", "W/\"next-5\"", "\"next-x\"", "\"next-5", "*")) {
      assertThat(onCondition("If-Match", wrong).status()).as(wrong).isEqualTo(400);
    }
    assertThat(onCondition("If-None-Match", "\"last-1\"").status()).isEqualTo(400);
    assertThat(asked.send("POST", MESSAGES, "a", "If-None-Match", "*").status()).isEqualTo(400);
  }

  @Test
  void shouldCreateNoQueueForAConditionThatItRefuses() {
    Asked.Reply late = asked.send("POST", MESSAGES, "a", "If-Match", "\"next-3\"");
    assertThat(late.status()).isEqualTo(412);
    assertThat(late.json().get("actual").asLong()).isZero();
    for (String[] condition :
        new String[][] {{"If-None-Match", "*"}, {"If-Match", "\"last-0\""}, {"If-Match", "x"}}) {
      assertThat(onCondition(condition[0], condition[1]).status()).as(condition[1]).isEqualTo(400);
    }
    assertThat(onCondition("If-None-Match", "*").json().get("detail").asText())
        .contains("keyIndex");
    assertThat(asked.get("/v1/queues/orders").status()).isEqualTo(404);

    assertThat(asked.send("POST", MESSAGES, "a", "If-Match", "\"next-0\"").status()).isEqualTo(201);
  }

  @Test
  void shouldNameSettingsAsTheContractDoes() {
    asked.put("/v1/queues/orders", "");
    Asked.Reply refused = onCondition("If-None-Match", "*");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.json().get("detail").asText())
        .contains("queue.index.keys")
        .endsWith("(in JSON: keyIndex)");
  }

  @Test
  void shouldSayTimesAsTheyWereSent() {
    Asked.Reply expiry = asked.send("POST", MESSAGES, "a", "River-Expires", "0s");
    assertThat(expiry.json().get("detail").asText()).startsWith("is 0s");
    Asked.Reply delay = asked.send("POST", MESSAGES, "a", "River-Delay", "400d");
    assertThat(delay.json().get("detail").asText()).isEqualTo("is 400d; at most 366d is allowed");
  }

  /** It would be given back as data of another kind. */
  @Test
  void shouldRefuseDataThatIsEncoded() {
    Asked.Reply refused = asked.send("POST", MESSAGES, "a", "Content-Encoding", "gzip");
    assertThat(refused.status()).isEqualTo(415);
    assertThat(refused.body()).contains("Content-Encoding");
    assertThat(asked.get("/v1/queues/orders").status()).isEqualTo(404);
    assertThat(asked.send("POST", MESSAGES, "a", "Content-Encoding", "identity").status())
        .isEqualTo(201);
  }

  @Test
  void shouldRefuseAHeaderOfAnEventThatOccursTwice() {
    Asked.Reply refused = asked.send("POST", MESSAGES, "a", "ce-type", "a", "ce-type", "b");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.field()).isEqualToIgnoringCase("ce-type");
  }

  private Asked.Reply onCondition(String header, String value) {
    return asked.send("POST", MESSAGES, "k", "River-Key", "k", header, value);
  }

  @Test
  void shouldTakeMessagesBack() {
    asked.put("/v1/queues/orders/subscribers/billing", "");
    for (int i = 0; i < 6; i++) {
      asked.send("POST", MESSAGES, "m" + i, "River-Id", "i" + i, "River-Key", "k");
    }
    assertThat(asked.delete(MESSAGES + "/0").body()).isEqualTo("{\"result\":\"CANCELLED\"}");
    assertThat(asked.delete(MESSAGES + "/0").body()).isEqualTo("{\"result\":\"NOT_WAITING\"}");
    assertThat(asked.get(MESSAGES + "/0").status()).isEqualTo(404);
    assertThat(asked.delete(MESSAGES + "?id=i1").body()).contains("CANCELLED");
    assertThat(asked.send("PUT", MESSAGES + "/2", "new", "River-Key", "other").body())
        .isEqualTo("{\"replaced\":\"CANCELLED\",\"sequence\":6}");
    assertThat(asked.send("PUT", MESSAGES + "?id=i3", "newer").body()).contains("7");
    assertThat(asked.delete(MESSAGES + "?key=k").body()).contains("CANCELLED");
    assertThat(asked.get(MESSAGES + "?from=0&max=10").json().get("messages")).hasSize(2);
    assertThat(asked.post("/v1/queues/orders/remove?from=6&end=7", "").body())
        .isEqualTo("{\"removed\":1}");
    assertThat(asked.post("/v1/queues/orders/trim?messages=0", "").body())
        .isEqualTo("{\"removed\":1}");
    assertThat(asked.post("/v1/queues/orders/erase?sequence=5", "").body())
        .matches("\\{\"bytes\":\\d{2}\\}");
    assertThat(asked.post("/v1/queues/orders/erase?sequence=5", "").body())
        .isEqualTo("{\"bytes\":0}");
    assertThat(asked.post("/v1/queues/orders/erase", "").field()).isEqualTo("sequence");
    assertThat(asked.delete(MESSAGES).status()).isEqualTo(400);
    assertThat(asked.delete(MESSAGES + "?id=a&key=b").status()).isEqualTo(400);
    assertThat(asked.post("/v1/queues/orders/trim?before=1&bytes=2", "").status()).isEqualTo(400);
    assertThat(asked.post("/v1/queues/orders/remove?from=1", "").field()).isEqualTo("end");
    assertThat(asked.delete("/v1/queues/none/messages/1").status()).isEqualTo(404);
  }

  @Test
  void shouldEraseAListAndSayWhatBecameOfEach() {
    for (int i = 0; i < 6; i++) {
      asked.post(MESSAGES, "secret " + i);
    }
    Asked.Reply done = eraseBatch("[4,1,99,4]");
    assertThat(done.body())
        .matches("\\{\"bytes\":\\d{2},.*")
        .endsWith(
            "\"results\":[{\"sequence\":4,\"result\":\"erased\"},"
                + "{\"sequence\":1,\"result\":\"erased\"},"
                + "{\"sequence\":99,\"result\":\"absent\"},"
                + "{\"sequence\":4,\"result\":\"erased\"}]}");
    assertThat(eraseBatch("[4,5]").json().get("results"))
        .extracting(each -> each.get("result").asText())
        .containsExactly("absent", "erased");
    assertThat(asked.get(MESSAGES + "?from=0&max=10").json().get("messages")).hasSize(3);
    assertThat(asked.get(MESSAGES + "/4").status()).isEqualTo(404);
    assertThat(asked.get(MESSAGES + "/3").body()).contains("secret 3");
    String many = "[0" + ",1".repeat(1_000) + "]";
    for (String wrong : List.of("[]", "null", "[-1]", many)) {
      assertThat(eraseBatch(wrong).field()).as(wrong).isEqualTo("sequences");
    }
    for (String wrong :
        List.of("[null]", "[1.5]", "[\"1\"]", "7", "[99999999999999999999]", "{}")) {
      assertThat(eraseBatch(wrong).status()).as(wrong).isEqualTo(400);
    }
    assertThat(asked.post("/v1/queues/orders/erase-batch", "").status()).isEqualTo(400);
    assertThat(asked.post("/v1/queues/none/erase-batch", "{\"sequences\":[1]}").status())
        .isEqualTo(404);
  }

  private Asked.Reply eraseBatch(String sequences) {
    return asked.post("/v1/queues/orders/erase-batch", "{\"sequences\":" + sequences + "}");
  }

  @Test
  void shouldRefuseAnotherMessageOfTheSameId() {
    asked.send("POST", MESSAGES, "a", "River-Id", "7", "River-Key", "k", "River-Header-T", "1");

    assertThat(again("a", "k", "1").json().get("duplicate").asBoolean()).isTrue();
    assertThat(again("a", "k", "1").json().get("sequence").asLong()).isZero();
    for (Asked.Reply other : List.of(again("b", "k", "1"), again("a", "l", "1"))) {
      assertThat(other.status()).as(other.body()).isEqualTo(409);
      assertThat(other.problem()).isEqualTo("conflict");
      assertThat(other.json().get("detail").asText()).contains("message 0 of queue orders");
    }
    assertThat(again("a", "k", "2").status()).isEqualTo(409);
    assertThat(asked.send("POST", MESSAGES + "?durability=DISK", "b", "River-Id", "7").status())
        .isEqualTo(409);
    assertThat(asked.post("/v1/queues/orders/publish", "{\"data\":\"b\",\"id\":\"7\"}").status())
        .isEqualTo(409);
    assertThat(asked.get("/v1/queues/orders").json().at("/stats/nextSequence").asLong())
        .isEqualTo(1);
  }

  private Asked.Reply again(String data, String key, String header) {
    return asked.send(
        "POST", MESSAGES, data, "River-Id", "7", "River-Key", key, "River-Header-T", header);
  }

  @Test
  void shouldTakeARepetitionOfWhatIsGone() {
    asked.put("/v1/queues/orders", "{\"recycle\":{\"messages\":1}}");
    asked.put("/v1/queues/orders/subscribers/billing", "{\"ack\":false}");
    asked.send("POST", MESSAGES, "a", "River-Id", "7");
    asked.post(MESSAGES, "b");
    asked.post("/v1/queues/orders/subscribers/billing/deliveries?max=9", "");
    await().until(() -> asked.get(MESSAGES + "/0").status() == 404);

    assertThat(asked.send("POST", MESSAGES, "b", "River-Id", "7").body())
        .contains("\"sequence\":0", "\"duplicate\":true");
  }

  @Test
  void shouldPublishABatchWhole() {
    Asked.Reply reply =
        batch(
            "{\"data\":\"ä\",\"key\":\"k\",\"headers\":{\"t\":\"1\",\"b\":{\"base64\":\"/w==\"}}}\n\n"
                + "{\"base64\":\"/w==\",\"id\":\"1\"}\r\n{\"data\":\"\",\"id\":\"1\"}");

    assertThat(reply.body())
        .isEqualTo("{\"first\":0,\"count\":3,\"duplicates\":[{\"index\":2,\"sequence\":1}]}");
    Asked.Reply all = asked.get(MESSAGES + "?from=0&max=10");
    assertThat(all.json().get("messages")).hasSize(2); // the second 1 is the first one again
    assertThat(all.json().at("/messages/0/data").asText()).isEqualTo("ä");
    assertThat(all.json().at("/messages/0/headers/b/base64").asText()).isEqualTo("/w==");
    assertThat(all.json().at("/messages/1/base64").asText()).isEqualTo("/w==");
  }

  @Test
  void shouldPublishJson() {
    Asked.Reply one =
        asked.send(
            "POST",
            "/v1/queues/orders/publish?durability=DISK",
            "{\"data\":\"ä\",\"key\":\"k\",\"id\":\"1\",\"headers\":{\"b\":{\"base64\":\"/w==\"}}}",
            "Content-Type",
            "application/json; charset=utf-8");
    Asked.Reply two =
        asked.post(
            "/v1/queues/orders/publish-batch",
            "{\"messages\":[{\"base64\":\"/w==\"},{\"data\":\"ä\",\"id\":\"2\"}]}");

    assertThat(one.body())
        .isEqualTo("{\"sequence\":0,\"durability\":\"DISK\",\"duplicate\":false}");
    assertThat(two.body()).isEqualTo("{\"first\":1,\"count\":2,\"duplicates\":[]}");
    Asked.Reply all = asked.get(MESSAGES + "?from=0&max=10");
    assertThat(all.json().at("/messages/0/data").asText()).isEqualTo("ä");
    assertThat(all.json().at("/messages/0/key").asText()).isEqualTo("k");
    assertThat(all.json().at("/messages/0/headers/b/base64").asText()).isEqualTo("/w==");
    assertThat(all.json().at("/messages/1/base64").asText()).isEqualTo("/w==");
  }

  @Test
  void shouldNameTheFieldOfJsonThatIsWrong() {
    asked.put("/v1/queues/orders", "");
    assertJson("/publish", "{}", "data");
    assertJson("/publish", "[]", "body");
    assertJson("/publish", "", "body");
    assertJson("/publish", "{\"data\":\"a\"} {}", "body");
    assertJson("/publish", "{\"data\":7}", "data");
    assertJson("/publish", "{\"data\":\"a\",\"expires\":\"0s\"}", "expires");
    assertJson("/publish-batch", "{}", "messages");
    assertJson("/publish-batch", "[{\"data\":\"a\"}]", "body");
    assertJson("/publish-batch", "{\"messages\":[]}", "messages");
    assertJson("/publish-batch", "{\"messages\":{}}", "messages");
    assertJson("/publish-batch", "{\"messages\":[{\"data\":\"a\"},7]}", "messages.1");
    assertJson("/publish-batch", "{\"messages\":[{\"data\":\"a\"},{}]}", "messages.1.data");
    assertJson("/publish-batch", "{\"messages\":[{\"data\":\"a\"}", "body");
    assertJson("/publish-batch", "{\"messages\":[{\"data\":\"a\"}]} x", "body");
    assertJson("/publish-batch", "{\"messages\":[{\"data\":\"a\"}],\"more\":1}", "more");
    assertThat(
            asked
                .send("POST", "/v1/queues/orders/publish", "a", "Content-Type", "text/plain")
                .status())
        .isEqualTo(415);
    assertThat(asked.get("/v1/queues/orders").json().at("/stats/nextSequence").asLong()).isZero();
  }

  private void assertJson(String path, String body, String field) {
    Asked.Reply reply = asked.post("/v1/queues/orders" + path, body);
    assertThat(reply.status()).as("%s: %s", body, reply.body()).isEqualTo(400);
    assertThat(reply.field()).as("%s: %s", body, reply.body()).isEqualTo(field);
  }

  private Asked.Reply batch(String lines) {
    return asked.send("POST", MESSAGES, lines, "Content-Type", "application/x-ndjson");
  }

  @Test
  void shouldPublishNothingOfABatchThatIsWrong() {
    asked.put("/v1/queues/orders", "");
    assertLine("{\"data\":\"a\"}\n{\"data\":1}", "data", "line 2");
    assertLine("{\"data\":\"a\"}\n{}", "data", "line 2");
    assertLine("{\"data\":\"a\",\"base64\":\"\"}", "data", "line 1");
    assertLine("{\"base64\":\"?\"}", "base64", "line 1");
    assertLine("{\"data\":\"a\",\"what\":1}", "what", "line 1");
    assertLine("{\"data\":\"a\",\"id\":\"\\ud800\"}", "id", "line 1");
    assertLine("{\"data\":\"a\",\"key\":\"\"}", "key", "line 1");
    assertLine("{\"data\":\"a\",\"expires\":\"0s\"}", "expires", "line 1");
    assertLine("{\"data\":\"a\",\"delay\":\"400d\"}", "delay", "line 1");
    assertLine("{\"data\":\"a\",\"headers\":{\"a\":1}}", "headers.a", "line 1");
    assertLine("{\"data\":\"a\",\"headers\":{\"a\":{\"b\":\"\"}}}", "headers.a", "line 1");
    assertLine("{\"data\":\"a\"} x", "body", "line 1");
    assertLine("{\"data\":\"a\"", "body", "line 1");
    assertLine("[]", "body", "line 1");
    assertLine("\n \n", "body", "no message");
    assertThat(asked.get("/v1/queues/orders").json().at("/stats/nextSequence").asLong()).isZero();
  }

  private void assertLine(String lines, String field, String says) {
    Asked.Reply reply = batch(lines);
    assertThat(reply.status()).as(reply.body()).isEqualTo(400);
    assertThat(reply.field()).as(reply.body()).isEqualTo(field);
    assertThat(reply.json().get("detail").asText()).contains(says);
  }

  @Test
  void shouldNameTheHeaderThatIsWrong() {
    assertThat(asked.send("POST", MESSAGES, "a", "River-Expires", "0s").field())
        .isEqualTo("expires");
    assertThat(asked.send("POST", MESSAGES, "a", "River-Delay", "400d").field()).isEqualTo("delay");
    assertThat(asked.send("POST", MESSAGES, "a", "River-Id", "1", "River-Id", "2").field())
        .isEqualTo("River-Id");
    assertThat(asked.send("POST", MESSAGES, "a", "River-Key", "k".repeat(4_097)).field())
        .isEqualTo("key");
    assertThat(asked.post(MESSAGES + "?durability=LATER", "a").field()).isEqualTo("durability");
    assertThat(asked.post(MESSAGES + "?durable=DISK", "a").field()).isEqualTo("durable");
  }

  @Test
  void shouldSayThatTheQueueIsFull() {
    asked.put("/v1/queues/orders", "{\"maxMessages\":1,\"whenFull\":{\"policy\":\"REJECT\"}}");
    asked.put("/v1/queues/orders/subscribers/billing", "");
    asked.post(MESSAGES, "a");
    Asked.Reply full = asked.post(MESSAGES, "b");

    assertThat(full.status()).isEqualTo(429);
    assertThat(full.problem()).isEqualTo("queue-full");
    assertThat(full.header("Retry-After")).isEqualTo("1");
  }

  /** A client that tried again would do so in vain. */
  @Test
  void shouldSayThatABatchCanNeverFit() {
    asked.put("/v1/queues/orders", "{\"maxMessages\":1,\"whenFull\":{\"policy\":\"REJECT\"}}");
    Asked.Reply refused =
        asked.post(
            "/v1/queues/orders/publish-batch",
            "{\"messages\":[{\"data\":\"b\"},{\"data\":\"c\"}]}");

    assertThat(refused.status()).isEqualTo(413);
    assertThat(refused.problem()).isEqualTo("too-large");
    assertThat(refused.header("Retry-After")).isEmpty();
    assertThat(refused.body()).contains("can never fit");
  }

  @Test
  void shouldWaitForRoom() {
    asked.put(
        "/v1/queues/orders",
        "{\"maxMessages\":1,\"whenFull\":{\"policy\":\"BLOCK\",\"timeout\":\"30s\"}}");
    asked.put("/v1/queues/orders/subscribers/billing", "{\"ack\":false}");
    asked.post(MESSAGES, "a");
    var waiting = asked.later("POST", MESSAGES, "b");
    assertThat(asked.post("/v1/queues/orders/subscribers/billing/deliveries", "").body())
        .contains("\"a\"");

    assertThat(waiting.join().status()).isEqualTo(201);
  }

  @Test
  void shouldRefuseWhatIsTooLarge() {
    asked.put("/v1/queues/orders", "{\"maxMessageBytes\":10}");
    assertThat(asked.post(MESSAGES, "x".repeat(11)).problem()).isEqualTo("too-large");
    assertThat(asked.post(MESSAGES, "x".repeat((1 << 20) + 1)).status()).isEqualTo(413);
    String chunked =
        asked.raw(
            "POST "
                + MESSAGES
                + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n100001\r\n"
                + "x".repeat(0x100001)
                + "\r\n0\r\n\r\n");
    assertThat(chunked).startsWith("HTTP/1.1 413");
    assertThat(asked.get("/v1/queues/orders").json().at("/stats/nextSequence").asLong()).isZero();
  }

  @Test
  void shouldTakeALargeBodyWhole() {
    String large = "0123456789abcdef".repeat(1 << 16);
    asked.post(MESSAGES, large);

    assertThat(asked.get(MESSAGES + "/0").json().get("data").asText()).isEqualTo(large);
  }

  @Test
  void shouldListWhatIsThereBehindMessagesThatHaveLeftTheLog() {
    asked.put("/v1/queues/orders", "{\"recycle\":{\"messages\":2}}");
    asked.put("/v1/queues/orders/subscribers/all", "{\"ack\":false}");
    for (int i = 0; i < 10; i++) {
      asked.send("POST", MESSAGES, "m" + i);
    }
    asked.post("/v1/queues/orders/subscribers/all/deliveries?max=6", "");
    asked.post("/v1/queues/orders/remove?from=7&end=8", "");
    await()
        .until(
            () -> asked.get("/v1/queues/orders").json().at("/stats/firstSequence").asLong() == 6);
    for (String query : List.of("?from=0&max=100", "?from=0&max=100&filter=true")) {
      Asked.Reply all = asked.get(MESSAGES + query);
      assertThat(all.json().get("messages").findValuesAsText("sequence"))
          .as(query)
          .containsExactly("6", "8", "9");
      assertThat(all.json().has("next")).isFalse();
    }
  }

  @Test
  void shouldFindMessages() {
    asked.put("/v1/queues/orders", "{\"keyIndex\":true}");
    asked.send("POST", MESSAGES, "a", "River-Key", "k");
    asked.send("POST", MESSAGES, "b", "River-Key", "k");

    assertThat(asked.get(MESSAGES + "?key=k").json().at("/messages/0/data").asText())
        .isEqualTo("b");
    assertThat(asked.get(MESSAGES + "?key=other").json().get("messages")).isEmpty();
    assertThat(asked.get(MESSAGES + "?at=2020-01-01T00:00:00Z").json().get("messages")).hasSize(1);
    assertThat(asked.get(MESSAGES + "?at=2100-01-01T00:00:00Z").json().get("messages")).isEmpty();
    assertThat(asked.get(MESSAGES + "?from=1&max=5").json().get("messages")).hasSize(1);
    assertThat(asked.get(MESSAGES + "/2").status()).isEqualTo(404);
    assertThat(asked.get(MESSAGES + "/x").field()).isEqualTo("sequence");
    assertThat(asked.get(MESSAGES + "/-1").field()).isEqualTo("sequence");
    assertThat(asked.get(MESSAGES).field()).isEqualTo("from");
    assertThat(asked.get(MESSAGES + "?from=0&key=k&max=1").json().get("messages")).hasSize(1);
    assertThat(asked.get(MESSAGES + "?key=k&max=1").field()).isEqualTo("max");
    assertThat(asked.get(MESSAGES + "?from=0&max=1001").field()).isEqualTo("max");
    assertThat(asked.get(MESSAGES + "?from=0&from=1").field()).isEqualTo("from");
    assertThat(asked.get(MESSAGES + "?at=yesterday").field()).isEqualTo("at");
    assertThat(asked.get("/v1/queues/none/messages?from=0").status()).isEqualTo(404);
  }

  @Test
  void shouldSayThatKeysAreNotIndexed() {
    asked.post(MESSAGES, "a");
    assertThat(asked.get(MESSAGES + "?key=k").status()).isEqualTo(400);
  }

  /** Takes numbers only. */
  private static final class Numbers implements MessageConverter<Integer> {
    @Override
    public byte[] toBytes(Integer data) {
      return String.valueOf(data).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Integer fromBytes(byte[] bytes) {
      return Integer.valueOf(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  @Test
  void shouldOfferAnApplicationsQueue() {
    server.close();
    try (MessageQueue<Integer> numbers =
            MessageQueue.builder("numbers", new Numbers()).directory(directory).open();
        RiverServer offering =
            RiverServer.builder()
                .port(0)
                .directory(directory.resolve("made"))
                .queue(numbers, new Numbers())
                .start()) {
      Asked there = new Asked(offering);
      assertThat(there.post("/v1/queues/numbers/messages", "12").status()).isEqualTo(201);
      Asked.Reply refused = there.post("/v1/queues/numbers/messages", "twelve");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.field()).isEqualTo("body");
      assertThat(there.get("/v1/queues/numbers/messages/0").body()).contains("\"data\":\"12\"");
      assertThat(there.get("/v1/queues/numbers").json().get("settingsFrom").asText())
          .isEqualTo("APPLICATION");
      assertThat(there.put("/v1/queues/numbers", "").status()).isEqualTo(409);
      assertThat(there.delete("/v1/queues/numbers?force=true").status()).isEqualTo(409);
      var subscriber = numbers.subscriber("billing");
      assertThat(there.get("/v1/queues/numbers/subscribers/billing").status()).isEqualTo(200);
      subscriber.close(); // by the application
      assertThat(there.get("/v1/queues/numbers/subscribers/billing/peek").body()).contains("12");
    }
  }

  @Test
  void shouldAddTheTextOfTheConverterForThoseWhoLookAtMessages() {
    server.close();
    try (MessageQueue<Long> readings =
            MessageQueue.builder("readings", new Readings()).directory(directory).open();
        RiverServer offering =
            RiverServer.builder()
                .port(0)
                .directory(directory.resolve("made"))
                .queue(readings, new Readings())
                .start()) {
      Asked there = new Asked(offering);
      String path = "/v1/queues/readings";
      there.put(path + "/subscribers/billing", "{\"maxDeliveries\":1}");
      readings.publisher().publishAll(List.of(0x7F80000000000007L, -2L, -1L, -3L, -4L));
      String text = "{\"reading\":9187343239835811847}";
      assertThat(there.get(path + "/messages/0").json().get("text").asText()).isEqualTo(text);
      JsonNode shown = there.get(path + "/messages?from=0&max=5&preview=20").json().get("messages");
      assertThat(shown.get(0).get("text").asText()).isEqualTo(text.substring(0, 20));
      assertThat(shown.get(0).get("bytes").asInt()).isEqualTo(8);
      assertThat(shown.get(1).has("text")).isFalse(); // the converter fails
      assertThat(shown.get(2).get("text").asText()).isEqualTo("half a pair: ?");
      assertThat(shown.get(3).has("text")).isFalse(); // the stack of the converter is too deep
      assertThat(shown.get(4).has("text")).isFalse(); // the converter lacks a class
      assertThat(shown.get(0).get("base64").asText()) // which the converter has overwritten
          .isEqualTo(
              Base64.getEncoder()
                  .encodeToString(readings.converter().toBytes(0x7F80000000000007L)));
      assertThat(there.get(path + "/subscribers/billing/peek").body())
          .contains("9187343239835811847");
      Asked.Reply delivered = there.post(path + "/subscribers/billing/deliveries?max=1", "");
      assertThat(delivered.json().get(0).has("text")).isFalse();
      there.post(
          path + "/subscribers/billing/reject",
          "{\"reason\":\"no\",\"receipts\":[\"" + delivered.receipts().get(0) + "\"]}");
      await()
          .untilAsserted(
              () ->
                  assertThat(there.get(path + "/subscribers/billing/dead").body())
                      .contains("9187343239835811847"));
    }
  }

  /** Shows which thread asks for text, instead of data. */
  private static final class Threads implements MessageConverter<byte[]> {
    @Override
    public byte[] toBytes(byte[] data) {
      return data;
    }

    @Override
    public byte[] fromBytes(byte[] bytes) {
      return bytes;
    }

    @Override
    public String toText(byte[] bytes) {
      return Thread.currentThread().getName();
    }
  }

  @Test
  void shouldLookUpOneMessageWhereThereIsMemoryForIt() {
    server.close();
    try (MessageQueue<byte[]> threads =
            MessageQueue.builder("threads", new Threads()).directory(directory).open();
        RiverServer offering =
            RiverServer.builder()
                .port(0)
                .directory(directory.resolve("made"))
                .queue(threads, new Threads())
                .start()) {
      Asked there = new Asked(offering);
      threads.publisher().publish(new byte[] {-1});
      String messages = "/v1/queues/threads/messages";
      assertThat(there.get(messages + "/0").json().get("text").asText())
          .startsWith("river-readers");
      assertThat(there.get(messages + "?from=0").json().at("/messages/0/text").asText())
          .startsWith("river-readers");
    }
  }

  @Test
  void shouldLeaveAnApplicationsQueueOpen() {
    try (MessageQueue<Integer> numbers =
        MessageQueue.builder("numbers", new Numbers()).directory(directory).open()) {
      RiverServer.builder()
          .port(0)
          .directory(directory.resolve("made"))
          .queue(numbers, new Numbers())
          .start()
          .close();
      assertThat(numbers.publisher().publish(13)).isZero();
    }
  }

  @Test
  void shouldShowWhatIsNoTextInBase64() {
    asked.send(
        "POST",
        MESSAGES,
        "{\"base64\":\"" + Base64.getEncoder().encodeToString(new byte[] {-1, 0}) + "\"}",
        "Content-Type",
        "application/x-ndjson");
    assertThat(asked.get(MESSAGES + "/0").json().get("base64").asText()).isEqualTo("/wA=");
  }
}
