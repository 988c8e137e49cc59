package com.wookler.river.rest.server;

import static com.wookler.river.rest.server.MemcacheScript.play;
import static com.wookler.river.rest.server.MemcacheScript.playPipelined;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.MemcacheFixture.Client;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The exact answers of docs/kestrel.md's table, from a server in a process of its own. */
@Timeout(180)
class MemcacheProcessTest {
  private static final String COMMANDS =
      """
      a> set JOBS 0 0 5
      a> hello
      a< STORED
      a> set JOBS 4294967295 0 6
      a> x
      a> END
      a< STORED
      a> set JOBS 4294967296 0 1
      a> x
      a< CLIENT_ERROR
      a> set JOBS 0 - 1
      a> x
      a< CLIENT_ERROR
      a> set JOBS 4294967296 0 1 noreply
      a> x
      a> set JOBS 7 0 0 noreply
      a>
      a> get JOBS/peek
      a< VALUE JOBS/peek 0 5
      a< hello
      a< END
      a> get JOBS/open
      a< VALUE JOBS/open 0 5
      a< hello
      a< END
      a> get JOBS/abort
      a< END
      a> gets JOBS/t=10/open
      a< VALUE JOBS/t=10/open 0 5
      a< hello
      a< END
      a> get JOBS/close/open
      a< VALUE JOBS/close/open 4294967295 6
      a< x
      a< END
      a< END
      a> get JOBS/close
      a< END
      a> get JOBS
      a< VALUE JOBS 7 0
      a<
      a< END
      a> get JOBS
      a< END
      a> get
      a< CLIENT_ERROR
      a> set JOBS 0 0 1
      a> 1
      a< STORED
      a> set JOBS 0 0 1
      a> 2
      a< STORED
      a> monitor JOBS 60 2
      a< VALUE JOBS 0 1
      a< 1
      a< END
      a< VALUE JOBS 0 1
      a< 2
      a< END
      a< END
      a> confirm JOBS 3
      a< ERROR
      a> confirm JOBS 0
      a< ERROR
      a> confirm JOBS 2
      a< END
      a> confirm JOBS x
      a< CLIENT_ERROR
      a> monitor JOBS 0
      a< END
      a> monitor JOBS
      a< CLIENT_ERROR
      a> get JOBS+x
      a< END
      a> set JOBS 0 0 3
      a> abc
      a< STORED
      a> get JOBS+x
      a< VALUE JOBS+x 0 3
      a< abc
      a< END
      a> get JOBS+x
      a< END
      a> flush JOBS
      a< END
      a> get JOBS
      a< END
      a> flush_expired JOBS
      a< 0
      a> flush_all_expired
      a< 0
      a> delete JOBS+x
      a< DELETED
      a> delete JOBS
      a< DELETED
      a> delete JOBS noreply
      a> delete
      a< CLIENT_ERROR
      a> flush_all
      a< Flushed all queues.
      a> flush_all noreply
      a> dump_stats JOBS
      a< END
      a> version
      a< VERSION 2.4.1
      a> quit
      a!
      """;

  @TempDir Path directory;
  private ServerProcess server;
  private int port;

