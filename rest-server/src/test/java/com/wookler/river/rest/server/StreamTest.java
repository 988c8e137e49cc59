package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Taking messages as they come. */
@Timeout(120)
class StreamTest extends ServerFixture {
  private static final String MESSAGES = "/v1/queues/orders/messages";
  private static final String BILLING = "/v1/queues/orders/subscribers/billing";

  @BeforeEach
  void subscribe() {
    asked.put("/v1/queues/orders", "");
    asked.put(BILLING, "");
  }

  /** A stream that is read line by line. */
  private final class Stream implements AutoCloseable {
    private final HttpResponse<InputStream> answer;
    private final BufferedReader lines;

    Stream(String query, String accept) throws Exception {
      this("billing", query, accept);
    }

    Stream(String subscriber, String query, String accept) throws Exception {
      String path = "/v1/queues/orders/subscribers/" + subscriber + "/stream" + query;
      answer =
          Asked.client()
              .send(
                  asked.request("POST", path, "", "Accept", accept),
                  HttpResponse.BodyHandlers.ofInputStream());
      assertThat(answer.statusCode()).isEqualTo(200);
      lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    JsonNode next() throws IOException {
      String line = lines.readLine();
      return line.isEmpty() ? next() : Contract.json(line);
    }

    @Override
    public void close() throws IOException {
      answer.body().close();
    }
  }

  private void publish(int count, String data) {
    for (int i = 0; i < count; i++) {
      asked.post(MESSAGES, data + i);
    }
  }

  private int inFlight() {
    return asked.get(BILLING).json().at("/stats/inFlight").asInt();
  }

  private void settle(String verb, JsonNode delivery) {
    asked.post(BILLING + "/" + verb, "{\"receipts\":[" + delivery.get("receipt") + "]}");
  }

  @Test
  void shouldSendNoMoreThanItsCreditUntilSomeAreSettled() throws Exception {
    publish(10, "order ");
    try (Stream stream = new Stream("?credit=3", "application/x-ndjson")) {
      List<JsonNode> first = new ArrayList<>(List.of(stream.next(), stream.next(), stream.next()));
      assertThat(first.get(2).get("data").asText()).isEqualTo("order 2");
      assertThat(asked.get(BILLING).json().at("/stats/delivered").asInt()).isEqualTo(3);
      settle("ack", first.get(0));
      assertThat(stream.next().get("data").asText()).isEqualTo("order 3");
      settle("nack", first.get(1));
      assertThat(stream.next().get("data").asText()).isEqualTo("order 1");
      assertThat(inFlight()).isEqualTo(3);
    }
  }

  @Test
  void shouldGiveBackAtOnceWhatADepartedReaderHad() throws Exception {
    publish(3, "order ");
    try (Stream stream = new Stream("", "*/*")) {
      stream.next();
      await().untilAsserted(() -> assertThat(inFlight()).isEqualTo(3));
    }
    await().untilAsserted(() -> assertThat(inFlight()).isZero());
    JsonNode again = asked.post(BILLING + "/deliveries?max=5", "").json();
    assertThat(again).hasSize(3);
    assertThat(again.at("/0/attempt").asInt()).isEqualTo(1);
    assertThat(server.streams()).isZero();
  }

  @Test
  void shouldSendEvents() throws Exception {
    publish(1, "order ");
    try (Stream stream = new Stream("", "text/event-stream")) {
      assertThat(stream.answer.headers().firstValue("Content-Type")).contains("text/event-stream");
      assertThat(stream.lines.readLine()).isEqualTo("retry: 2000");
      assertThat(stream.lines.readLine()).isEmpty();
      assertThat(stream.lines.readLine()).isEqualTo("id: 0");
      assertThat(stream.lines.readLine()).isEqualTo("event: delivery");
      assertThat(stream.lines.readLine()).startsWith("data: {\"receipt\":");
      assertThat(stream.lines.readLine()).isEmpty();
    }
  }

  @Test
  void shouldRefuseOtherMediaTypesAndParameters() {
    Asked.Reply reply = asked.send("POST", BILLING + "/stream", "", "Accept", "image/png");
    assertThat(reply.status()).isEqualTo(406);
    assertThat(asked.post(BILLING + "/stream?credit=0", "").field()).isEqualTo("credit");
    assertThat(asked.post(BILLING + "/stream?max=1", "").field()).isEqualTo("max");
  }

  @Test
  void shouldHoldLittleForOneWhoReadsSlowly() throws Exception {
    String large = "x".repeat(500_000);
    publish(60, large);
    try (Socket slow = asked.connect()) {
      slow.setReceiveBufferSize(4_096);
      slow.getOutputStream()
          .write(
              ("POST "
                      + BILLING
                      + "/stream?credit=1000 HTTP/1.1\r\n"
                      + "Host: localhost\r\n"
                      + "Content-Length: 0\r\n\r\n")
                  .getBytes(StandardCharsets.UTF_8));
      await().until(() -> inFlight() > 0);
      int[] before = {-1};
      await() // until it takes no more, though 60 would be allowed
          .pollInterval(Duration.ofMillis(300))
          .until(
              () -> {
                int now = inFlight();
                boolean same = now == before[0];
                before[0] = now;
                return same;
              });
      assertThat(before[0]).isLessThan(30);
    }
    await().untilAsserted(() -> assertThat(inFlight()).isZero());
  }

