package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.rest.server.RiverServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What docs/client.md shows works as it stands there. */
@Timeout(120)
class ClientDocTest {
  private static final Path PAGE = Path.of("..", "docs", "client.md");
  private static final Path SOURCE =
      Path.of("src/test/java/com/wookler/river/rest/client/ClientDocTest.java");

  @TempDir Path directory;

  private RiverServer server;
  private RiverClient client;
  private RemoteSubscriber billing;
  private Throwable reported;

  @BeforeEach
  void start() {
    server = RiverServer.builder().port(0).directory(directory.resolve("data")).start();
    client = RiverClient.builder("http://127.0.0.1:" + server.port()).build();
    billing = client.subscriber("orders", "billing");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private static List<String> blocks(String language) throws IOException {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(PAGE))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  private Void report(Throwable e) {
    reported = e;
    return null;
  }

  private static void waitForTheEnd(DeliveryStream stream) {
    assertThat(stream.ended()).isNotDone();
  }

  @Test
  void shouldPublishAsShown() throws Exception {
    // shown
    RemoteQueue orders = client.queue("orders");
    long sequence =
        orders.publish(NewMessage.text("order 2").withKey("eu").withHeader("type", "order"));
    orders.publish(NewMessage.json(Map.of("number", 3)), Durability.DISK);
    orders.publishAll(List.of(NewMessage.text("order 4"), NewMessage.text("order 5")));
    try (BatchingPublisher batching = orders.batching()) {
      for (int i = 0; i < 1_000; i++) {
        var unused = batching.publish("order " + i).exceptionally(e -> report(e));
      }
    }
    // to here
    assertThat(sequence).isZero();
    assertThat(reported).isNull();
    assertThat(orders.info().stats().messages()).isEqualTo(1_004);
  }

  @Test
  void shouldTakeAsShown() throws Exception {
    client.queue("orders").publish("order 1");
    // shown
    for (RemoteDelivery one : billing.batch(100, Duration.ofSeconds(20))) {
      one.ack();
    }
    try (DeliveryStream stream = billing.stream(100, one -> one.ack())) {
      waitForTheEnd(stream);
    }
    // to here
    assertThat(billing.stats().lag()).isZero();
  }

  @Test
  void shouldShowWhatIsTriedHere() throws IOException {
    String page = flat(String.join("\n", blocks("java")));
    List<MatchResult> tried =
        Pattern.compile("    // shown\n(.*?)    // to here\n", Pattern.DOTALL)
            .matcher(Files.readString(SOURCE))
            .results()
            .toList();
    assertThat(tried).hasSize(2);
    for (MatchResult part : tried) {
      assertThat(page).contains(flat(part.group(1).replace("var unused = ", "")));
    }
  }

  private static String flat(String code) {
    return code.replaceAll("\\s+", " ");
  }

  @Test
  void shouldConsumeInPython() throws Exception {
    assumeTrue(hasPython(), "there is no python3");
    List<String> scripts = blocks("python");
    assertThat(scripts).hasSize(1);
    assertThat(scripts.get(0).lines().filter(line -> !line.isBlank()).count())
        .isLessThanOrEqualTo(20);
    Path script = Files.writeString(directory.resolve("consumer.py"), scripts.get(0));
    Path out = directory.resolve("out");
    client.queue("orders").publish(NewMessage.text("zwölf").withKey("eu"));
    client.queue("orders").publish("13");

    ProcessBuilder builder =
        new ProcessBuilder("python3", script.toString(), "http://127.0.0.1:" + server.port())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().put("PYTHONIOENCODING", "utf-8");
    Process python = builder.start();
    try {
      await()
          .atMost(60, TimeUnit.SECONDS)
          .untilAsserted(
              () ->
                  assertThat(Files.readString(out, StandardCharsets.UTF_8))
                      .isEqualTo("0 eu zwölf\n1 None 13\n"));
      await().until(() -> billing.stats().acked() == 2);
    } finally {
      python.destroyForcibly().waitFor();
    }
  }

  private static boolean hasPython() throws InterruptedException {
    try {
      return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