  private void start(String... arguments) throws IOException {
    String[] all = new String[arguments.length + 1];
    all[0] = "server";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    server = new ServerProcess(directory, List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError"), all);
    port = server.nextPort();
  }

  private void start() throws IOException {
    start("--port=0", "--memcache=0", "--directory=" + directory.resolve("data"));
  }

  private Path file(String params, String queues) throws IOException {
    Path file = directory.resolve("server.xml");
    String xml =
        """
        <river>
          <server>
            <params>
              <param name="server.queue.port" value="0"/>
              <param name="server.directory" value="BASE/made"/>
              PARAMS
            </params>
            <memcache port="0"/>
          </server>
          QUEUES
        </river>
        """;
    Files.writeString(
        file,
        xml.replace("QUEUES", queues)
            .replace("PARAMS", params)
            .replace("BASE", directory.toString()));
    return file;
  }

  private static String defaults(String params) {
    return """
        <defaults queue="*">
          <params>
            <param name="queue.directory" value="BASE/own"/>
            <param name="queue.message.converter" value="bytes"/>
            %s
          </params>
        </defaults>
        """
        .formatted(params);
  }

  private static String queue(String name, String params) {
    return "<queue name=\"%s\"><params>%s</params></queue>\n".formatted(name, params);
  }

  private static String param(String name, String value) {
    return "<param name=\"%s\" value=\"%s\"/>".formatted(name, value);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void shouldAnswerEachCommandToTheByteHoweverItArrives() throws IOException {
    start();
    play(port, COMMANDS.replace("JOBS", "whole"));
    play(port, 1, COMMANDS.replace("JOBS", "bytes"));
    play(port, 2, COMMANDS.replace("JOBS", "pairs"));
    play(port, 7, COMMANDS.replace("JOBS", "sevens"));
    playPipelined(port, COMMANDS.replace("JOBS", "pipelined"));
  }

  @Test
  void shouldCloseAfterWhatTheTableSays() throws Exception {
    start();
    for (String line :
        List.of(
            "set a/b 0 0 1",
            "set a.b 0 0 1",
            "set a+b 0 0 1",
            "set jobs 0 0 -1",
            "set jobs 0 0",
            "set jobs 0 0 x noreply",
            "get a+b+c",
            "get jobs/t=x",
            "get jobs/open/peek",
            "get jobs/open/abort",
            "get jobs/close/peek",
            "monitor a/b 1",
            "confirm a/b 1",
            "flush a.b",
            "delete a/b",
            "status Down",
            "status WriteAvoid",
            "shutdown",
            "add jobs 0 0 1",
            "incr jobs 1",
            "")) {
      String then = line.startsWith("set") && line.endsWith("1") ? "a> x\n" : "";
      String data = line.startsWith("add") ? "a> x\n" : then;
      play(port, "a> " + line + "\n" + data + "a< CLIENT_ERROR\na!");
    }
    play(port, "a> reload\na< SERVER_ERROR\na!");
    play(
        port,
        "a> set jobs 0 0 1\na> x\na< STORED\na> get jobs/open\na< VALUE jobs/open 0 1\na< x\na< END\na> get jobs\na< ERROR\na!");
    String tooLong = "k".repeat(300);
    play(
        port,
        "a> get "
            + tooLong
            + "/open\na< CLIENT_ERROR\na> set "
            + tooLong
            + " 0 0 1\na> x\na< CLIENT_ERROR");
    play(port, "a> set " + "k".repeat(64) + " 0 0 1\na> x\na< STORED");

    play(port, "a> \u0080\u0001\na!");
    assertThat(server.terminate()).isEqualTo(143);
    assertThat(server.errors().lines().filter(line -> line.contains("binary protocol"))).hasSize(1);
    assertThat(server.errors()).contains("memcache.shutdown does not allow");
  }

  @Test
  void shouldKeepItsStatusAndWhatIsOpenWhenItIsKilled() throws Exception {
    start();
    play(
        port,
        """
        a> set jobs 0 0 1
        a> 1
        a< STORED
        a> set jobs 0 0 1
        a> 2
        a< STORED
        a> status
        a< UP
        a> status ReadOnly
        a< END
        a> status
        a< READONLY
        a> get jobs/open
        a< VALUE jobs/open 0 1
        a< 1
        a< END
        b> set jobs 0 0 1
        b> 3
        b< SERVER_ERROR
        b!
        c> set other 0 0 1
        c> 3
        c< SERVER_ERROR
        c!
        d> flush jobs
        d< SERVER_ERROR
        d!
        """);
    Client open = new Client(port);
    await().until(() -> open.get("jobs/peek").equals("1")); // given back once the client has gone
    assertThat(open.get("jobs/open")).isEqualTo("1");
    server.kill();
    start();
    play(
        port,
        """
        a> status
        a< READONLY
        a> get jobs/open
        a< VALUE jobs/open 0 1
        a< 1
        a< END
        a> status quiescent
        a< END
        a> status
        a< QUIESCENT
        a> get jobs/close
        a< END
        a> get jobs
        a< SERVER_ERROR
        a!
        """);
    assertThat(server.terminate()).isEqualTo(143);
    start();
    play(
        port,
        """
        a> status
        a< QUIESCENT
        a> status UP
        a< END
        a> get jobs
        a< VALUE jobs 0 1
        a< 2
        a< END
        a> get jobs
        a< END
        """);
  }

  @Test
  void shouldReadTheFileAgainAndKeepItsLimits() throws Exception {
    start("--config=" + file("", defaults(param("queue.max.messages", "2")) + queue("jobs", "")));
    play(
        port,
        """
        a> set jobs 0 0 1
        a> 1
        a< STORED
        a> set jobs 0 0 1
        a> 2
        a< STORED
        a> set jobs 0 0 1
        a> 3
        a< NOT_STORED
        a> set jobs 0 0 1 noreply
        a> 4
        """);
    var unused = file("", defaults(param("queue.max.messages", "3")) + queue("jobs", ""));
    play(
        port,
        """
        a> reload
        a< Reloaded config.
        a> set jobs 0 0 1
        a> 5
        a< STORED
        a> set jobs 0 0 1
        a> 6
        a< NOT_STORED
        """);
    Files.writeString(directory.resolve("server.xml"), "<river>");
    play(port, "a> reload\na< SERVER_ERROR\na!");
    play(port, "a> get jobs\na< VALUE jobs 0 1\na< 1\na< END");
  }

  @Test
  void shouldForwardExpireAndDiscardAsTheFileSays() throws Exception {
    String queues =
        defaults("")
            + "<defaults queue=\"short\" subscriber=\"*\"><params>"
            + param("subscriber.expiry.queue", "late")
            + "</params></defaults>\n"
            + queue("short", "")
            + queue("late", "")
            + queue("one", "")
            + queue("two", "")
            + queue("all", param("queue.forward", "one two") + param("queue.fanout.only", "true"))
            + queue(
                "newest",
                param("queue.max.messages", "2") + param("queue.full.policy", "DISCARD_OLDEST"))
            + queue("small", param("queue.max.message.bytes", "3"));
    start("--config=" + file("", queues));
    play(
        port,
        """
        a> set all 9 0 7
        a> for all
        a< STORED
        a> get one/t=60000
        a< VALUE one/t=60000 9 7
        a< for all
        a< END
        a> get two/t=60000
        a< VALUE two/t=60000 9 7
        a< for all
        a< END
        a> get all
        a< END
        a> get all+x
        a< END
        a> get all/peek
        a< END
        a> get short
        a< END
        a> set short 0 -1 4
        a> past
        a< STORED
        a> set short 0 1000000 4
        a> 1970
        a< STORED
        a> set short 0 999999 4
        a> soon
        a< STORED
        a> get late/t=60000
        a< VALUE late/t=60000 0 4
        a< past
        a< END
        a> get late/t=60000
        a< VALUE late/t=60000 0 4
        a< 1970
        a< END
        a> get short
        a< VALUE short 0 4
        a< soon
        a< END
        a> set small 0 0 4
        a> four
        a< NOT_STORED
        a> set small 0 0 3
        a> abc
        a< STORED
        a> set newest 0 0 1
        a> 1
        a< STORED
        a> set newest 0 0 1
        a> 2
        a< STORED
        a> set newest 0 0 1
        a> 3
        a< STORED
        a> get newest
        a< VALUE newest 0 1
        a< 2
        a< END
        """);
  }

  @Test
  void shouldStopForAClientIfTheFileAllowsIt() throws Exception {
    start("--config=" + file(param("memcache.shutdown", "true"), defaults("")));
    play(port, "a> set jobs 0 0 1\na> 1\na< STORED\na> shutdown\na!");
    assertThat(server.awaitEnd()).isZero();
  }

  @Test
  void shouldNameItsFiguresAsKestrelAndInItsOrder() throws Exception {
    start();
    play(port, "a> set jobs 0 0 5\na> hello\na< STORED\na> get jobs+x\na< END");
    Client client = new Client(port);
    client.send("stats\r\ndump_stats jobs+x\r\n");
    List<String> names =
        List.of(
            "uptime time version curr_items total_items bytes reserved_memory_ratio curr_connections"
                .concat(
                    " total_connections cmd_get cmd_set cmd_peek get_hits get_misses bytes_read")
                .concat(" bytes_written queue_creates queue_deletes queue_expires")
                .split(" ", -1));
    List<String> ofQueue =
        List.of(
            "items bytes total_items logsize expired_items mem_items mem_bytes age discarded waiters"
                .concat(" open_transactions transactions canceled_transactions total_flushes")
                .concat(" journal_rewrites journal_rotations")
                .split(" ", -1));
    for (String name : names) {
      assertThat(client.line()).matches("STAT " + name + " [0-9.]+");
    }
    for (String name : ofQueue) {
      assertThat(client.line()).matches("STAT queue_jobs_" + name + " [0-9]+");
    }
    assertThat(client.line()).isEqualTo("STAT queue_jobs_children jobs+x");
    for (String name : ofQueue) {
      assertThat(client.line()).matches("STAT queue_jobs\\+x_" + name + " [0-9]+");
    }
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.line()).isEqualTo("queue 'jobs+x' {");
    for (String name : ofQueue) {
      assertThat(client.line()).matches("  " + name + "=[0-9]+");
    }
    assertThat(client.line()).isEqualTo("}");
    assertThat(client.line()).isEqualTo("END");
  }

  @Test
  void shouldAnswerWhoWaitsWhenItsQueueIsEmptiedOrRemoved() throws Exception {
    start();
    Asked http = new Asked(server.port());
    for (String how : List.of("flush_all", "delete", "http")) {
      play(port, "a> set w 0 0 1\na> 1\na< STORED\na> get w\na< VALUE w 0 1\na< 1\na< END");
      Client waiting = new Client(port);
      Client open = new Client(port);
      assertThat(open.set("w", "2")).isEqualTo("STORED");
      assertThat(open.get("w/open")).isEqualTo("2");
      waiting.send("get w/t=60000\r\nversion\r\n");
      await().until(() -> waits(open));
      switch (how) {
        case "flush_all" -> {
          assertThat(open.ask("flush_all")).isEqualTo("Flushed all queues.");
          assertThat(open.set("w", "3")).isEqualTo("STORED");
          assertThat(waiting.line()).isEqualTo("VALUE w/t=60000 0 1");
          assertThat(waiting.line()).isEqualTo("3");
        }
        case "delete" -> assertThat(open.ask("delete w")).isEqualTo("DELETED");
        default -> assertThat(http.delete("/v1/queues/w?force=true").status()).isEqualTo(204);
      }
      assertThat(waiting.line()).as(how).isEqualTo("END");
      assertThat(waiting.line()).isEqualTo("VERSION 2.4.1");
      assertThat(open.ask("get w/close")).as(how).isEqualTo("END");
      assertThat(open.get("w")).as(how).isNull();
      open.socket.close();
      waiting.socket.close();
    }
  }

  private static boolean waits(Client client) throws IOException {
    client.send("stats\r\n");
    boolean waits = false;
    for (String line = client.line(); !line.equals("END"); line = client.line()) {
      waits |= line.equals("STAT queue_w_waiters 1");
    }
    return waits;
  }

  @Test
  void shouldStoreNothingOfDataThatDoesNotArriveAsAWhole() throws Exception {
    start();
    for (String part :
        List.of(
            "set jobs 0 0 5",
            "set jobs 0 0 5\r\n",
            "set jobs 0 0 5\r\nhello",
            "set jobs 0 0 5\r\nhello\r")) {
      Client client = new Client(port);
      client.send(part);
      client.socket.close();
    }
    play(
        port,
        "a> set jobs 0 0 1\na> 1\na< STORED\na> get jobs\na< VALUE jobs 0 1\na< 1\na< END\na> get jobs\na< END");
  }
}
