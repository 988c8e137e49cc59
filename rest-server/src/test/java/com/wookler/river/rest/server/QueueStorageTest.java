package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.QueueCatalog;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When blocks of a queue that a request makes are closed, and what becomes of them. */
@Timeout(120)
class QueueStorageTest {
  private static final String QUEUE = "/v1/queues/orders";
  private static final String BACKED_UP =
      "{\"recycle\":{\"messages\":10},\"backup\":{\"retention\":\"168h\"}}";

  @TempDir Path directory;

  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void startWithBackups() {
    start(server -> server.backupDirectory(directory.resolve("backups")));
  }

  private void start(UnaryOperator<RiverServer.Builder> settings) {
    server =
        settings
            .apply(RiverServer.builder().port(0).directory(directory.resolve("queues")))
            .start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      asked.post(QUEUE + "/messages", "order " + i);
    }
  }

  private int stat(String name) {
    return asked.get(QUEUE).json().path("stats").path(name).asInt();
  }

  private long filesOfBackups() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("backups/orders"))) {
      return files.filter(file -> file.toString().endsWith(".cq4.zst")).count();
    }
  }

  @Test
  void shouldNotStartInAFile() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> RiverServer.builder().port(0).directory(file).start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("is no directory");
  }

  @Test
  void shouldWarnOfAQueueWhoseSettingsAreMissing() throws IOException {
    asked.put(QUEUE, "{}");
    publish(1);
    server.close();
    Files.move(directory.resolve("queues/.server"), directory.resolve("aside"));
    try (CapturedLog log = new CapturedLog(QueueCatalog.class)) {
      server = RiverServer.builder().port(0).directory(directory.resolve("queues")).start();
      assertThat(log.lines())
          .anyMatch(line -> line.contains("queues/orders is a queue that this server does not"));
    }
  }

  @Test
  void shouldCloseBlocksAsTheRequestSays() {
    asked.put(QUEUE, "{\"recycle\":{\"messages\":10}}");
    publish(30);
    assertThat(stat("blocks")).isBetween(3, 4);

    asked.delete(QUEUE + "?force=true");
    asked.put(QUEUE, "{\"recycle\":{\"bytes\":1,\"messages\":10}}");
    publish(3);
    assertThat(stat("blocks")).isBetween(3, 4);

    asked.delete(QUEUE + "?force=true");
    asked.put(QUEUE, "{\"recycle\":{\"age\":\"1ms\",\"messages\":10}}");
    await()
        .until(
            () -> {
              publish(1);
              return stat("blocks") >= 2;
            });
    assertThat(stat("messages")).isLessThan(1_000);
  }

  @Test
  void shouldKeepInABackupWhatLeavesTheLog() throws Exception {
    assertThat(asked.put(QUEUE, BACKED_UP).status()).isEqualTo(201);
    asked.put(QUEUE + "/subscribers/billing", "{\"ack\":false}");
    publish(30);
    asked.post(QUEUE + "/subscribers/billing/deliveries?max=30", "");
    await().until(() -> stat("backups") >= 2);

    assertThat(stat("firstSequence")).isGreaterThanOrEqualTo(20);
    await().ignoreExceptions().until(() -> filesOfBackups() >= 2); // others are being made
    assertThat(asked.get(QUEUE + "/messages/0").body()).contains("order 0");
    asked.put(QUEUE + "/subscribers/late", "{\"start\":{\"sequence\":0}}");
    assertThat(asked.post(QUEUE + "/subscribers/late/deliveries?max=5", "").body())
        .contains("order 0");
  }

  @Test
  void shouldSayThatBackupsCannotBeMade() throws Exception {
    assertThat(asked.put(QUEUE, BACKED_UP).status()).isEqualTo(201);
    Files.createDirectories(directory.resolve("backups"));
    Files.createFile(directory.resolve("backups/orders")); // where their directory should be
    asked.put(QUEUE + "/subscribers/billing", "{\"ack\":false}");
    publish(30);
    assertThat(asked.get("/health/ready").body()).isEqualTo("{\"status\":\"up\"}");
    asked.post(QUEUE + "/subscribers/billing/deliveries?max=30", "");
    await().until(() -> stat("backupFailures") > 0);

    assertThat(asked.get("/health/ready").status()).isEqualTo(200);
    assertThat(asked.get("/health/ready").body()).isEqualTo("{\"status\":\"degraded\"}");
    assertThat(asked.get("/metrics").body())
        .containsPattern("river_queue_backup_failures\\{queue=\"orders\"} [1-9]");
    Files.delete(directory.resolve("backups/orders"));
    await().until(() -> stat("backups") >= 1);
    await().until(() -> asked.get("/health/ready").body().contains("up"));
  }

  @Test
  void shouldHaveItAgainAfterARestart() throws Exception {
    asked.put(QUEUE, BACKED_UP);
    asked.put(QUEUE + "/subscribers/billing", "{\"ack\":false}");
    publish(20);
    asked.post(QUEUE + "/subscribers/billing/deliveries?max=20", "");
    await().until(() -> stat("backups") >= 1);
    stop();
    startWithBackups();

    assertThat(
            asked
                .put(QUEUE, BACKED_UP.replace("168h", "7d").replace("}}", ",\"full\":\"KEEP\"}}"))
                .status())
        .isEqualTo(200);
    assertThat(asked.put(QUEUE, BACKED_UP.replace("168h", "8d")).status()).isEqualTo(409);
    assertThat(asked.put(QUEUE, BACKED_UP.replace("10", "11")).status()).isEqualTo(409);
    assertThat(asked.get(QUEUE).json().at("/settings/recycle/messages").asInt()).isEqualTo(10);
    assertThat(asked.get(QUEUE + "/messages/0").body()).contains("order 0");
    publish(20);
    asked.post(QUEUE + "/subscribers/billing/deliveries?max=20", "");
    await().until(() -> stat("backups") >= 3);
  }

  @Test
  void shouldKeepTheBackupOfAQueueThatIsRemovedAndMadeAgain() throws Exception {
    asked.put(QUEUE, BACKED_UP);
    asked.put(QUEUE + "/subscribers/billing", "{\"ack\":false}");
    publish(20);
    asked.post(QUEUE + "/subscribers/billing/deliveries?max=20", "");
    await().until(() -> stat("backups") >= 1);
    long kept = filesOfBackups();

    assertThat(asked.delete(QUEUE + "?force=true").status()).isEqualTo(204);
    assertThat(filesOfBackups()).isGreaterThanOrEqualTo(kept);
    assertThat(asked.put(QUEUE, BACKED_UP).status()).isEqualTo(201);
    assertThat(asked.get(QUEUE + "/messages/0").status()).isEqualTo(404);
    assertThat(stat("backups")).isZero();
  }

  @Test
  void shouldNameTheSettingThatIsWrong() {
    assertField("{\"recycle\":{}}", "recycle");
    assertField("{\"recycle\":{\"messages\":0}}", "recycle.messages");
    assertField("{\"recycle\":{\"bytes\":-1}}", "recycle.bytes");
    assertField("{\"recycle\":{\"age\":\"0s\"}}", "recycle.age");
    assertField("{\"recycle\":{\"age\":\"soon\"}}", "recycle.age");
    assertField("{\"recycle\":{\"class\":\"java.net.URL\"}}", "recycle.class");
    assertField("{\"backup\":{}}", "backup.retention");
    assertField("{\"backup\":{\"retention\":\"soon\"}}", "backup.retention");
    assertField("{\"backup\":{\"retention\":\"1d\",\"full\":\"PERHAPS\"}}", "backup.full");
    assertThat(asked.get("/v1/queues").json().get("queues")).isEmpty();
  }

  /** Only the server says where on its disk something is kept. */
  @Test
  void shouldTakeNoDirectoryFromARequest() {
    for (String name : new String[] {"directory", "path", "base"}) {
      assertField(
          "{\"backup\":{\"retention\":\"1d\",\"%s\":\"/tmp\"}}".formatted(name), "backup." + name);
    }
    assertField("{\"backup\":\"/tmp\"}", "backup");
    assertField("{\"backupDirectory\":\"/tmp\"}", "backupDirectory");
    assertThat(asked.put("/v1/queues/..%2F..%2Forders", BACKED_UP).status()).isEqualTo(400);
    assertThat(directory.resolve("backups")).doesNotExist();
  }

  private void assertField(String settings, String field) {
    Asked.Reply reply = asked.put(QUEUE, settings);
    assertThat(reply.status()).as(reply.body()).isEqualTo(400);
    assertThat(reply.field()).as(reply.body()).isEqualTo(field);
    assertThat(reply.body()).doesNotContain("com.wookler", "java.", directory.toString());
  }

  @Test
  void shouldSayThatTheServerKeepsNoBackups() {
    stop();
    start(server -> server);

    assertField(BACKED_UP, "backup");
    assertThat(asked.put(QUEUE, BACKED_UP).body()).contains("server.backup.directory");
    assertThat(asked.get(QUEUE).status()).isEqualTo(404);
  }

  @Test
  void shouldNotStartWithoutTheDirectoryInWhichBackupsAre() {
    asked.put(QUEUE, BACKED_UP);
    stop();

    assertThatThrownBy(() -> start(server -> server))
        .isInstanceOf(RiverException.class)
        .hasMessageContainingAll("orders", "backup", "server.backup.directory");
    startWithBackups();
    assertThat(asked.get(QUEUE).status()).isEqualTo(200);
  }

  /** Else a queue could be called as the directory in which the others' backups are. */
  @Test
  void shouldKeepBackupsApartFromQueues() {
    for (String base : new String[] {"queues", "queues/backups", ".", "other/../queues/."}) {
      RiverServer.Builder builder =
          RiverServer.builder()
              .port(0)
              .directory(directory.resolve("queues"))
              .backupDirectory(directory.resolve(base));
      assertThatThrownBy(builder::start)
          .as(base)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("backups");
    }
  }
}
