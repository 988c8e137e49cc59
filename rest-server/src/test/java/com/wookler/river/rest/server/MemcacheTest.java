package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.rest.server.memcache.ReplyKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server as Kestrel's clients see it. */
@Timeout(120)
class MemcacheTest extends MemcacheFixture {
  @Test
  void shouldAnswerInOrderWhatItWasGiven() throws IOException {
    Client client = client();
    assertThat(client.get("jobs")).isNull();
    assertThat(client.set("jobs", "one")).isEqualTo("STORED");
    assertThat(client.set("jobs", "two\r\nEND\r\n")).isEqualTo("STORED");
    assertThat(client.get("jobs")).isEqualTo("one");
    assertThat(client.get("jobs")).isEqualTo("two\r\nEND\r\n");
    assertThat(client.get("jobs")).isNull();
  }

  @Test
  void shouldReturnFlags() throws IOException {
    Client client = client();
    assertThat(client.ask("set jobs 16 0 2 \r\nab")).isEqualTo("STORED");
    assertThat(client.ask("get jobs")).isEqualTo("VALUE jobs 16 2");
    assertThat(client.data("2")).isEqualTo("ab");
    assertThat(client.line()).isEqualTo("END");
  }

  @Test
  void shouldAnswerNothingWithNoreply() throws IOException {
    Client client = client();
    client.send("set jobs 0 0 3 noreply\r\none\r\n");
    assertThat(client.get("jobs")).isEqualTo("one");
    client.send("delete jobs noreply\r\n");
    assertThat(client.ask("version")).startsWith("VERSION ");
  }

