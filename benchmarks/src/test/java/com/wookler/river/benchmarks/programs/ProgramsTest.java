package com.wookler.river.benchmarks.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.RiverServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The programs with queues in this JVM, and against a server. */
@Timeout(120)
@Tag("full")
class ProgramsTest {
  private static final String NUMBER = "\\d+\\.\\d\\d";
  private static final String TRANSACTIONS =
      "Transactions: min=N; max=N N N; median=N; average=N usec".replace("N", NUMBER);
  private static final String DISTRIBUTION =
      ("Transactions distribution: 5.00%=N 10.00%=N 25.00%=N 50.00%=N 75.00%=N 90.00%=N 95.00%=N"
              + " 99.00%=N 99.90%=N 99.99%=N")
          .replace("=N", "=" + NUMBER);
  private static final String MICROS =
      "Distribution in usec: min=\\d+ max=\\d+ p50=\\d+ p75=\\d+ p90=\\d+ p95=\\d+ p99=\\d+"
          + " p999=\\d+ p9999=\\d+";
  private static final String FINISHED =
      "Finished in \\d+ msec \\(\\d+\\.\\d usec/put throughput\\)\\.";
  private static final String MISSES = "Consumer spun \\d+ times in misses\\.";

  @TempDir private Path directory;

  private RiverServer server;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(Callable<Integer> program, String... args) {
    return new CommandLine(program)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private List<String> lines(Callable<Integer> program, String... args) {
    assertThat(execute(program, args)).as(err::toString).isZero();
    return out.toString().lines().toList();
  }

  private String here() {
    return directory.toString();
  }

  /** Messages published and messages waiting. */
  private void assertHolds(String name, long published, long waiting) {
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder(name, MessageConverter.bytes()).directory(directory).open()) {
      assertThat(queue.stats().nextSequence()).as(name).isEqualTo(published);
      assertThat(queue.subscriber("clients").stats().lag()).as(name).isEqualTo(waiting);
    }
  }

  private static void assertMatch(List<String> lines, String... patterns) {
    assertThat(lines).hasSameSizeAs(patterns);
    for (int i = 0; i < patterns.length; i++) {
      assertThat(lines.get(i)).matches(patterns[i]);
    }
  }

  @Test
  void shouldPutManyAndTellHowLongItTook() {
    List<String> lines =
        lines(new Programs.PutMany(), "-n", "105", "-c", "10", "--directory", here());

    assertMatch(
        lines,
        "Flushing queues first\\.",
        "Put 105 items of 1024 bytes in bursts of 1 to .* in 1 queues named spam using 10 clients\\.",
        FINISHED,
        TRANSACTIONS,
        DISTRIBUTION,
        MICROS);
    assertHolds("spam", 100, 100); // 10 of each client, the remainder is dropped
  }

  @Test
  void shouldSpreadClientsOverQueuesAndGetWhatWasPut() {
    List<String> lines =
        lines(
            new Programs.PutMany(),
            "-n40",
            "-c4",
            "-b10",
            "-r3",
            "-Q2",
            "-qsome",
            "-g",
            "--directory",
            here());

    assertThat(lines)
        .filteredOn(line -> line.startsWith("Get "))
        .singleElement()
        .asString()
        .matches("Get 40 items of 10 bytes in batches of 3 from .* named some using 4 clients\\.");
    assertThat(lines).filteredOn(line -> line.matches(FINISHED)).hasSize(2);
    assertHolds("some0", 20, 0);
    assertHolds("some1", 20, 0);
  }

  @Test
  void shouldKeepWhatAnEarlierRunLeftOnlyIfAsked() {
    lines(new Programs.PutMany(), "-n10", "-c1", "--directory", here());
    lines(new Programs.PutMany(), "-n10", "-c1", "-F", "--directory", here());
    assertHolds("spam", 20, 20);

    lines(new Programs.PutMany(), "-n10", "-c1", "--directory", here());
    assertHolds("spam", 30, 10);
  }

  @Test
  void shouldDeliverToManyClientsOnceAlsoWhenSomeAreKilled() {
    List<String> lines =
        lines(
            new Programs.ManyClients(), "-n20", "-c5", "-s1", "-k50", "-M", "--directory", here());

    assertThat(lines.get(0))
        .matches("many-clients: 20 items to .* using 5 clients, kill rate 50%, at 1 msec/item");
    assertThat(lines).anyMatch(line -> line.matches("spam: items=\\d+ journal_bytes=\\d+"));
    assertThat(lines).anyMatch(line -> line.matches("Received 20 items in \\d+ msec\\."));
    assertHolds("spam", 20, 0);
  }

  @Test
  void shouldFloodAndLeaveThePrefilledBehind() {
    List<String> lines =
        lines(
            new Programs.Flood(), "-n50", "-R2", "-C3", "-P7", "-B", "-k0", "--directory", here());

    assertMatch(
        lines,
        "Flushing queues first\\.",
        "prefill: 7 items of 0kB",
        "flood: 2 threads each sending 50 items of 0kB through spam",
        FINISHED,
        MISSES);
    assertHolds("spam", 107, 7);
  }

  @Test
  void shouldFloodInBatches() {
    assertThat(lines(new Programs.Flood(), "-n50", "-r8", "--directory", here())).hasSize(4);
    assertHolds("spam", 50, 0);
  }

