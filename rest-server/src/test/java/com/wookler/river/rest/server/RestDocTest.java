package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.rest.server.http.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs what the pages tell to try, in their order, by curl as a reader would. */
@Timeout(120)
class RestDocTest {
  private static final Path DOC = Path.of("..", "docs", "rest.md");
  private static final Pattern RECEIPT = Pattern.compile("\"receipt\":\"([^\"]+)\"");

  @TempDir Path directory;

  private RiverServer server;
  private final List<String> receipts = new ArrayList<>();

  @BeforeEach
  void start() {
    server =
        RiverServer.builder()
            .port(0)
            .directory(directory.resolve("queues"))
            .backupDirectory(directory.resolve("backups"))
            .snapshotDirectory(directory.resolve("snapshots"))
            .start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static List<String> blocks(Path page, String language) throws IOException {
    return Pattern.compile("(?s)```" + language + "\n(.*?)```")
        .matcher(Files.readString(page))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  private static List<String> curls(Path page) throws IOException {
    List<String> all = new ArrayList<>();
    for (String block : blocks(page, "sh")) {
      for (String line : block.split("\n(?=curl )", -1)) {
        if (line.startsWith("curl ")) {
          all.add(line.trim());
        }
      }
    }
    return all;
  }

  /** Runs one, failing if the server refuses it, and keeps the receipts that it prints. */
  private String run(String curl) throws Exception {
    String line = curl.replace("127.0.0.1:8080", "127.0.0.1:" + server.port());
    while (line.contains("RECEIPT")) {
      line = line.replaceFirst("RECEIPT", Matcher.quoteReplacement(receipts.remove(0)));
    }
    Process process =
        new ProcessBuilder("sh", "-c", line.replaceFirst("curl", "curl -s --fail-with-body"))
            .redirectErrorStream(true)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    assertThat(code).as("%s%n%s", line, out).isIn(0, line.contains("--max-time") ? 28 : 0);
    RECEIPT.matcher(out).results().forEach(found -> receipts.add(found.group(1)));
    return out;
  }

  @Test
  void shouldRunAllLinesOfThePage() throws Exception {
    List<String> curls = curls(DOC);
    List<String> outputs = new ArrayList<>();
    for (String curl : curls) {
      String out = run(curl);
      outputs.add(out);
      if (curl.contains("RECEIPT")) {
        assertThat(out).contains("\"result\":\"ok\"");
      }
      if (curl.contains("/deliveries")) {
        assertThat(receipts).hasSize(4);
      }
      if (curl.contains("/audit/stream?")) {
        assertThat(out.lines().filter(line -> !line.isEmpty())).hasSize(4);
        receipts.clear();
      }
      if (curl.endsWith("/redrive")) {
        assertThat(out).isEqualTo("{\"redriven\":1}");
      }
    }
    assertThat(curls).hasSizeGreaterThan(25);
    assertThat(outputs.get(0)).isEqualTo(blocks(DOC, "json").get(0).trim());
    assertThat(outputs.get(2)).contains("\"duplicate\":true");
  }

  @Test
  void shouldRunTheLinesOfTheReadme() throws Exception {
    List<String> curls = curls(Path.of("..", "README.md"));
    assertThat(curls).hasSize(3);
    run(curls.get(0));
    assertThat(run(curls.get(1))).contains("order 1");
    assertThat(run(curls.get(2))).contains("\"result\":\"ok\"");
  }

  @Test
  void shouldShowAFileThatIsTakenAndTypesThatThereAre() throws Exception {
    Path file = Files.writeString(directory.resolve("river.xml"), blocks(DOC, "xml").get(0));
    ServerXml.read(ConfigParser.parse(file).children("server").get(0), RiverServer.builder());
    String page = Files.readString(DOC);
    for (Problem.Kind kind : Problem.Kind.values()) {
      assertThat(page).contains("`" + kind.text() + "`").contains(String.valueOf(kind.status()));
    }
  }

  @Test
  void shouldShowAnErrorAsTheServerSendsIt() throws Exception {
    String shown =
        blocks(DOC, "json").stream()
            .filter(block -> block.contains("urn:river:problem:"))
            .findFirst()
            .orElseThrow();
    Asked asked = new Asked(server);
    asked.put("/v1/queues/orders", "");
    String sent =
        asked.post("/v1/queues/orders/subscribers/billing/deliveries?wait=soon", "").body();

    assertThat(withoutId(shown.trim())).isEqualTo(withoutId(sent));
  }

  private static String withoutId(String problem) {
    return problem.replaceFirst("\"requestId\":\"[^\"]*\"", "");
  }
}
