package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.rest.server.hosting.ServerLimits;
import com.wookler.river.testing.GeneratedOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The element {@code <server>}, and the page that describes it. */
@Timeout(120)
class ServerXmlTest {
  @TempDir Path directory;

  private Path file(String server, String queues) throws IOException {
    return Files.writeString(
        directory.resolve("river.xml"), "<river>" + server + queues + "</river>");
  }

  private static String server(String... params) {
    StringBuilder xml = new StringBuilder("<server><params>");
    for (int i = 0; i < params.length; i += 2) {
      xml.append("<param name='").append(params[i]).append("' value='").append(params[i + 1]);
      xml.append("'/>");
    }
    return xml.append("</params></server>").toString();
  }

  private String queue(String name) {
    return "<queue name='"
        + name
        + "'><params>"
        + "<param name='queue.message.converter' value='"
        + Words.class.getName()
        + "'/>"
        + "<param name='queue.directory' value='"
        + directory.resolve("own")
        + "'/>"
        + "</params></queue>";
  }

  @Test
  void shouldOfferTheQueuesOfTheFile() throws IOException {
    Path file =
        file(
            server(
                "server.queue.port", "0",
                "server.directory", directory.resolve("made").toString(),
                "server.backup.directory", directory.resolve("backups").toString(),
                "server.auto.create", "false",
                "server.max.body.bytes", "1KB",
                "server.records.compress", "true"),
            queue("words") + queue("more"));
    try (RiverServer server = RiverServer.open(file)) {
      Asked asked = new Asked(server);
      assertThat(asked.get("/v1/queues").json().get("queues")).hasSize(2);
      assertThat(asked.post("/v1/queues/words/messages", "word").status()).isEqualTo(201);
      assertThat(asked.post("/v1/queues/words/messages", "two words").status()).isEqualTo(400);
      assertThat(asked.post("/v1/queues/none/messages", "word").status()).isEqualTo(404);
      assertThat(asked.put("/v1/queues/kept", "{\"backup\":{\"retention\":\"0s\"}}").status())
          .isEqualTo(201);
      assertThat(asked.post("/v1/queues/words/messages", "w".repeat(1_025)).status())
          .isEqualTo(413);
      assertThat(asked.delete("/v1/queues/words?force=true").status()).isEqualTo(409);
    }
    try (RiverServer again = RiverServer.open(file)) { // the first has closed its queues
      assertThat(new Asked(again).get("/v1/queues/words/messages/0").body()).contains("word");
    }
  }

  @Test
  void shouldShowTheSettingsOfTheFile() throws IOException {
    String server =
        server("server.queue.port", "0", "server.directory", directory.resolve("made").toString());
    try (RiverServer running = RiverServer.open(file(server, limited(500)))) {
      Asked asked = new Asked(running);
      Asked.Reply shown = asked.get("/v1/queues/words");
      assertThat(shown.json().get("settings").toString()).isEqualTo("{\"maxMessages\":500}");
      assertThat(shown.json().get("settingsFrom").asText()).isEqualTo("FILE");
      assertThat(shown.header("ETag")).isEmpty();
      assertThat(asked.send("PATCH", "/v1/queues/words", "{\"maxMessages\":1}").status())
          .isEqualTo(409);
      Path unused = file(server, limited(600));
      assertThat(asked.post("/v1/reload", "").status()).isEqualTo(200);
      assertThat(asked.get("/v1/queues/words").json().at("/settings/maxMessages").asInt())
          .isEqualTo(600);
      Asked.Reply made = asked.put("/v1/queues/made", "");
      assertThat(made.json().get("settingsFrom").asText()).isEqualTo("REQUEST");
    }
  }

  private String limited(int messages) {
    return queue("words")
        .replace(
            "</params>", "<param name='queue.max.messages' value='" + messages + "'/></params>");
  }

  @Test
  void shouldNeedNoQueue() throws IOException {
    Path file =
        file(server("server.queue.port", "0", "server.directory", directory.toString()), "");
    try (RiverServer server = RiverServer.open(file)) {
      assertThat(new Asked(server).get("/v1/queues").json().get("queues")).isEmpty();
    }
  }