  @Test
  void shouldPackInCyclesAndInOrder() {
    String wrote = "Wrote 30 items starting at %d\\.";
    String read = "Read 30 items in \\d+ msec\\. " + MISSES;

    assertMatch(
        lines(
            new Programs.Packing(),
            "-n30",
            "-c2",
            "-t0",
            "-x",
            "-q",
            "small",
            "--directory",
            here()),
        "packing: 30 items of 1kB with 0 second pauses",
        "Flushing queues first\\.",
        wrote.formatted(0),
        "cycle: 1",
        wrote.formatted(30),
        read,
        "cycle: 2",
        wrote.formatted(60),
        read,
        read);
    assertHolds("small", 90, 0);
  }

  @Test
  void shouldFailWhenItemsAreNotInOrder() {
    lines(new Programs.PutMany(), "-n1", "-c1", "--directory", here());

    assertThat(execute(new Programs.Packing(), "-n5", "-c0", "-F", "--directory", here()))
        .isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(err.toString()).contains("Unexpected response at 0!");
  }

  @Test
  void shouldLeaveNoTemporaryDirectoryBehind() {
    List<String> lines = lines(new Programs.ManyClients(), "-n1", "-c1", "-s0");

    String named = lines.get(0).replaceAll(".* items to (.*) using .*", "$1");
    assertThat(Path.of(named)).isAbsolute().doesNotExist();
  }

  /** Runs a program against the server of the test. */
  private String served(Callable<Integer> program, String... args) {
    server = RiverServer.builder().port(0).directory(directory).start();
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("-p", Integer.toString(server.port())));
    lines(program, all.toArray(String[]::new));
    return out.toString();
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private void assertServes(String name, long published, long waiting) {
    try (RiverClient client = RiverClient.builder("http://127.0.0.1:" + server.port()).build()) {
      assertThat(client.queue(name).info().stats().nextSequence()).isEqualTo(published);
      assertThat(client.subscriber(name, "clients").stats().lag()).isEqualTo(waiting);
    }
  }

  @Test
  void shouldPutManyAtAServerAndGetThem() {
    assertThat(served(new Programs.PutMany(), "-n40", "-c4", "-r3", "-g", "-h", "localhost"))
        .contains("to http://localhost:" + server.port() + " in 1 queues named spam")
        .doesNotContain("Thrift");
    assertServes("spam", 40, 0);
  }

  @Test
  void shouldSayThatThereIsNoThriftAndUseHttp() {
    assertThat(served(new Programs.PutMany(), "-n10", "-c2", "--thrift"))
        .startsWith("River speaks no Thrift: using HTTP at http://127.0.0.1:" + server.port());
    assertServes("spam", 10, 10);
  }

  @Test
  void shouldDeliverToManyClientsOfAServer() {
    assertThat(served(new Programs.ManyClients(), "-n10", "-c5", "-s1", "-k30", "-M"))
        .contains("Received 10 items")
        .contains("spam: items=");
    assertServes("spam", 10, 0);
  }

  @Test
  void shouldFloodAServerAndLeaveThePrefilledBehind() {
    assertThat(served(new Programs.Flood(), "-n20", "-R2", "-C2", "-P7", "-B"))
        .contains("Finished in");
    assertServes("spam", 47, 7);
  }

  @Test
  void shouldPackInOrderAtAServer() {
    assertThat(served(new Programs.Packing(), "-n10", "-c2", "-t0", "-x")).contains("cycle: 2");
    assertServes("spam", 30, 0);
  }

  /** Runs a program against the server of the test, by memcache's protocol. */
  private String spoken(Callable<Integer> program, String... args) {
    server = RiverServer.builder().port(0).memcache(0).directory(directory).start();
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--memcache", "-p", Integer.toString(server.memcachePort())));
    lines(program, all.toArray(String[]::new));
    return out.toString();
  }

  private void assertSpeaks(String name, long published, long waiting) {
    try (RiverClient client = RiverClient.builder("http://127.0.0.1:" + server.port()).build()) {
      assertThat(client.queue(name).info().stats().nextSequence()).isEqualTo(published);
      assertThat(client.subscriber(name, "kestrel").stats().lag()).isEqualTo(waiting);
    }
  }

  @Test
  void shouldPutManyByMemcacheAndGetThem() {
    assertThat(spoken(new Programs.PutMany(), "-n40", "-c4", "-r3", "-Q2", "-g"))
        .contains("to memcache://127.0.0.1:" + server.memcachePort() + " in 2 queues named spam");
    assertSpeaks("spam0", 20, 0);
    assertSpeaks("spam1", 20, 0);
  }

  @Test
  void shouldDeliverToManyClientsByMemcache() {
    assertThat(spoken(new Programs.ManyClients(), "-n20", "-c5", "-s1", "-k30", "-M"))
        .contains("Received 20 items")
        .contains("spam: items=");
    assertSpeaks("spam", 20, 0);
  }

  @Test
  void shouldFloodByMemcacheAndLeaveThePrefilledBehind() {
    assertThat(spoken(new Programs.Flood(), "-n20", "-R2", "-C2", "-P7")).contains("Finished in");
    assertSpeaks("spam", 47, 7);
  }

  @Test
  void shouldPackInOrderByMemcache() {
    assertThat(spoken(new Programs.Packing(), "-n10", "-c2", "-t0", "-x")).contains("cycle: 2");
    assertSpeaks("spam", 30, 0);
  }

  @Test
  void shouldRefuseADirectoryForAServer() {
    assertThat(execute(new Programs.Flood(), "--thrift", "--directory", here())).isNotZero();
    assertThat(err.toString()).contains("--directory is for queues in this JVM");
  }
}
