package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.rest.server.RiverServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What docs/client.md shows works as it stands there. */
@Timeout(120)
class ClientDocTest {
  private static final Path PAGE = Path.of("..", "docs", "client.md");

  @TempDir Path directory;

  private RiverServer server;
  private RiverClient client;
  private RemoteSubscriber billing;

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

  private interface Snippet {
    void run(RiverClient client, RemoteSubscriber billing) throws Exception;
  }

  /** Compiles the page's block of this number, with its own imports and nothing else. */
  private Snippet compiled(int number) throws Exception {
    String block = blocks("java").get(number);
    boolean whole = block.contains("class ");
    String name = whole ? block.replaceAll("(?s).* class (\\w+) .*", "$1") : "Snippet" + number;
    int body = block.lastIndexOf("\nimport ") < 0 ? 0 : block.indexOf("\n\n");
    String code =
        whole
            ? block.replace("http://127.0.0.1:8080", "http://127.0.0.1:" + server.port())
            : block.substring(0, body)
                + "\npublic class "
                + name
                + " {\n  public static void run("
                + RiverClient.class.getName()
                + " client, "
                + RemoteSubscriber.class.getName()
                + " billing) throws Exception {\n"
                + block.substring(body)
                + "  }\n}\n";
    Path source = Files.writeString(directory.resolve(name + ".java"), code);
    StringWriter messages = new StringWriter();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String classes =
        Path.of(RiverClient.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .toString();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of("-proc:none", "-cp", classes, "-d", directory.toString()),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      assertThat(done).as(code + messages).isTrue();
    }
    URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()});
    Class<?> type = loader.loadClass(name);
    return (client, billing) -> {
      try (loader) {
        if (whole) {
          type.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } else {
          type.getMethod("run", RiverClient.class, RemoteSubscriber.class)
              .invoke(null, client, billing);
        }
      }
    };
  }

  @Test
  void shouldCompileAndRunAllThatItShows() throws Exception {
    assertThat(blocks("java")).hasSize(4);
    for (int i = 0; i < 4; i++) {
      compiled(i);
    }
    compiled(0).run(client, billing);
    assertThat(billing.stats().acked()).isOne();

    compiled(1).run(client, billing);
    assertThat(client.queue("orders").info().stats().messages()).isEqualTo(1_005);

    compiled(2).run(client, billing);
    assertThat(billing.stats().acked()).isEqualTo(101);
    FutureTask<Void> streaming =
        new FutureTask<>(
            () -> {
              compiled(3).run(client, billing);
              return null;
            });
    Thread thread = new Thread(streaming);
    thread.setDaemon(true); // it reads for a minute, unless it ends
    thread.start();
    await().until(() -> billing.stats().acked() == 1_005);
    client.close();
    thread.join(TimeUnit.SECONDS.toMillis(60));
    assertThat(streaming).isDone();
  }

  /** The versions that it names are those of this build. */
  @Test
  void shouldShowAPomOfThisVersion() throws Exception {
    String pom = blocks("xml").get(0);
    String own = Files.readString(Path.of("pom.xml"));
    for (String element : List.of("groupId", "version")) {
      Matcher ours =
          Pattern.compile("<parent>.*?<" + element + ">(.*?)</", Pattern.DOTALL).matcher(own);
      assertThat(ours.find()).isTrue();
      assertThat(pom).contains("<" + element + ">" + ours.group(1) + "</");
    }
    assertThat(own).contains("<artifactId>river-rest-client</artifactId>");
    assertThat(pom).contains("<artifactId>river-rest-client</artifactId>");
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(pom.getBytes(StandardCharsets.UTF_8)));
  }

  private Process python(Path out, String address) throws Exception {
    assumeTrue(hasPython(), "there is no python3");
    List<String> scripts = blocks("python");
    assertThat(scripts).hasSize(1);
    assertThat(scripts.get(0).lines().filter(line -> !line.isBlank()).count())
        .isLessThanOrEqualTo(25);
    Path script = Files.writeString(directory.resolve("consumer.py"), scripts.get(0));
    ProcessBuilder builder =
        new ProcessBuilder("python3", script.toString(), address)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().put("PYTHONIOENCODING", "utf-8");
    return builder.start();
  }

  private static void awaitLines(Path out, String lines) {
    await()
        .untilAsserted(
            () -> assertThat(Files.readString(out, StandardCharsets.UTF_8)).isEqualTo(lines));
  }

  @Test
  void shouldConsumeInPython() throws Exception {
    Path out = directory.resolve("out");
    client.queue("orders").publish(NewMessage.text("zwölf").withKey("eu"));
    client.queue("orders").publish("13");
    client.queue("orders").publish(new byte[] {(byte) 0xff, 0});
    Process python = python(out, "http://127.0.0.1:" + server.port());
    try {
      awaitLines(out, "0 eu zwölf\n1 None 13\n2 None b'\\xff\\x00'\n");
      await().until(() -> billing.stats().acked() == 3);
    } finally {
      python.destroyForcibly().waitFor();
    }
  }

  @Test
  void shouldGoOnInPythonWhileTheServerIsAway() throws Exception {
    Path out = directory.resolve("out");
    String taken =
        "[{\"receipt\":\"r\",\"sequence\":7,\"attempt\":1,\"headers\":{},"
            + "\"publishedAt\":\"2026-11-20T10:00:00Z\",\"data\":\"a\"}]";
    try (ScriptedServer scripted = new ScriptedServer(ScriptedServer.silence())) {
      scripted.then(
          ScriptedServer.problem(503, "unavailable", "Retry-After", "0"),
          ScriptedServer.reset(),
          ScriptedServer.answer(200, taken),
          ScriptedServer.problem(429, "too-many-requests", "Retry-After", "0"),
          ScriptedServer.answer(200, "{\"results\":[]}"),
          ScriptedServer.problem(401, "unauthorized"));
      Process python = python(out, scripted.address());
      try {
        assertThat(python.waitFor(60, TimeUnit.SECONDS)).isTrue();
      } finally {
        python.destroyForcibly().waitFor();
      }
      assertThat(Files.readString(out)).startsWith("7 None a\n").contains("401");
      assertThat(scripted.requests.stream().map(request -> request.path().replaceAll(".*/", "")))
          .containsExactly(
              "deliveries?create=true&max=100&wait=20s",
              "deliveries?create=true&max=100&wait=20s",
              "deliveries?create=true&max=100&wait=20s",
              "ack",
              "ack",
              "deliveries?create=true&max=100&wait=20s");
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
