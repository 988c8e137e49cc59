package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Snapshots that requests make, and that none makes anywhere else than the server allows. */
@Timeout(120)
class SnapshotRoutesTest {
  private static final String SNAPSHOTS = "/v1/queues/orders/snapshots";

  @TempDir Path directory;

  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() {
    server = builder().snapshotDirectory(snapshots()).start();
    asked = new Asked(server);
    for (int i = 0; i < 3; i++) {
      asked.post("/v1/queues/orders/messages", "m" + i);
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private RiverServer.Builder builder() {
    return RiverServer.builder().port(0).directory(directory.resolve("queues"));
  }

  private Path snapshots() {
    return directory.resolve("base/snapshots");
  }

  private Asked.Reply make(String name) {
    return asked.post(SNAPSHOTS, "{\"name\":\"" + name + "\"}");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.map(Path::toString)
          .filter(path -> !path.startsWith(directory.resolve("queues").toString()))
          .sorted()
          .toList();
    }
  }

  @Test
  void shouldMakeOneThatOpensAndRefuseItsNameFromThenOn() {
    Asked.Reply made = make("orders"); // the name of the queue is none of its own

    assertThat(made.status()).isEqualTo(201);
    assertThat(made.body())
        .matches(
            "\\{\"name\":\"orders\",\"firstSequence\":0,\"nextSequence\":3,"
                + "\"copiedBytes\":[1-9]\\d*}");
    asked.post("/v1/queues/orders/messages", "m3");
    asked.post("/v1/queues/prices/messages", "p0");
    Asked.Reply again = make("orders");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.problem()).isEqualTo("conflict");
    assertThat(again.body()).contains("choose another name").doesNotContain(directory.toString());
    assertThat(asked.post("/v1/queues/prices/snapshots", "{\"name\":\"orders\"}").status())
        .isEqualTo(201); // beside the other queue's
    try (MessageQueue<String> copy =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(snapshots().resolve("orders"))
            .open()) {
      assertThat(copy.stats().nextSequence()).isEqualTo(3);
      assertThat(copy.read(2).orElseThrow().data()).isEqualTo("m2");
    }
    assertThat(snapshots().resolve("orders/prices/queue.json")).exists();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "../up",
        "..\\\\up",
        "/tmp/x",
        "a/b",
        "a\\\\b",
        "a/../../b",
        "C:x",
        "-x",
        ".hidden",
        "a\\u0000b",
        "a b",
        "a\\nb",
        "%2e%2e",
        "..%2fup",
        "~",
        "$HOME",
        "\\u2024\\u2024",
        "\\uff0e\\uff0e\\uff0fup",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      })
  void shouldTakeNothingThatIsNoName(String name) throws IOException {
    List<String> before = files();

    Asked.Reply reply = make(name);

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.field()).isEqualTo("name");
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void shouldTakeNoOtherBody() throws IOException {
    List<String> before = files();
    for (String body :
        List.of(
            "",
            "{}",
            "{\"name\":null}",
            "{\"name\":[\"a\"]}",
            "{\"name\":{\"a\":1}}",
            "[\"a\"]",
            "{\"name\":\"a\",\"directory\":\"/tmp\"}",
            "\"a\"")) {
      assertThat(asked.post(SNAPSHOTS, body).status()).as(body).isEqualTo(400);
    }
    assertThat(asked.post(SNAPSHOTS + "?directory=/tmp", "{\"name\":\"a\"}").status())
        .isEqualTo(400);
    assertThat(asked.post("/v1/queues/none/snapshots", "{\"name\":\"a\"}").status()).isEqualTo(404);
    assertThat(asked.post("/v1/queues/..%2f..%2fx/snapshots", "{\"name\":\"a\"}").status())
        .isBetween(400, 404);
    assertThat(asked.get(SNAPSHOTS).status()).isEqualTo(405);
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void shouldReplaceNothingThatIsThere() throws IOException {
    Path there = Files.createDirectories(snapshots().resolve("full/orders"));
    Files.writeString(there.resolve("mine"), "kept");
    Path elsewhere = directory.resolve("elsewhere");
    Files.createSymbolicLink(
        Files.createDirectories(snapshots().resolve("link")).resolve("orders"), elsewhere);

    assertThat(make("full").status()).isEqualTo(409);
    assertThat(make("link").status()).isEqualTo(409);

    assertThat(there.resolve("mine")).hasContent("kept");
    assertThat(elsewhere).doesNotExist();
  }

  @Test
  void shouldMakeNoneWithoutADirectoryForThem() {
    server.close();
    server = builder().start();
    asked = new Asked(server);

    Asked.Reply reply = make("a");

    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.body()).contains("server.snapshot.directory is not set");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"queues", "queues/snapshots", "", "backups", "backups/x", "queues/../queues"})
  void shouldRefuseADirectoryThatMeetsAnother(String path) {
    RiverServer.Builder refused =
        builder()
            .backupDirectory(directory.resolve("backups"))
            .snapshotDirectory(directory.resolve(path));

    assertThatThrownBy(refused::start)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("the directory of snapshots");
  }

  /** Returns a new directory on another volume than that of the test. */
  private Path elsewhere() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(memory), "SKIPPED: there is no second volume");
    assumeFalse(DurableFiles.onOneVolume(memory, directory), "SKIPPED: one volume");
    return Files.createTempDirectory(memory, "river-snapshots");
  }

  @Test
  void shouldRefuseADirectoryOnAnotherVolume() throws IOException {
    Path other = elsewhere();
    try {
      RiverServer.Builder refused = builder().snapshotDirectory(other.resolve("snapshots"));

      assertThatThrownBy(refused::start)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContainingAll(
              "server.snapshot.directory",
              "--snapshots",
              other.resolve("snapshots").toString(),
              directory.resolve("queues").toString());
      assertThat(other).isEmptyDirectory();
    } finally {
      DirectoryCopy.delete(other);
    }
  }

  @Test
  void shouldRefuseAQueueOnAnotherVolume() throws IOException {
    Path other = elsewhere();
    server.close();
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(other).open()) {
      server =
          RiverServer.builder()
              .port(0)
              .directory(directory.resolve("none"))
              .snapshotDirectory(snapshots())
              .queue(queue, MessageConverter.utf8())
              .start();
      asked = new Asked(server);

      Asked.Reply reply = make("a");

      assertThat(reply.status()).isEqualTo(409);
      assertThat(reply.body()).contains("another volume").doesNotContain(directory.toString());
      assertThat(snapshots()).isEmptyDirectory();
      server.close();
    } finally {
      DirectoryCopy.delete(other);
    }
  }

  @Test
  void shouldMakeNoneInTheDirectoryOfAQueueOfTheApplication() throws IOException {
    Path base = directory.resolve("application");
    server.close();
    try (MessageQueue<String> queue =
            MessageQueue.builder("a", MessageConverter.utf8()).directory(base).open();
        RiverServer both = builder().snapshotDirectory(base).start()) {
      server = both;
      asked = new Asked(server);

      Asked.Reply reply = make("a");

      assertThat(reply.status()).isEqualTo(409);
      assertThat(reply.body()).contains("in the directory of a queue");
      assertThat(base.resolve("a/orders")).doesNotExist();
      assertThat(queue.publisher().publish("works")).isZero();
    }
  }

  @Test
  void shouldAuditWhoMadeOne() {
    Logger logger = (Logger) LoggerFactory.getLogger("river.audit");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    try {
      make("nightly");
      make("../x");
      await().until(() -> List.copyOf(lines.list).size() == 2);
      assertThat(lines.list.get(0).getFormattedMessage())
          .contains("method=POST", SNAPSHOTS, "nightly", "status=201");
      assertThat(lines.list.get(1).getFormattedMessage()).contains("../x", "status=400");
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(null);
    }
  }
}