  @Test
  void shouldConfirmOpenReads() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    client.set("jobs", "two");
    assertThat(client.get("jobs/open")).isEqualTo("one");
    assertThat(client.get("jobs/close/open")).isEqualTo("two");
    assertThat(client.ask("get jobs/close")).isEqualTo("END");
    client.socket.close();
    assertThat(client().get("jobs")).isNull();
  }

  @Test
  void shouldGiveBackWhatIsAborted() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    client.set("jobs", "two");
    assertThat(client.get("jobs/open")).isEqualTo("one");
    assertThat(client.ask("get jobs/abort")).isEqualTo("END");
    assertThat(client.get("jobs/open")).isEqualTo("one");
    assertThat(client.get("jobs/open")).isEqualTo("two");
  }

  @Test
  void shouldGiveBackWhatIsOpenWhenTheConnectionEnds() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    client.set("jobs", "two");
    assertThat(client.get("jobs/open")).isEqualTo("one");
    assertThat(client.get("jobs/open")).isEqualTo("two");
    client.socket.close();
    Client other = client();
    assertThat(other.get("jobs/t=10000")).isEqualTo("one");
    assertThat(other.get("jobs/t=10000")).isEqualTo("two");
  }

  @Test
  void shouldKeepWhatIsOpenThroughARestart() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    assertThat(client.get("jobs/open")).isEqualTo("one");
    server.close();
    server = builder().start();
    assertThat(client().get("jobs/t=10000")).isEqualTo("one");
  }

  @Test
  void shouldWaitForAMessage() throws IOException {
    Client client = client();
    client.send("get jobs/t=60000\r\n");
    await().until(() -> server.waiting() == 1);
    assertThat(client().set("jobs", "late")).isEqualTo("STORED");
    assertThat(client.line()).isEqualTo("VALUE jobs/t=60000 0 4");
    assertThat(client.data("4")).isEqualTo("late");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.get("jobs/t=1")).isNull();
  }

  @Test
  void shouldForgetAWaitWhoseClientIsGone() throws IOException {
    Client client = client();
    client.send("get jobs/t=60000\r\n");
    await().until(() -> server.waiting() == 1);
    client.socket.close();
    await().until(() -> server.waiting() == 0);
    Client other = client();
    other.set("jobs", "one");
    // the wait may take it while it ends, and gives it back then
    await().until(() -> "one".equals(other.get("jobs")));
  }

  @Test
  void shouldHoldNoMemoryForClientsThatAreGone() throws IOException {
    for (int i = 0; i < 20; i++) {
      Client client = client();
      client.send("get jobs/t=60000\r\nversion\r\n".repeat(2));
      await().until(() -> server.waiting() == 1);
      client.socket.close();
      await().until(() -> server.waiting() == 0);
    }
    Client other = client();
    assertThat(other.ask("version")).isEqualTo("VERSION 2.4.1");
    assertThat(server.bufferedBytes()).isLessThan(40); // of this client, at most
  }

  @Test
  void shouldPeek() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    assertThat(client.get("jobs/peek")).isEqualTo("one");
    assertThat(client.get("jobs/peek/t=100")).isEqualTo("one");
    assertThat(client.get("jobs")).isEqualTo("one");
    assertThat(client.get("jobs/t=1/peek")).isNull();
  }

  @Test
  void shouldGiveEachChildWhatComesFromItsFirstUseOn() throws IOException {
    Client client = client();
    client.set("jobs", "before");
    assertThat(client.get("jobs+audit")).isNull();
    client.set("jobs", "one");
    assertThat(client.get("jobs+audit")).isEqualTo("one");
    assertThat(client.get("jobs")).isEqualTo("before");
    assertThat(client.get("jobs")).isEqualTo("one");
  }

  @Test
  void shouldExpire() throws IOException {
    Client client = client();
    assertThat(client.ask("set jobs 0 -1 1\r\nx")).isEqualTo("STORED");
    assertThat(client.ask("set jobs 0 1000001 1\r\nx")).isEqualTo("STORED"); // in 1970
    assertThat(client.ask("set jobs 0 3600 4\r\nlong")).isEqualTo("STORED");
    assertThat(client.get("jobs")).isEqualTo("long");
    assertThat(client.get("jobs")).isNull();
  }

  @Test
  void shouldConfirmSeveralAtOnce() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    client.set("jobs", "two");
    client.send("monitor jobs 60 2\r\n");
    assertThat(client.data(client.line())).isEqualTo("one");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.data(client.line())).isEqualTo("two");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.ask("confirm jobs 3")).isEqualTo("ERROR");
    assertThat(client.ask("confirm jobs 2")).isEqualTo("END");
    assertThat(client.ask("confirm jobs 1")).isEqualTo("ERROR");
    client.socket.close();
    assertThat(client().get("jobs")).isNull();
  }

  @Test
  void shouldFlushAndDelete() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    assertThat(client.ask("flush jobs")).isEqualTo("END");
    assertThat(client.get("jobs")).isNull();
    client.set("jobs", "two");
    assertThat(client.ask("flush_all")).isEqualTo("Flushed all queues.");
    assertThat(client.get("jobs")).isNull();
    client.set("jobs", "three");
    assertThat(client.ask("delete jobs")).isEqualTo("DELETED");
    assertThat(client.get("jobs")).isNull();
    assertThat(client.ask("delete never")).isEqualTo("DELETED");
    assertThat(client.ask("flush_expired jobs")).isEqualTo("0");
    assertThat(client.ask("flush_all_expired")).isEqualTo("0");
  }

  @Test
  void shouldTellItsFiguresInKestrelsOrder() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    client.set("jobs", "two");
    client.get("jobs/open");
    List<String> names = new ArrayList<>();
    for (String line = client.ask("stats"); !line.equals("END"); line = client.line()) {
      names.add(line.split(" ", -1)[1]);
      if (line.startsWith("STAT queue_jobs_items ")) {
        assertThat(line).endsWith(" 1");
      }
    }
    assertThat(names.subList(0, 19))
        .containsExactly(
            "uptime",
            "time",
            "version",
            "curr_items",
            "total_items",
            "bytes",
            "reserved_memory_ratio",
            "curr_connections",
            "total_connections",
            "cmd_get",
            "cmd_set",
            "cmd_peek",
            "get_hits",
            "get_misses",
            "bytes_read",
            "bytes_written",
            "queue_creates",
            "queue_deletes",
            "queue_expires");
    assertThat(names).contains("queue_jobs_open_transactions", "queue_jobs_journal_rotations");
    assertThat(client.ask("dump_stats jobs")).isEqualTo("queue 'jobs' {");
    assertThat(client.line()).isEqualTo("  items=1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get jobs/peek/open",
        "get jobs/abort/close",
        "get jobs/abort/peek",
        "get /t=1",
        "get jo.bs",
        "get jobs/t=soon",
        "add jobs 0 0 1\r\nx",
        "set jobs+audit 0 0 1\r\nx",
        "set jobs 0 0 x\r\n",
        "incr jobs 1",
        "shutdown"
      })
  void shouldDisconnectWhoAsksWhatTheGrammarForbids(String line) throws IOException {
    Client client = client();
    assertThat(client.ask(line)).isEqualTo("CLIENT_ERROR");
    assertThat(client.isClosed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get",
        "delete",
        "flush",
        "flush_expired",
        "confirm",
        "confirm jobs",
        "confirm jobs x",
        "monitor",
        "monitor jobs",
        "monitor jobs x",
        "monitor jobs 1 x",
        "set jobs x 0 1\r\ny",
        "set jobs 0 x 1\r\ny"
      })
  void shouldOnlyAnswerWhereTheGrammarGoesOn(String line) throws IOException {
    Client client = client();
    assertThat(client.ask(line)).isEqualTo("CLIENT_ERROR");
    assertThat(client.ask("version")).startsWith("VERSION");
  }

  @Test
  void shouldRefuseReadsBesideAnOpenOne() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    client.set("jobs", "two");
    client.get("jobs/open");
    assertThat(client.ask("get jobs")).isEqualTo("ERROR");
    assertThat(client.isClosed()).isTrue();
    Client other = client(); // which may come before the first is given back
    assertThat(List.of(other.get("jobs/t=10000"), other.get("jobs/t=10000")))
        .containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void shouldBeAnOwnerOfItsOwnForAnExclusiveSubscriber() throws IOException {
    server.close();
    MessageConverter<String> text = MessageConverter.utf8();
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", text).directory(directory.resolve("own")).open()) {
      Subscriber<String> one =
          queue.subscriber(
              SubscriberConfig.builder("one")
                  .ack(true)
                  .exclusive(true)
                  .lease(Duration.ofHours(1))
                  .build());
      queue.publisher().publishAll(List.of("a", "b"));
      server = builder().queue(queue, text).start();
      Client first = client();
      Client second = client();
      assertThat(first.get("orders+one/open")).isEqualTo("a");
      assertThat(second.get("orders+one")).isNull();
      assertThat(one.lease().owner()).isEqualTo("memcache " + first.address());
      second.send("get orders+one/t=60000\r\n");
      assertThat(first.get("orders+one/close/open")).isEqualTo("b");
      first.socket.close();
      assertThat(second.data(second.line())).isEqualTo("b"); // long before the lease would end
      assertThat(second.line()).isEqualTo("END");
      assertThat(one.lease().owner()).isEqualTo("memcache " + second.address());
    }
  }

  @Test
  void shouldLimitWhatAConnectionHasOpen() throws IOException {
    server.close();
    server = builder().memcacheMaxOpen(2).start();
    Client client = client();
    for (int i = 0; i < 3; i++) {
      client.set("jobs", "x");
    }
    client.get("jobs/open");
    client.get("jobs/open");
    assertThat(client.ask("get jobs/open")).isEqualTo("ERROR");
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void shouldNotStoreWhatIsTooLarge() throws IOException {
    server.close();
    server = builder().maxBodyBytes(1_000).start();
    Client client = client();
    assertThat(client.set("jobs", "x".repeat(1_001))).isEqualTo("NOT_STORED");
    assertThat(client.set("jobs", "x".repeat(1_000))).isEqualTo("STORED");
  }

  @Test
  void shouldAnswerTheNameAloneIfAsked() throws IOException {
    server.close();
    server = builder().memcacheReplyKey(ReplyKey.NAME).start();
    Client client = client();
    client.set("jobs", "one");
    assertThat(client.ask("get jobs/t=100/open")).isEqualTo("VALUE jobs 0 3");
  }

  @Test
  void shouldAnswerPipelinedCommandsInOrder() throws IOException {
    Client client = client();
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 2_000; i++) {
      all.append("set jobs 0 0 4\r\n").append(1_000 + i % 9_000).append("\r\nget jobs\r\n");
    }
    client.send(all.toString());
    for (int i = 0; i < 2_000; i++) {
      assertThat(client.line()).isEqualTo("STORED");
      assertThat(client.data(client.line())).isEqualTo("" + (1_000 + i % 9_000));
      assertThat(client.line()).isEqualTo("END");
    }
  }

  @Test
  void shouldEndWithQuitAndBinary() throws IOException {
    Client client = client();
    client.send("quit\r\n");
    assertThat(client.isClosed()).isTrue();
    Client binary = client();
    binary.socket.getOutputStream().write(new byte[] {(byte) 0x80, 0x0b, 0, 0});
    assertThat(binary.isClosed()).isTrue();
  }

  @Test
  void shouldStopForAClientIfThatIsAllowed() throws IOException {
    server.close();
    server = builder().memcacheShutdown(true).start();
    Client client = client();
    client.send("shutdown\r\n");
    assertThat(client.isClosed()).isTrue();
    int port = server.memcachePort();
    await()
        .untilAsserted(
            () -> assertThatThrownBy(() -> new Client(port)).isInstanceOf(IOException.class));
  }

  @Test
  void shouldListenWhereTheFileSaysAndOnlyHereByDefault() throws IOException {
    Path file = directory.resolve("river.xml");
    Files.writeString(file, queues(directory.resolve("other"), ""));
    try (RiverServer other = RiverServer.open(file)) {
      assertThat(other.memcachePort()).isPositive();
    }
    assertThatThrownBy(
            () -> builder().directory(directory.resolve("third")).memcacheHost("0.0.0.0").start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("memcache.host")
        .hasMessageContaining("server.insecure");
  }

  @Test
  void shouldHaveOneStatusForAllQueuesAcrossRestarts() throws IOException {
    Client client = client();
    client.set("jobs", "one");
    client.set("other", "two");
    client.get("jobs/open");
    assertThat(client.ask("status")).isEqualTo("UP");
    assertThat(client.ask("status ReadOnly")).isEqualTo("END");
    assertThat(client.ask("status")).isEqualTo("READONLY");
    assertThat(client.get("jobs/close")).isNull();
    assertThat(client.get("other/open")).isEqualTo("two");
    assertRefused("set jobs 0 0 1\r\nx", "set new 0 0 1\r\nx", "flush jobs", "flush_expired jobs");
    assertRefused("delete jobs", "flush_all", "get new");

    assertThat(client.ask("status quiescent")).isEqualTo("END");
    assertThat(client.ask("status")).isEqualTo("QUIESCENT");
    assertRefused("get other", "get other/t=10", "get other/peek", "monitor other 1");
    assertThat(client.get("other/close")).isNull();

    server.close();
    server = builder().start();
    Client next = client();
    assertThat(next.ask("status")).isEqualTo("QUIESCENT");
    assertRefused("set jobs 0 0 1\r\nx", "set new 0 0 1\r\nx");
    assertThat(next.ask("status UP")).isEqualTo("END");
    assertThat(next.set("new", "three")).isEqualTo("STORED");
    assertThat(next.get("new")).isEqualTo("three");
    assertThat(next.get("other")).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"status Down", "status WriteAvoid", "status no"})
  void shouldRefuseAStatusThatClientsCannotSet(String command) throws IOException {
    Client client = client();
    assertThat(client.ask(command)).isEqualTo("CLIENT_ERROR");
    assertThat(client.line()).isNull();
    assertThat(client().ask("status")).isEqualTo("UP");
  }

  @Test
  void shouldReadTheFileAgain() throws IOException {
    assertRefused("reload"); // this server has none
    Path file = directory.resolve("river.xml");
    Files.writeString(file, queues(directory, queue("jobs", "")));
    try (RiverServer other = RiverServer.open(file)) {
      Client client = client(other);
      assertThat(client.set("jobs", "12345")).isEqualTo("STORED");
      Files.writeString(
          file,
          queues(
              directory,
              queue("jobs", "<param name=\"queue.max.messages\" value=\"1\"/>") + queue("b", "")));
      assertThat(client.ask("reload")).isEqualTo("Reloaded config.");
      assertThat(client.set("jobs", "1")).isEqualTo("NOT_STORED");
      assertThat(client.set("b", "1")).isEqualTo("STORED");
    }
  }

  @Test
  void shouldStoreWhatIsForAnAliasInEachOfItsQueues() throws IOException {
    Path file = directory.resolve("river.xml");
    Files.writeString(
        file,
        queues(
            directory,
            queue("a", "")
                + queue("b", "")
                + queue("all", "<param name=\"queue.forward\" value=\"a b\"/>")));
    try (RiverServer other = RiverServer.open(file)) {
      Client client = client(other);
      assertThat(client.set("all", "x")).isEqualTo("STORED");
      assertThat(client.get("a/t=60000")).isEqualTo("x");
      assertThat(client.get("b/t=60000")).isEqualTo("x");
    }
  }

  @Test
  void shouldDoWhatTheGuideConfigures() throws IOException {
    String guide = Files.readString(Path.of("../docs/kestrel.md"));
    int from = guide.indexOf("```xml\n") + 7;
    Path file = directory.resolve("river.xml");
    Files.writeString(
        file,
        guide
            .substring(from, guide.indexOf("```", from))
            .replace("/var/spool/river", directory.resolve("spool").toString())
            .replace("22133", "0")
            .replaceFirst("<params>", "<params><param name='server.queue.port' value='0'/>"));
    try (RiverServer other = RiverServer.open(file)) {
      Client client = client(other);
      assertThat(client.set("all", "x")).isEqualTo("STORED");
      assertThat(client.get("jobs/t=60000")).isEqualTo("x");
      assertThat(client.get("audit/t=60000")).isEqualTo("x");
      assertThat(client.set("made", "y")).isEqualTo("STORED");
    }
  }
}