  @Test
  void shouldReadTheFileAgain() throws IOException {
    String server =
        server("server.queue.port", "0", "server.directory", directory.resolve("made").toString());
    try (RiverServer running = RiverServer.open(file(server, queue("words")))) {
      Asked asked = new Asked(running);
      String limited =
          queue("words")
              .replace("</params>", "<param name='queue.max.messages' value='1'/></params>");
      Path unused = file(server, limited + queue("more"));

      Asked.Reply reply = asked.post("/v1/reload", "");

      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
      assertThat(reply.json().at("/changed/0").asText()).contains("queue.max.messages is 1");
      assertThat(reply.json().at("/added/0").asText()).isEqualTo("queue more");
      assertThat(asked.post("/v1/queues/more/messages", "word").status()).isEqualTo(201);
      assertThat(asked.post("/v1/queues/words/messages", "word").status()).isEqualTo(201);
      assertThat(asked.post("/v1/queues/words/messages", "word").status()).isEqualTo(429);
      asked.put("/v1/queues/made", "");
      unused = file(server, queue("words") + queue("more") + queue("made"));
      Asked.Reply refused = asked.post("/v1/reload", "");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.body()).contains("made");
      unused = file(server, queue("words") + "<queue/>");
      assertThat(asked.post("/v1/reload", "").status()).isEqualTo(409);
      assertThat(asked.post("/v1/queues/words/messages", "word").status()).isEqualTo(429);
    }
    try (RiverServer without = RiverServer.open(file(server, ""))) {
      assertThat(new Asked(without).post("/v1/reload", "").status()).isEqualTo(409);
    }
  }

  @Test
  void shouldCheckTheServersOwnSettingsWhenItReadsTheFileAgain() throws IOException {
    String[] params = {
      "server.queue.port", "0", "server.directory", directory.resolve("made").toString()
    };
    try (RiverServer running = RiverServer.open(file(server(params), limited(500)))) {
      Asked asked = new Asked(running);
      String own = server(params);
      for (String wrong :
          List.of(
              own.replace("queue.port' value='0'", "bogus' value='0'"),
              own.replace("value='0'", "value='70000'"),
              own.replace("value='0'", "value='many'"),
              own.replace("</params>", "</params><memcache port='x'/>"),
              own.replace("</params>", "</params><memcache port='70000'/>"),
              own.replace("</params>", "</params><memcache port='1' host='h'/>"),
              own.replace("value='0'", "value='1'")
                  .replace("</params>", "</params><memcache port='1'/>"),
              own + own)) {
        Path unused = file(wrong, limited(600));
        Asked.Reply refused = asked.post("/v1/reload", "");
        assertThat(refused.status()).as(wrong).isEqualTo(409);
        assertThat(refused.json().get("detail").asText()).contains("river.xml:1");
        assertThat(asked.get("/v1/queues/words").json().at("/settings/maxMessages").asInt())
            .isEqualTo(500);
      }
      String changed =
          own.replace(
              "</params>",
              "<param name='server.max.requests' value='7'/></params><memcache port='0'/>");
      Path unused = file(changed, limited(600));
      Asked.Reply reply = asked.post("/v1/reload", "");
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
      assertThat(reply.json().get("changed")).hasSize(1);
      assertThat(reply.json().get("needsReopening"))
          .extracting(each -> each.asText())
          .containsExactlyInAnyOrder(
              "server: server.max.requests is 1000, not 7", "server: memcache.port is none, not 0");
    }
  }

  @Test
  void shouldNotShowAPasswordThatChanges() throws Exception {
    Path store = new Certificates(directory).store("first");
    String own =
        server(
            "server.queue.port",
            "0",
            "server.directory",
            directory.resolve("made").toString(),
            "server.ssl.keystore",
            store.toString(),
            "server.ssl.password",
            Certificates.PASSWORD);
    try (RiverServer running = RiverServer.open(file(own, queue("words")))) {
      Path unused = file(own.replace(Certificates.PASSWORD, "another"), queue("words"));
      assertThat(running.reload().needsReopening())
          .containsExactly("server: server.ssl.password is another one");
    }
  }

  @Test
  void shouldGiveDefaultsToWhatRequestsMake() throws IOException {
    String server =
        server("server.queue.port", "0", "server.directory", directory.resolve("made").toString());
    String defaults =
        """
        <defaults queue='small-*'><params>
        <param name='queue.max.messages' value='1'/></params></defaults>
        <defaults subscriber='*'><params>
        <param name='subscriber.max.deliveries' value='7'/></params></defaults>
        """;
    try (RiverServer running = RiverServer.open(file(server, defaults))) {
      Asked asked = new Asked(running);
      for (int status : new int[] {201, 429}) {
        assertThat(asked.post("/v1/queues/small-1/messages", "word").status()).isEqualTo(status);
        assertThat(asked.post("/v1/queues/other/messages", "word").status()).isEqualTo(201);
      }
      assertThat(asked.put("/v1/queues/small-1", "").status()).isEqualTo(200);
      for (int status : new int[] {201, 200}) {
        Asked.Reply made = asked.put("/v1/queues/other/subscribers/billing", "");
        assertThat(made.status()).isEqualTo(status);
        assertThat(made.json().at("/settings/maxDeliveries").asInt()).isEqualTo(7);
      }
    }
  }

  @Test
  void shouldNameFileLineAndParameterOfAMistake() throws IOException {
    assertRefused(server("server.queue.prot", "1"), "river.xml:1", "server.queue.port");
    assertRefused(server("server.queue.port", "many"), "server.queue.port", "many");
    assertRefused(server("server.queue.port", "70000"), "river.xml:1", "70000");
    assertRefused(server("server.max.requests", "0"), "river.xml:1", "1 or more");
    assertRefused(server("server.ssl.key", "key.pem"), "server.ssl.certificate");
    assertRefused(server("server.ssl.keystore", "s.p12"), "server.ssl.password");
    assertRefused(
        server("server.backup.directory", "river-data/backups"), "river.xml:1", "backups");
    assertRefused(server() + server(), "there is one <server> already");
    assertRefused(
        server("server.queue.port", "18142", "server.health.port", "18142"),
        "river.xml:1",
        "server.queue.port",
        "server.health.port");
    assertRefused(
        server("server.queue.port", "18142")
            .replace("</params>", "</params><memcache port='18142'/>"),
        "server.queue.port",
        "memcache.port");
    assertRefused(server("server.host", ""), "river.xml:1", "server.host", "empty");
    assertRefused(server("server.directory", ""), "river.xml:1", "server.directory");
    assertRefused(server("server.allowed.hosts", "*"), "river.xml:1", "'*'");
    assertRefused("<server><queue/></server>", "queue");
    assertRefused(
        server("server.host", "0.0.0.0"),
        "server.keys.file",
        "server.ssl.certificate",
        "server.insecure");
    assertThat(directory.resolve("own/words/LOCK")).satisfies(lock -> assertThat(open()).isTrue());
  }

  private void assertRefused(String server, String... says) throws IOException {
    Path file = file(server, queue("words"));
    assertThatThrownBy(() -> RiverServer.open(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll(says);
  }

  /** Whether nothing holds the queue any more. */
  private boolean open() {
    try (RiverServer server =
        RiverServer.open(file(server("server.queue.port", "0"), queue("words")))) {
      return server.port() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<List<String>> rows(String heading) throws IOException {
    String doc = Files.readString(Path.of("..", "docs", "configuration.md"));
    String section = doc.substring(doc.indexOf(heading));
    return section
        .substring(section.indexOf("| element"))
        .lines()
        .takeWhile(line -> line.startsWith("|"))
        .skip(2)
        .filter(line -> line.startsWith("| server |"))
        .map(line -> Arrays.stream(line.substring(1).split("\\|")).map(String::trim).toList())
        .toList();
  }

  private static Set<String> names(List<List<String>> rows) {
    return rows.stream()
        .map(row -> row.get(1).replace("`", ""))
        .filter(name -> !name.equals("–"))
        .collect(Collectors.toSet());
  }

  @Test
  void shouldBeDescribedAsItIs() throws IOException {
    List<List<String>> rows = rows("### The REST server");
    assertThat(names(rows))
        .containsExactlyInAnyOrderElementsOf(ServerOptions.TABLE.names("server"));
    assertThat(names(rows("## Accepted without effect")))
        .containsExactlyInAnyOrderElementsOf(ServerOptions.TABLE.namesWithoutEffect("server"));
    Set<String> documented = new HashSet<>();
    for (List<String> row : rows) {
      Pattern.compile("`(\\w+\\([^)`]*\\))`")
          .matcher(row.get(2))
          .results()
          .forEach(found -> documented.add(found.group(1)));
    }
    List<String> methods = new ArrayList<>();
    for (var method : RiverServer.Builder.class.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers()) && !method.getName().equals("start")) {
        methods.add(
            method.getName()
                + Arrays.stream(method.getParameterTypes())
                    .map(Class::getSimpleName)
                    .collect(Collectors.joining(", ", "(", ")")));
      }
    }
    assertThat(documented).containsExactlyInAnyOrderElementsOf(methods);
  }

  @Test
  void shouldHaveTheRowsOfTheCode() throws IOException {
    GeneratedOptions.holdRows(
        "is in [rest.md](rest.md).",
        "| server | – |",
        ServerOptions.TABLE.rows().stream().map(option -> option.documented()).toList());
  }

  @Test
  void shouldHaveDefaultsThatFit() {
    Settings defaults = ServerOptions.TABLE.defaults();
    ServerLimits limits = RiverServer.limits(defaults);

    assertThat(limits.bodyBytes()).isEqualTo(1 << 20);
    assertThat(limits.connections()).isEqualTo(20_000);
    assertThat(limits.requests()).isEqualTo(1_000);
    assertThat(limits.waiting()).isEqualTo(20_000);
    assertThat(limits.idle()).isEqualTo(Duration.ofMinutes(1));
    assertThat(limits.request()).isEqualTo(Duration.ofSeconds(30));
    defaults.check("server");
  }
}
