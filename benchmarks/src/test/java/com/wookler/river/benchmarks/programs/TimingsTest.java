package com.wookler.river.benchmarks.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the programs send, and what they print of it. */
class TimingsTest {
  @Test
  void shouldPrintMicrosecondsOfAllClients() {
    Timings timings = new Timings(2, 2);
    timings.set(0, 0, 4_000);
    timings.set(0, 1, 1_500);
    timings.set(1, 0, 2_500_000);
    timings.set(1, 1, 3_000);
    timings.set(1, 2, 9_000_000); // more than was expected: not kept
    StringWriter out = new StringWriter();

    timings.print(new PrintWriter(out, true));

    List<String> lines = out.toString().lines().toList();
    assertThat(lines.get(0))
        .isEqualTo(
            "Transactions: min=1.50; max=2500.00 4.00 3.00; median=3.50; average=627.13 usec");
    assertThat(lines.get(1))
        .startsWith(
            "Transactions distribution: 5.00%=1.50 10.00%=1.50 25.00%=3.00 50.00%=4.00 75.00%=2500.00");
    assertThat(lines.get(2)).startsWith("Distribution in usec: min=2 max=2500 p50=4 p75=2500");
  }

  @Test
  void shouldPrintASingleRequest() {
    StringWriter out = new StringWriter();

    new Timings(1, 1).print(new PrintWriter(out, true));

    assertThat(out.toString()).startsWith("Transactions: min=0.00; max=0.00; median=0.00;");
  }

  @Test
  void shouldMakeAsManyBytesAsAsked() {
    assertThat(Programs.text(0)).isEmpty();
    assertThat(Programs.text(751)).hasSize(751).startsWith('A', ' ', 'r');
    assertThat(Programs.kilobytes(3)).hasSize(3072).containsOnly('x');
  }

  @Test
  void shouldNumberAnItemWithoutMakingItLonger() {
    byte[] item = Programs.numbered(120, Programs.kilobytes(1));

    assertThat(item).hasSize(1024);
    assertThat(new String(item, StandardCharsets.US_ASCII)).startsWith("120xx");
  }
}
