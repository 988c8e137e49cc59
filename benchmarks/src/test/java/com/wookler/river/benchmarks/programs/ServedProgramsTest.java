package com.wookler.river.benchmarks.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.RiverServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The same programs against a server. */
@Timeout(120)
@Tag("full")
class ServedProgramsTest {
  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private RiverServer server;

  @BeforeEach
  void start() {
    server = RiverServer.builder().port(0).directory(directory).start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int execute(Callable<Integer> program, List<String> args) {
    return new CommandLine(program)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .setExecutionExceptionHandler(
            (e, command, given) -> {
              command.getErr().println(e.getMessage());
              return CommandLine.ExitCode.SOFTWARE;
            })
        .execute(args.toArray(String[]::new));
  }

  private String run(Callable<Integer> program, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("-p", Integer.toString(server.port())));
    assertThat(execute(program, all)).as(err::toString).isZero();
    return out.toString();
  }

  private void assertHolds(String name, long published, long waiting) {
    try (RiverClient client = RiverClient.builder("http://127.0.0.1:" + server.port()).build()) {
      assertThat(client.queue(name).info().stats().nextSequence()).isEqualTo(published);
      assertThat(client.subscriber(name, "clients").stats().lag()).isEqualTo(waiting);
    }
  }

  @Test
  void shouldPutManyAtAServerAndGetThem() {
    assertThat(run(new PutManyCommand(), "-n40", "-c4", "-r3", "-g", "-h", "localhost"))
        .contains("to http://localhost:" + server.port() + " in 1 queues named spam")
        .doesNotContain("Thrift");
    assertHolds("spam", 40, 0);
  }

  @Test
  void shouldSayThatThereIsNoThriftAndUseHttp() {
    assertThat(run(new PutManyCommand(), "-n10", "-c2", "--thrift"))
        .startsWith("River speaks no Thrift: using HTTP at http://127.0.0.1:" + server.port());
    assertHolds("spam", 10, 10);
  }

  @Test
  void shouldDeliverToManyClientsOfAServer() {
    assertThat(run(new ManyClientsCommand(), "-n10", "-c5", "-s1", "-k30", "-M"))
        .contains("Received 10 items")
        .contains("spam: items=");
    assertHolds("spam", 10, 0);
  }

  @Test
  void shouldFloodAServerAndLeaveThePrefilledBehind() {
    assertThat(run(new FloodCommand(), "-n20", "-R2", "-C2", "-P7", "-B")).contains("Finished in");
    assertHolds("spam", 47, 7);
  }

  @Test
  void shouldPackInOrderAtAServer() {
    assertThat(run(new PackingCommand(), "-n10", "-c2", "-t0", "-x")).contains("cycle: 2");
    assertHolds("spam", 30, 0);
  }

  @Test
  void shouldRefuseADirectoryForAServer() {
    assertThat(
            execute(new FloodCommand(), List.of("--thrift", "--directory", directory.toString())))
        .isNotZero();
    assertThat(err.toString()).contains("--directory is for queues in this JVM");
  }
}
