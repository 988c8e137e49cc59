package com.wookler.river.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.benchmarks.harness.Row;
import com.wookler.river.benchmarks.harness.Run;
import com.wookler.river.benchmarks.system.QueueSystem;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything that can be measured still runs, and each benchmark finds for itself that nothing was
 * lost, repeated or mixed up; how fast is nothing for a test.
 */
@Timeout(300)
class SmokeTest {
  private static final Map<String, Integer> SCALE_ROWS =
      Map.ofEntries(
          Map.entry("blocks", 6),
          Map.entry("subscribers", 4),
          Map.entry("backlog", 6),
          Map.entry("acks", 6),
          Map.entry("restart", 4),
          Map.entry("reopen", 1),
          Map.entry("redelivery", 2),
          Map.entry("delayed", 1),
          Map.entry("behind", 2),
          Map.entry("duplicates", 2),
          Map.entry("keys", 4),
          Map.entry("completions", 4),
          Map.entry("queues", 7),
          Map.entry("archive", 6));

  /** Targets that a tiny run has no line for: those that name a large end. */
  private static final String LARGE_END = ".*(0 waiting|0 blocks|0 idle|,000).*";

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private void run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    assertThat(code).as(err::toString).isZero();
  }

  private List<Row> measure(String command, String... more) throws IOException {
    Path data = directory.resolve("data");
    Path json = directory.resolve("results").resolve(command + ".json");
    List<String> arguments = new ArrayList<>(List.of(command, "--quick", "--json", "" + json));
    arguments.addAll(List.of("--directory", data.toString()));
    arguments.addAll(List.of(more));
    run(arguments.toArray(String[]::new));
    assertThat(Files.notExists(data) || data.toFile().list().length == 0).isTrue();
    assertThat(out.toString()).contains("| work | system |");
    List<Row> rows = Run.read(json).rows();
    assertThat(rows)
        .allSatisfy(row -> assertThat(row.median()).isFinite().isBetween(row.min(), row.max()));
    return rows;
  }

  private List<String> listed(String command) {
    run(command, "--list");
    return out.toString().lines().takeWhile(line -> !line.isEmpty()).toList();
  }

  @Test
  void shouldMeasureOneWorkWithTwoSystems() throws IOException {
    List<Row> sustained = measure("sustained", "--systems", "river,chronicle");
    assertThat(sustained).extracting(Row::system).containsExactly("river", "chronicle");
    assertThat(sustained.get(0).extra()).containsKey("slowest second msg/s");
    assertThat(sustained.get(0).ratio().to()).isEqualTo("chronicle");
  }

  @Tag("full")
  @Test
  void shouldMeasureEverything() throws IOException {
    shouldMeasureOneWorkWithTwoSystems();
    shouldMeasureLines();
    shouldMeasureScale();
    boolean wrk = shouldMeasureTheServer();
    shouldMeasureSmallPaths();
    assertThat(measure("reactor")).hasSize(6);
    shouldReport(wrk);
  }

  private void shouldMeasureLines() throws IOException {
    List<Row> rows = measure("run");
    List<String> lines = listed("run").stream().map(line -> line.substring(25)).toList();
    assertThat(rows).extracting(Row::line).containsAll(lines);
    assertThat(rows).extracting(Row::system).containsAll(QueueSystem.names());
    assertThat(rows)
        .allSatisfy(row -> assertThat(row.extra()).containsKeys("B allocated/msg", "CPU µs/msg"))
        .filteredOn(row -> row.system().equals("chronicle") && row.line().contains("acknowledged"))
        .isNotEmpty()
        .allSatisfy(row -> assertThat(row.note()).startsWith("here without acknowledgement"));
  }

  private void shouldMeasureScale() throws IOException {
    assertThat(listed("scale")).hasSameSizeAs(SCALE_ROWS.keySet());
    List<Row> rows = measure("scale");
    assertThat(rows)
        .hasSize(SCALE_ROWS.values().stream().mapToInt(Integer::intValue).sum())
        .extracting(Row::line)
        .doesNotHaveDuplicates();
    assertThat(rows).allSatisfy(row -> assertThat(row.note()).isNotEmpty());
  }

  /** Without wrk it says so, and does what it can; returns whether there is wrk. */
  private boolean shouldMeasureTheServer() throws IOException {
    List<Row> rows = measure("rest");
    String skipped = err.toString();
    assertThat(listed("rest"))
        .hasSize(24)
        .map(line -> line.substring(25))
        .allSatisfy(
            text ->
                assertThat(
                        skipped.contains("SKIPPED: " + text)
                            || rows.stream().anyMatch(row -> row.line().startsWith(text)))
                    .as(text)
                    .isTrue());
    assertThat(rows)
        .filteredOn(row -> row.ratio() != null)
        .hasSize(skipped.contains(" no wrk ") ? 9 : 13)
        .allSatisfy(row -> assertThat(row.system()).isEqualTo("river"));
    return !skipped.contains(" no wrk ");
  }

  private void shouldMeasureSmallPaths() throws IOException {
    List<String> withSize =
        List.of(
            "Consume.batch64",
            "Consume.batch64AndAck",
            "Consume.next",
            "Consume.nextAndAck",
            "Publish.publish",
            "Publish.publishAll64");
    List<String> without =
        List.of("Ack.ack", "Ack.ack64", "Tracing.intercept", "Tracing.intercept, in a trace");
    List<Row> rows = measure("jmh");
    assertThat(rows)
        .extracting(Row::line)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    without.stream(),
                    withSize.stream()
                        .flatMap(name -> Stream.of(name + ", 100 B", name + ", 1024 B")))
                .toList());
    assertThat(rows)
        .allSatisfy(
            row -> {
              assertThat(row.unit()).isEqualTo("ns/op");
              assertThat(row.extra().containsKey("B/op")).isEqualTo(!row.line().startsWith("Ack."));
            });
  }

  /** Every target finds the line that decides it, but for those of large ends and of no wrk. */
  private void shouldReport(boolean wrk) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String part :
        List.of(
            "targets missed headline publish forced sustained consume both latency scale reactor rest jmh"
                .split(" ", -1))) {
      text.append("<!-- generated: ").append(part).append(" -->\n<!-- end -->\n");
    }
    Path document = Files.writeString(directory.resolve("document.md"), text);
    run("report", "--results", "" + directory.resolve("results"), "--document", "" + document);
    assertThat(Files.readString(document).lines())
        .filteredOn(line -> line.matches(".*(met|missed\\*\\*|not measured yet) \\|"))
        .hasSizeGreaterThan(60)
        .filteredOn(line -> line.endsWith("not measured yet |"))
        .filteredOn(line -> !line.matches(LARGE_END) && (wrk || !line.contains(" over HTTP")))
        .isEmpty();
  }
}
