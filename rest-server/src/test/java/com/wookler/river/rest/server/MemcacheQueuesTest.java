package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queues and subscribers behind what Kestrel's clients see. */
@Timeout(120)
class MemcacheQueuesTest extends MemcacheFixture {
  private Asked http() {
    return new Asked(server);
  }

  @Test
  void shouldSendNumbersAsFlagsWhateverTheHeaderHas() throws IOException {
    Client client = client();
    assertThat(client.get("jobs")).isNull();
    for (String header :
        List.of("0\\r\\nEND", "4294967296", "-1", "x", "", "12345678901234567890")) {
      post(json(header));
      assertThat(client.ask("get jobs")).as(header).isEqualTo("VALUE jobs 0 1");
      assertThat(client.data("1")).isEqualTo("x");
      assertThat(client.line()).isEqualTo("END");
    }
    post(json("4294967295"));
    assertThat(client.ask("get jobs")).isEqualTo("VALUE jobs 4294967295 1");
  }

  private static String json(String flags) {
    return "{\"data\":\"x\",\"headers\":{\"memcache-flags\":\"" + flags + "\"}}";
  }

  private void post(String message) {
    String path = "/v1/queues/jobs/messages";
    assertThat(http().send("POST", path, message, "Content-Type", "application/x-ndjson").status())
        .isEqualTo(201);
  }
}
