package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Clients that send half of a body, or read none of an answer. */
@Tag("full")
class HalfSentBodiesTest extends AttackFixture {
  private static final Logger LOG = LoggerFactory.getLogger(HalfSentBodiesTest.class);
  private static final int HALF = BODY / 2;

  /** Sends half of a body on each connection, as far as the server takes it at once. */
  private void attack(ByteBuffer request) throws IOException {
    List<ByteBuffer> left = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      write(connect(0), request.duplicate(), left);
    }
    for (int i = 0; i < CLIENTS; i++) {
      write(crowd.get(i), left.get(i), new ArrayList<>());
    }
  }

  private static ByteBuffer half() {
    byte[] head =
        Asked.head("POST " + MESSAGES + " HTTP/1.1", "Host: localhost", "Content-Length: " + BODY)
            .getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(head.length + HALF)
        .put(head)
        .put(new byte[HALF])
        .flip()
        .asReadOnlyBuffer();
  }

  @Test
  void shouldServeOthersWhileManyBodiesAreHalfSent() throws Exception {
    healthy(HEALTHY); // warm
    long usual = healthy(HEALTHY);
    attack(half());
    long meanwhile = healthy(HEALTHY);

    assertBounded();
    if (TIMED) {
      LOG.warn(
          "p99 of a publish: usually {} µs, meanwhile {} µs", usual / 1_000, meanwhile / 1_000);
      assertThat(meanwhile).as("usually %d ns", usual).isLessThan(5 * usual);
    }
    assertAlive();
  }

  @Test
  void shouldServeOthersWhileManyDoNotReadTheirAnswers() throws Exception {
    asked.put("/v1/queues/large", "");
    for (int i = 0; i < 40; i++) {
      asked.post("/v1/queues/large/messages", "x".repeat(BODY - 1));
    }
    ByteBuffer request =
        ByteBuffer.wrap(
            Asked.head("GET /v1/queues/large/messages?from=0&max=40 HTTP/1.1", "Host: localhost")
                .getBytes(StandardCharsets.US_ASCII));
    for (int i = 0; i < CLIENTS; i++) {
      write(connect(4_096), request.duplicate(), new ArrayList<>());
    }
    healthy(HEALTHY);

    assertBounded();
    assertAlive();
  }
}
