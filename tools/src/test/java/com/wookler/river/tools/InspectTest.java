package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InspectTest extends ToolsFixture {
  @Test
  void shouldSayWhatAQueueHolds() throws IOException {
    makeQueueWithBackups();
    Map<Path, String> before = content(data());

    assertThat(run("inspect", "--json", own())).isZero();

    JsonNode answer = JsonOutput.MAPPER.readTree(out());
    assertThat(answer.path("name").asText()).isEqualTo("orders");
    assertThat(answer.path("format").asInt()).isEqualTo(1);
    assertThat(answer.path("firstSequence").asLong()).isEqualTo(40);
    assertThat(answer.path("nextSequence").asLong()).isEqualTo(60);
    assertThat(answer.path("blocks")).hasSize(3);
    assertThat(answer.path("blocks").path(0).path("state").asText()).isEqualTo("SEALED");
    assertThat(answer.path("blocks").path(0).path("messages").asInt()).isEqualTo(10);
    assertThat(answer.path("blocks").path(2).path("state").asText()).isEqualTo("ACTIVE");
    assertThat(answer.path("subscribers")).hasSize(2);
    JsonNode billing = answer.path("subscribers").path(1);
    assertThat(billing.path("name").asText()).isEqualTo("billing");
    assertThat(billing.path("ack").asBoolean()).isTrue();
    assertThat(billing.path("lowWatermark").asLong()).isEqualTo(42);
    assertThat(billing.path("position").asLong()).isEqualTo(50);
    assertThat(billing.path("completedAbove").asLong()).isEqualTo(2);
    assertThat(billing.path("unfinished").asLong()).isEqualTo(6);
    assertThat(billing.path("lag").asLong()).isEqualTo(16);
    assertThat(billing.path("generation").asLong()).isPositive();
    JsonNode audit = answer.path("subscribers").path(0);
    assertThat(audit.path("lowWatermark").asLong()).isEqualTo(50);
    assertThat(audit.path("lag").asLong()).isEqualTo(10);
    assertThat(content(data())).isEqualTo(before);
  }

  @Test
  void shouldSayItInText() throws IOException {
    makeQueue();
    Files.writeString(own().resolve("log").resolve("b00000001.cq4.damaged"), "x");

    assertThat(run("inspect", own())).isZero();

    assertThat(out())
        .contains("queue       orders (")
        .contains("sequences   0 to 60")
        .containsPattern("3  SEALED +20 +10 ")
        .containsPattern("billing +yes +0 +8 +2 +6 +58 ")
        .contains("quarantined: ")
        .contains("b00000001.cq4.damaged");
  }

  @Test
  void shouldSayWhatItCanOfADamagedQueue() throws IOException {
    makeQueue();
    Files.delete(own().resolve("queue.json"));
    flip(files(own(), "b00000003.seal").get(0), 40);
    flip(files(own(), "subscriber.json").get(0), 30);

    assertThat(run("inspect", own())).isZero();

    assertThat(out()).containsPattern("3  CLOSED +20 +10 ").contains("damaged: ");
  }
}
