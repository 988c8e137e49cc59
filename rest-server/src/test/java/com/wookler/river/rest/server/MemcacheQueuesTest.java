package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queues and subscribers behind what Kestrel's clients see. */
@Timeout(120)
class MemcacheQueuesTest extends MemcacheFixture {
  private Asked http() {
    return new Asked(server);
  }

  private RiverServer open(String queues) throws IOException {
    Path file = directory.resolve("river.xml");
    Files.writeString(file, queues(directory, queues));
    return RiverServer.open(file);
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

  @ParameterizedTest
  @ValueSource(strings = {"open", "close", "abort", "peek", "noreply"})
  void shouldServeAQueueWhoseNameIsAWordOfTheProtocol(String name) throws IOException {
    Client client = client();
    assertThat(client.set(name, "one")).isEqualTo("STORED");
    assertThat(client.get(name + "/peek")).isEqualTo("one");
    assertThat(client.get(name)).isEqualTo("one");
    assertThat(client.get(name)).isNull();
    client.set(name, "two");
    assertThat(client.get(name + "/open")).isEqualTo("two");
    assertThat(client.ask("get " + name + "/abort")).isEqualTo("END");
    assertThat(client.ask("flush " + name)).isEqualTo("END");
    assertThat(client.get(name)).isNull();
    assertThat(client.ask("delete " + name)).isEqualTo("DELETED");
  }

  @Test
  void shouldMoveWhatHasExpiredWhenItIsSetToTheExpiryQueue() throws IOException {
    String late = "<param name=\"subscriber.expiry.queue\" value=\"late\"/>";
    try (RiverServer other =
        open(
            "<defaults queue=\"jobs\" subscriber=\"*\"><params>"
                + late
                + "</params></defaults>"
                + queue("jobs", "")
                + queue("late", ""))) {
      Client client = client(other);
      assertThat(client.get("jobs")).isNull();
      assertThat(client.ask("set jobs 0 -1 1\r\na")).isEqualTo("STORED");
      assertThat(client.ask("set jobs 0 1000001 1\r\nb")).isEqualTo("STORED"); // in 1970
      assertThat(client.get("jobs")).isNull();
      assertThat(client.get("late/t=60000")).isEqualTo("a");
      assertThat(client.get("late/t=60000")).isEqualTo("b");
    }
  }

  @Test
  void shouldRefuseWhatHasExpiredAsAnyOtherMessage() throws IOException {
    client().ask("status ReadOnly");
    assertRefused("set jobs 0 -1 1\r\nx", "set jobs 0 1000001 1\r\nx");
  }

  @ParameterizedTest
  @ValueSource(strings = {"flush jobs", "flush_all", "delete jobs"})
  void shouldFlushAQueueThatNoClientHasRead(String command) throws IOException {
    http().put("/v1/queues/jobs", "");
    http().post("/v1/queues/jobs/messages", "before");
    Client client = client();
    client.ask(command);
    assertThat(client.set("jobs", "after")).isEqualTo("STORED");
    assertThat(client.get("jobs")).isEqualTo("after");
    assertThat(client.get("jobs")).isNull();
  }

  @Test
  void shouldCreateNoReaderWhereOnlyOthersRead() throws IOException {
    http().put("/v1/queues/jobs", "");
    http().put("/v1/queues/jobs/subscribers/audit", "");
    Client client = client();
    assertThat(client.ask("flush_all")).isEqualTo("Flushed all queues.");
    assertThat(client.get("jobs+log")).isNull();
    assertThat(http().get("/v1/queues/jobs/subscribers/kestrel").status()).isEqualTo(404);
  }

  @Test
  void shouldKeepForAQueueWhatOnlyItsChildHasRead() throws IOException {
    http().put("/v1/queues/jobs", "");
    Client client = client();
    assertThat(client.get("jobs+audit")).isNull();
    assertThat(http().get("/v1/queues/jobs/subscribers/kestrel").status()).isEqualTo(200);
    client.set("jobs", "one");
    assertThat(client.get("jobs+audit")).isEqualTo("one");
    assertThat(client.get("jobs")).isEqualTo("one");
  }

  @Test
  void shouldKeepForAChildWhatItHasNotReadOfADeletedQueue() throws IOException {
    Client client = client();
    assertThat(client.get("jobs+audit")).isNull();
    client.set("jobs", "one");
    assertThat(client.ask("delete jobs")).isEqualTo("DELETED");
    assertThat(client.get("jobs")).isNull();
    client.set("jobs", "two");
    assertThat(client.get("jobs")).isEqualTo("two");
    assertThat(client.get("jobs+audit")).isEqualTo("one");
    assertThat(client.get("jobs+audit")).isEqualTo("two");
    assertThat(client.ask("delete jobs+audit")).isEqualTo("DELETED");
    assertThat(client.ask("delete jobs")).isEqualTo("DELETED");
    assertThat(http().get("/v1/queues/jobs").status()).isEqualTo(404);
  }

  @Test
  void shouldEmptyAQueueOfTheFileThatIsDeleted() throws IOException {
    try (RiverServer other = open(queue("jobs", ""))) {
      Client client = client(other);
      client.set("jobs", "one");
      assertThat(client.ask("delete jobs")).isEqualTo("DELETED");
      client.set("jobs", "two");
      assertThat(client.get("jobs")).isEqualTo("two");
      assertThat(client.get("jobs")).isNull();
      client.set("jobs", "three");
      assertThat(client.ask("delete jobs")).isEqualTo("DELETED");
      assertThat(client.get("jobs")).isNull();
    }
  }

  @Test
  void shouldFindNothingInAnAlias() throws IOException {
    String alias =
        "<param name=\"queue.forward\" value=\"a b\"/>"
            + "<param name=\"queue.fanout.only\" value=\"true\"/>";
    try (RiverServer other = open(queue("a", "") + queue("b", "") + queue("all", alias))) {
      Client client = client(other);
      assertThat(client.set("all", "x")).isEqualTo("STORED");
      for (String key : List.of("all", "all/open", "all/peek", "all/t=1", "all+audit")) {
        assertThat(client.get(key)).as(key).isNull();
      }
      assertThat(client.ask("monitor all 60")).isEqualTo("END");
      assertThat(client.get("b/t=60000")).isEqualTo("x");
      assertThat(client.ask("flush all")).isEqualTo("END");
      assertThat(client.ask("delete all")).isEqualTo("DELETED");
      assertThat(client.ask("flush_all")).isEqualTo("Flushed all queues.");
      assertThat(client.set("all", "y")).isEqualTo("STORED");
      assertThat(client.get("b/t=60000")).isEqualTo("y");
    }
  }

  @Test
  void shouldNotStoreWhereNoQueueMayBeCreated() throws IOException {
    server.close();
    server = builder().autoCreate(false).start();
    Client client = client();
    assertThat(client.set("jobs", "one")).isEqualTo("NOT_STORED");
    assertThat(client.get("jobs")).isNull();
    assertThat(client.get("jobs/peek")).isNull();
  }

  @Test
  @SuppressWarnings("try") // closes the queue before its end
  void shouldNeitherStoreNorFindAnythingInAClosedQueue() throws IOException {
    server.close();
    MessageConverter<byte[]> bytes = MessageConverter.bytes();
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder("jobs", bytes).directory(directory.resolve("own")).open()) {
      server = builder().queue(queue, bytes).start();
      Client client = client();
      assertThat(client.get("jobs")).isNull();
      queue.close();
      assertThat(client.set("jobs", "one")).isEqualTo("NOT_STORED");
      for (String key : List.of("jobs", "jobs/open", "jobs/peek", "jobs/t=1", "jobs+audit")) {
        assertThat(client.ask("get " + key)).as(key).isEqualTo("END");
      }
      assertThat(client.ask("flush jobs")).isEqualTo("END");
      assertThat(client.set("other", "one")).isEqualTo("STORED");
      assertThat(figure(client, "queue_other_items")).isEqualTo("1");
      assertThat(client.ask("flush_all")).isEqualTo("Flushed all queues.");
      assertThat(client.get("other")).isNull();
      assertThat(client.ask("status ReadOnly")).isEqualTo("END");
      assertThat(client.ask("status")).isEqualTo("READONLY");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cache:jobs", ":jobs", "-jobs", "jobs@host|x", "\u00e9", "%_2e", "t=1"})
  void shouldServeQueuesWithAnyNameThatKestrelAllows(String name) throws IOException {
    Client client = client();
    assertThat(client.get(name + "+a:b")).isNull();
    assertThat(client.set(name, "one")).isEqualTo("STORED");
    assertThat(client.get(name)).isEqualTo("one");
    assertThat(client.get(name + "+a:b")).isEqualTo("one");
    assertThat(client.ask("dump_stats " + name)).isEqualTo("queue '" + name + "' {");
    List<String> lines = new ArrayList<>();
    for (String line = client.line(); !line.equals("END"); line = client.line()) {
      lines.add(line);
    }
    assertThat(lines).contains("  children=" + name + "+a:b");
  }

  @Test
  void shouldRefuseANameThatIsTooLongAndGoOn() throws IOException {
    Client client = client();
    String longest = "x".repeat(64);
    assertThat(client.set(longest, "one")).isEqualTo("STORED");
    assertThat(client.set(longest + "x", "one")).isEqualTo("CLIENT_ERROR");
    assertThat(client.ask("get " + longest + "x")).isEqualTo("CLIENT_ERROR");
    assertThat(client.ask("get x/t=1/peek")).isEqualTo("END");
    assertThat(client.ask("get x+" + longest + "x")).isEqualTo("CLIENT_ERROR");
    assertThat(client.set(":".repeat(22), "one")).isEqualTo("CLIENT_ERROR"); // 3 for each
    assertThat(client.get(longest)).isEqualTo("one");
  }

  @Test
  void shouldCountTheReadsThatWaitForAQueue() throws IOException {
    Client client = client();
    for (String key : List.of("jobs", "jobs", "jobs+audit", "other")) {
      client().send("get " + key + "/t=60000\r\n");
    }
    await().until(() -> server.waiting() == 4);
    assertThat(figure(client, "queue_jobs_waiters")).isEqualTo("2");
    assertThat(figure(client, "queue_jobs+audit_waiters")).isEqualTo("1");
    assertThat(figure(client, "queue_other_waiters")).isEqualTo("1");
  }

  /** Returns a figure of the server; null if it has none of this name. */
  private static String figure(Client client, String name) throws IOException {
    String value = null;
    for (String line = client.ask("stats"); !line.equals("END"); line = client.line()) {
      if (line.startsWith("STAT " + name + " ")) {
        value = line.substring(line.lastIndexOf(' ') + 1);
      }
    }
    return value;
  }

  @Test
  void shouldKnowTheChildrenOfQueuesOfTheFile() throws IOException {
    try (RiverServer other = open(queue("jobs", ""))) {
      Client client = client(other);
      assertThat(client.get("jobs")).isNull();
      assertThat(client.get("jobs+audit")).isNull();
      client.set("jobs", "one");
      assertThat(figure(client, "queue_jobs+audit_items")).isEqualTo("1");
      assertThat(figure(client, "queue_jobs_children")).isEqualTo("jobs+audit");
      assertThat(client.ask("flush_all")).isEqualTo("Flushed all queues.");
      assertThat(client.get("jobs+audit")).isNull();
    }
  }

  @Test
  void shouldCountWhatKestrelCounts() throws IOException {
    server.close();
    server = builder().maxBodyBytes(1_000).start();
    Client client = client();
    assertThat(client.get("jobs/peek")).isNull();
    client.set("jobs", "x".repeat(1_001));
    client.set("jobs", "one");
    assertThat(client.get("jobs/peek")).isEqualTo("one");
    assertThat(client.get("jobs/peek/t=10")).isEqualTo("one");
    assertThat(client.get("jobs")).isEqualTo("one");
    assertThat(client.ask("delete jobs+audit")).isEqualTo("DELETED");
    assertThat(client.ask("delete jobs")).isEqualTo("DELETED");
    assertThat(client.ask("delete jobs")).isEqualTo("DELETED");
    assertThat(figure(client, "total_items")).isEqualTo("1");
    assertThat(figure(client, "cmd_set")).isEqualTo("2");
    assertThat(figure(client, "cmd_get")).isEqualTo("1");
    assertThat(figure(client, "cmd_peek")).isEqualTo("3");
    assertThat(figure(client, "get_hits")).isEqualTo("3");
    assertThat(figure(client, "get_misses")).isEqualTo("1");
    assertThat(figure(client, "queue_deletes")).isEqualTo("1");
  }

  @Test
  void shouldLeaveNoWaitBehindOfAConnectionThatEndsBeforeItBegins() throws IOException {
    for (int i = 0; i < 30; i++) {
      Client client = client();
      client.send("get jobs" + i + "/t=600000\r\n");
      client.socket.close();
    }
    assertThat(client().get("last")).isNull(); // whose queue is created after all others
    await().until(() -> server.waiting() == 0);
  }

  @Test
  void shouldMonitorAnyNumberOfMessagesThatAreThere() throws IOException {
    int count = 10_000; // as many as may be in flight
    server.close();
    server = builder().memcacheMaxOpen(count).start();
    Client client = client();
    client.send("set jobs 0 0 1 noreply\r\nx\r\n".repeat(count));
    client.send("monitor jobs 60\r\n");
    for (int i = 0; i < count; i++) {
      assertThat(client.line()).isEqualTo("VALUE jobs 0 1");
      assertThat(client.data("1")).isEqualTo("x");
      assertThat(client.line()).isEqualTo("END");
    }
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.ask("confirm jobs " + count)).isEqualTo("END");
  }
}