  @Test
  void shouldEndStreamsAndPollsWhenItStops() throws Exception {
    publish(1, "order ");
    asked.put("/v1/queues/orders/subscribers/idle", "{\"start\":{\"to\":\"LATEST\"}}");
    var poll = asked.later("POST", "/v1/queues/orders/subscribers/idle/deliveries?wait=60s", "");
    try (Stream stream = new Stream("", "*/*")) {
      stream.next();
      await().until(() -> asked.get("/metrics").body().contains("\nriver_http_polls 1"));
      server.close();
      assertThat(stream.lines.readLine()).isNull();
    }
    assertThat(poll.join().body()).isEqualTo("[]");
    start();
    assertThat(asked.post(BILLING + "/deliveries", "").json().at("/0/attempt").asInt())
        .isLessThanOrEqualTo(2);
  }

  @Test
  void shouldFreeNoCreditForWhatIsNotSettled() throws Exception {
    publish(2, "order ");
    asked.put("/v1/queues/orders/subscribers/audit", "");
    try (Stream stream = new Stream("?credit=1", "*/*")) {
      JsonNode first = stream.next();
      asked.post(
          "/v1/queues/orders/subscribers/audit/ack",
          "{\"receipts\":[" + first.get("receipt") + "]}");
      asked.post(
          BILLING + "/extend", "{\"receipts\":[" + first.get("receipt") + "],\"duration\":\"1m\"}");
      assertThat(asked.get(BILLING).json().at("/stats/delivered").asInt()).isEqualTo(1);
      settle("release", first);
      assertThat(stream.next().get("sequence")).isEqualTo(first.get("sequence"));
    }
  }

  private static final Duration BEFORE_A_SIGN_OF_LIFE = Duration.ofSeconds(12);

  /** One that takes its time stands before others that do not. */
  @Test
  void shouldDeliverAgainWhatTimesOutWhileAnotherIsExtended() throws Exception {
    asked.put("/v1/queues/orders/subscribers/quick", "{\"ackTimeout\":\"1s\"}");
    publish(3, "order ");
    try (Stream stream = new Stream("quick", "?credit=2", "*/*")) {
      JsonNode first = stream.next();
      asked.post(
          "/v1/queues/orders/subscribers/quick/extend",
          "{\"receipts\":[" + first.get("receipt") + "],\"duration\":\"10m\"}");
      JsonNode second = stream.next();
      asked.post(
          "/v1/queues/orders/subscribers/quick/ack",
          "{\"receipts\":[" + second.get("receipt") + "]}");
      JsonNode third = stream.next();
      long begun = System.nanoTime();
      JsonNode again = stream.next();
      assertThat(again.get("sequence")).isEqualTo(third.get("sequence"));
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(BEFORE_A_SIGN_OF_LIFE);
    }
  }

  @Test
  void shouldDeliverAgainAtTheTimeoutThoughItsCreditIsUsedUp() throws Exception {
    asked.put("/v1/queues/orders/subscribers/quick", "{\"ackTimeout\":\"1s\"}");
    publish(1, "order ");
    try (Stream stream = new Stream("quick", "?credit=1", "*/*")) {
      JsonNode first = stream.next();
      long begun = System.nanoTime();
      JsonNode again = stream.next();
      assertThat(again.get("sequence")).isEqualTo(first.get("sequence"));
      assertThat(again.get("attempt").asInt()).isEqualTo(2);
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(BEFORE_A_SIGN_OF_LIFE);
    }
  }

  @Test
  void shouldChangeNothingByGet() {
    publish(1, "order ");
    assertThat(asked.get(BILLING + "/stream").status()).isEqualTo(401);
    Asked.Reply reply = asked.get(BILLING + "/deliveries");
    assertThat(reply.status()).isEqualTo(405);
    assertThat(reply.header("Allow")).isEqualTo("POST");
    assertThat(asked.get(BILLING).json().at("/stats/delivered").asInt()).isZero();
    shouldFindNothing("/v1/queues/none/subscribers/none", "");
    shouldFindNothing("/v1/queues/orders/subscribers/none", "?create=false");
    assertThat(asked.get("/v1/queues").json().get("queues")).hasSize(1);
    assertThat(asked.get("/v1/queues/orders/subscribers").json().get("subscribers")).hasSize(1);
  }

  private void shouldFindNothing(String path, String create) {
    assertThat(asked.post(path + "/deliveries" + create, "").status()).isEqualTo(404);
    assertThat(asked.post(path + "/stream" + create, "").status()).isEqualTo(404);
    assertThat(asked.get(path + "/peek").status()).isEqualTo(404);
  }
}
