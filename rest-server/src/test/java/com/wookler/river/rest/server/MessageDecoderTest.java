package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.wookler.river.core.MessageQueue;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data that a decoder on the class path shows to those who look at messages. */
class MessageDecoderTest {
  private static final String QUEUE = "/v1/queues/drawings";
  private static final String MESSAGES = QUEUE + "/messages";
  private static final String CIRCLE = "{\"drawings\":\"circle\",\"size\":\"%dcm\"}";

  @TempDir Path directory;
  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() throws Exception {
    RiverServer.Builder builder =
        RiverServer.builder().port(0).directory(directory.resolve("queues"));
    server = Shapes.onClassPath(directory.resolve("added"), builder::start);
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Publishes two bytes, which a line of a batch has in Base64. */
  private void publish(int shape, int size) {
    String base64 = Base64.getEncoder().encodeToString(new byte[] {(byte) shape, (byte) size});
    Asked.Reply reply =
        asked.post(
            QUEUE + "/publish",
            "{\"base64\":\"%s\",\"headers\":{\"content-type\":\"%s\",\"unit\":\"cm\"}}"
                .formatted(base64, Shapes.TYPE));
    assertThat(reply.status()).as(reply.body()).isEqualTo(201);
  }

  private JsonNode message(long sequence) {
    Asked.Reply reply = asked.get(MESSAGES + "/" + sequence);
    assertThat(reply.status()).isEqualTo(200);
    return reply.json();
  }

  @Test
  void shouldAddTheTextOfADecoderToDataOfAQueueThatARequestCreated() {
    publish(-1, 3);
    assertThat(message(0).get("text").asText()).isEqualTo(CIRCLE.formatted(3));
    assertThat(message(0).get("base64").asText()).isEqualTo("/wM="); // which it has overwritten
    JsonNode found = asked.get(MESSAGES + "?from=0&preview=1").json().get("messages").get(0);
    assertThat(found.get("text").asText()).isEqualTo("{");
    assertThat(found.get("bytes").asInt()).isEqualTo(2);
  }

  @Test
  void shouldShowDeadLettersAndThoseThatAPeekReturnsButLeaveDeliveriesAsTheyAre() {
    asked.put(QUEUE, "");
    String billing = QUEUE + "/subscribers/billing";
    asked.put(billing, "{\"maxDeliveries\":1}");
    publish(-1, 4);
    assertThat(asked.get(billing + "/peek").json().at("/messages/0/text").asText())
        .isEqualTo(CIRCLE.formatted(4));
    Asked.Reply taken = asked.post(billing + "/deliveries?max=1", "");
    assertThat(taken.json().get(0).has("text")).isFalse();
    asked.post(
        billing + "/reject",
        "{\"reason\":\"no\",\"receipts\":[\"" + taken.receipts().get(0) + "\"]}");
    await()
        .untilAsserted(
            () ->
                assertThat(asked.get(billing + "/dead").json().at("/messages/0/text").asText())
                    .isEqualTo(CIRCLE.formatted(4)));
  }

  /** The bytes of a binary schema may be valid UTF-8. */
  @Test
  void shouldDecodeBytesThatAreTextByChance() {
    publish('c', 'x');
    assertThat(message(0).get("data").asText()).isEqualTo("cx");
    assertThat(message(0).get("text").asText()).isEqualTo(CIRCLE.formatted((int) 'x'));
    asked.post(MESSAGES, "plain");
    assertThat(message(1).get("data").asText()).isEqualTo("plain");
    assertThat(message(1).has("text")).isFalse();
    assertThat(message(1).has("textError")).isFalse();
    assertThat(message(1).has("bytes")).isFalse();
  }

  @Test
  void shouldSayWhyADecoderFailedAndAnswerTheBytes() {
    publish(-2, 1);
    publish('d', -1);
    publish('o', -1);
    publish('a', -1);
    publish('m', -1);
    assertThat(message(0).get("base64").asText()).isEqualTo("/gE=");
    assertThat(message(0).get("textError").asText())
        .isEqualTo(Shapes.class.getName() + ": java.lang.IllegalArgumentException: no shape -2: ?");
    assertThat(message(1).get("textError").asText()).contains("NoClassDefFoundError: Diamond");
    JsonNode all = asked.get(MESSAGES + "?from=0&max=9").json().get("messages");
    assertThat(all.get(2).get("textError").asText()).contains("StackOverflowError");
    assertThat(all.get(2).has("text")).isFalse();
    assertThat(all.get(3).get("textError").asText()).contains("half a shape");
    assertThat(all.get(4).get("textError").asText()).contains(Shapes.class.getName() + "$");
  }

  @Test
  void shouldCutALongTextAndSayTheSizeOfTheData() {
    publish('s', 1);
    JsonNode found = asked.get(MESSAGES + "?from=0&preview=65536").json().get("messages").get(0);
    assertThat(found.get("text").asText()).hasSize(65_536);
    assertThat(found.get("bytes").asInt()).isEqualTo(2);
    assertThat(found.get("data").asText()).isEqualTo("s\u0001");
  }

  @Test
  void shouldAskTheConverterOfAQueueFirst() throws Exception {
    server.close();
    try (MessageQueue<Long> readings =
        MessageQueue.builder("readings", new Readings()).directory(directory).open()) {
      RiverServer.Builder builder =
          RiverServer.builder()
              .port(0)
              .directory(directory.resolve("queues"))
              .queue(readings, new Readings());
      server = Shapes.onClassPath(directory.resolve("added"), builder::start);
      asked = new Asked(server);
      readings.publisher().publish(0x7F80000000000007L);
      assertThat(asked.get("/v1/queues/readings/messages/0").json().get("text").asText())
          .isEqualTo("{\"reading\":9187343239835811847}");
    }
  }
}
