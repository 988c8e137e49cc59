package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.wookler.river.core.MessageQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class DumpTest extends ToolsFixture {
  @Test
  void shouldPrintALineAMessage() throws IOException {
    makeQueue();

    assertThat(run("dump", own())).isZero();

    List<String> lines = out().lines().toList();
    assertThat(lines).hasSize(MESSAGES);
    JsonNode even = JsonOutput.MAPPER.readTree(lines.get(8));
    assertThat(even.path("sequence").asLong()).isEqualTo(8);
    assertThat(even.path("data").asText()).isEqualTo("message 8");
    assertThat(even.has("key")).isFalse();
    assertThat(Instant.parse(even.path("time").asText())).isAfter("2020-01-01T00:00:00Z");
    JsonNode odd = JsonOutput.MAPPER.readTree(lines.get(5));
    assertThat(odd.path("sequence").asLong()).isEqualTo(5);
    assertThat(odd.path("key").asText()).isEqualTo("key 5");
    assertThat(odd.path("id").asText()).isEqualTo("id 5");
    assertThat(odd.path("headers").path("trace").binaryValue()).isEqualTo(bytes("t5"));
    assertThat(Base64.getDecoder().decode(odd.path("base64").asText()))
        .isEqualTo(new byte[] {(byte) 0xFF, 5});
  }

  @Test
  void shouldPrintARangeOfAQueueAndOfABackup() {
    makeQueueWithBackups();

    assertThat(run("dump", "--from", 15, "--to", 26, "--format", "raw", backups())).isZero();
    assertThat(out()).startsWith("\uFFFD\u000F" + "message 16").endsWith("message 26");

    assertThat(run("dump", "--from", 44, "--to", "45", own())).isZero();
    assertThat(out().lines()).hasSize(2);
    assertThat(out()).contains("\"sequence\":44").contains("\"sequence\":45");

    assertThat(run("dump", "--from", 70, own())).isZero();
    assertThat(out()).isEmpty();
  }

  @Test
  void shouldFollowAQueueThatIsOpen() throws Exception {
    makeQueueWithBackups();
    try (MessageQueue<byte[]> queue = open()) {
      Thread publisher =
          new Thread(
              () -> {
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
                queue.publisher().publish(bytes("came later"));
              });
      publisher.start();
      assertThat(run("dump", "--follow", "--backup", backups(), "--to", 60, own())).isZero();
      publisher.join();
    }
    assertThat(out().lines()).hasSize(61);
    assertThat(out()).startsWith("{\"sequence\":0,").contains("came later");
    assertThat(run("dump", "--follow", "--from", 5, "--to", 41, own())).isEqualTo(1);
    assertThat(out().lines()).hasSize(2);
    assertThat(err()).contains("missed: 35 messages");
    assertThat(run("dump", "--backup", backups(), own())).isEqualTo(2);
    assertThat(err()).contains("--backup is for --follow");
    assertThat(run("dump", "--follow", "--backup", backups().resolve("x"), "--to", 60, own()))
        .isEqualTo(2);
    assertThat(err()).contains("is not a directory");
  }

  @Test
  void shouldPrintWhatIsWholeAndNameWhatIsNot() throws IOException {
    makeQueue();
    Path block = files(own(), "b00000002.cq4").get(0);
    flip(block, find(block, "message 16")); // the last one of a batch
    flip(block, find(block, "message 18"));

    assertThat(run("dump", own())).isEqualTo(1);

    assertThat(out().lines()).hasSize(58);
    assertThat(out()).contains("\"sequence\":15").contains("\"sequence\":17");
    assertThat(err()).contains("lost: sequences 16 to 16").contains("lost: sequences 18 to 18");
    assertThat(err()).contains(block.toString()).contains("block 2");
  }

  @Test
  void shouldRefuseARangeThatEndsBeforeItBegins() {
    makeQueue();

    assertThat(run("dump", "--from", 9, "--to", 3, own())).isEqualTo(2);
    assertThat(err()).contains("--from 9 is after --to 3");
    assertThat(run("dump", "--from", -1, own())).isEqualTo(2);
    assertThat(run("dump", "--from", 3, "--to", 3, own())).isZero();
    String base = directory.resolve("target").toString();
    for (List<String> bounds :
        List.of(List.of("9", "3"), List.of("2026-11-20T10:00:00Z", "2026-11-19T10:00:00Z"))) {
      assertThat(
              run(
                  "replay",
                  own(),
                  "--queue",
                  "copy",
                  "--to",
                  base,
                  "--from",
                  bounds.get(0),
                  "--until",
                  bounds.get(1)))
          .isEqualTo(2);
      assertThat(err()).contains("--from " + bounds.get(0) + " is after --until");
      assertThat(directory.resolve("target")).doesNotExist();
    }
  }

  @Test
  void shouldRefuseAnotherFormat() {
    makeQueue();

    assertThat(run("dump", "--format", "xml", own())).isEqualTo(2);
    assertThat(err()).contains("--format");
  }
}
