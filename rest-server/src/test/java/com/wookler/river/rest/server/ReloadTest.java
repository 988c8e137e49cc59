package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.hosting.KeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server process whose file is read again, by a signal and by a request. */
@Timeout(120)
class ReloadTest {
  private static final List<String> NONE = List.of();

  @TempDir Path directory;

  private Path xml;
  private ServerProcess server;
  private String admin;
  private String some;

  private void write(String queues) throws IOException {
    Files.writeString(
        xml,
        "<river><server><params><param name='server.keys.file' value='"
            + directory.resolve("keys.json")
            + "'/><param name='server.queue.port' value='0'/></params></server>"
            + "<defaults queue='*'><params><param name='queue.message.converter' value='"
            + Words.class.getName()
            + "'/><param name='queue.directory' value='"
            + directory.resolve("own")
            + "'/></params></defaults>"
            + queues
            + "</river>");
  }

  @BeforeEach
  void start() throws IOException {
    KeyFile file = new KeyFile(directory.resolve("keys.json"));
    admin = file.add("admin", NONE, NONE, List.of("*"), NONE).text();
    some = file.add("some", NONE, NONE, List.of("a*", "b*"), NONE).text();
    xml = directory.resolve("river.xml");
    write("<queue name='a'/>");
    server = new ServerProcess(directory, List.of(), "server", "--config", xml.toString());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Asked.Reply with(String key, String method, String path) {
    return new Asked(server.port()).send(method, path, "", "Authorization", "Bearer " + key);
  }

  @Test
  void shouldReadTheFileAgainAtASignal() throws Exception {
    write("<queue name='a'/><queue name='b'/>");
    server.hangUp();
    await()
        .untilAsserted(
            () -> assertThat(with(admin, "GET", "/v1/queues/b").status()).isEqualTo(200));
    write("<queue name='c'/><queue/>");
    server.hangUp();
    await().untilAsserted(() -> assertThat(server.errors()).contains("nothing has changed"));
    assertThat(with(admin, "GET", "/v1/queues/c").status()).isEqualTo(404);
    assertThat(with(admin, "GET", "/v1/queues/a").status()).isEqualTo(200);
    assertThat(server.terminate()).isEqualTo(143);
  }

  @Test
  void shouldNeedTheRightToEveryQueue() throws IOException {
    write("<queue name='a'/><queue name='b'/>");
    assertThat(with(some, "POST", "/v1/reload").status()).isEqualTo(403);
    assertThat(with(admin, "GET", "/v1/queues/b").status()).isEqualTo(404);
    assertThat(with(admin, "POST", "/v1/reload").status()).isEqualTo(200);
    assertThat(with(admin, "GET", "/v1/queues/b").status()).isEqualTo(200);
  }

  @Test
  void shouldNameANewQueueThatCannotBeOpened() throws IOException {
    Files.createDirectories(directory.resolve("own/b"));
    Files.writeString(directory.resolve("own/b/queue.json"), "{");
    write("<queue name='a'/><queue name='b'/>");
    Asked.Reply refused = with(admin, "POST", "/v1/reload");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().get("detail").asText()).contains("queue b");
    assertThat(with(admin, "GET", "/v1/queues/b").status()).isEqualTo(404);
    assertThat(with(admin, "GET", "/v1/queues/a").status()).isEqualTo(200);
  }
}
