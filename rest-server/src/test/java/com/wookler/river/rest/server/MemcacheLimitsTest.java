package com.wookler.river.rest.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What clients of memcache may use together with those of HTTP. */
class MemcacheLimitsTest extends MemcacheFixture {
  private static final int BODY = 64 << 10;

  @Override
  RiverServer.Builder builder() {
    return super.builder().maxConnections(4).maxBodyBytes(BODY).maxBufferedBytes(4 * BODY);
  }

  @Test
  void shouldCountConnectionsOfBothProtocolsTogether() throws IOException {
    List<Client> some = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Client client = client();
      assertThat(client.ask("version")).startsWith("VERSION");
      some.add(client);
    }
    assertThat(client().isClosed()).isTrue();
    Asked asked = new Asked(server);
    assertThatThrownBy(() -> asked.get("/health/live")).isInstanceOf(CompletionException.class);

    some.get(0).socket.close();
    await().ignoreExceptions().until(() -> asked.get("/health/live").status() == 200);
  }

  @Test
  void shouldGiveOthersTheMemoryOfDataThatDoesNotArrive() throws IOException {
    List<Client> stuck = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Client client = client();
      client.send("set jobs 0 0 " + BODY + "\r\n" + "x".repeat(BODY - 1));
      stuck.add(client);
    }
    Asked asked = new Asked(server);
    String body = "x".repeat(BODY - 1);
    await().until(() -> asked.post("/v1/queues/orders/messages", body).status() == 201);
    for (int i = 0; i < 20; i++) {
      assertThat(asked.post("/v1/queues/orders/messages", body).status()).isEqualTo(201);
    }
    for (Client client : stuck) { // those that were not disconnected can go on
      try {
        client.send("x\r\n");
        assertThat(client.line()).isIn("STORED", "SERVER_ERROR", null);
      } catch (IOException e) {
        assertThat(e).hasMessageMatching("(?i).*(reset|broken).*");
      }
    }
  }

  @Test
  void shouldWarnOfAHostThatOthersReach() {
    try (CapturedLog log = new CapturedLog(RiverServer.class);
        RiverServer open =
            builder()
                .directory(directory.resolve("open"))
                .memcacheHost("0.0.0.0")
                .insecure(true)
                .start()) {
      assertThat(open.memcachePort()).isPositive();
      assertThat(log.warnings())
          .anyMatch(line -> line.contains("0.0.0.0") && line.contains("no keys"));
    }
  }

  /** Nothing of a command is lost, however it is cut. */
  @Test
  void shouldStoreDataThatLooksLikeAnAnswer() throws IOException {
    Client client = client();
    String data = "\r\nEND\r\nVALUE jobs 0 3\r\nEND\r\n";
    for (byte each :
        ("set jobs 0 0 " + data.length() + "\r\n" + data + "\r\n").getBytes(US_ASCII)) {
      client.socket.getOutputStream().write(each);
    }
    assertThat(client.line()).isEqualTo("STORED");
    assertThat(client.get("jobs")).isEqualTo(data);
  }
}
