package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.Context;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * How long each request of each client took, exactly: the greatest are printed one by one.
 *
 * <p>Each client has a range of its own, so that they need no lock. Of a client's requests the
 * first ones are kept, as many as let all clients together keep at most {@link #LIMIT}. (The
 * original kept those of the first clients that ended.)
 */
final class Timings {
  private static final int LIMIT = 10_000_000; // 80 MB
  private static final double[] SHARES = {
    0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999
  };

  private final int each;
  private final long[] nanos;

  /** Creates it for clients with at least one request each. */
  Timings(int clients, int requestsEach) {
    each = Math.min(requestsEach, Math.max(1, LIMIT / clients));
    nanos = new long[Math.multiplyExact(clients, each)];
  }

  /** Takes a client's n-th request; by that client's thread. */
  void set(int client, int request, long took) {
    if (request < each) {
      nanos[client * each + request] = took;
    }
  }

  /** Prints them, once all clients have ended. */
  void print(PrintWriter out) {
    Arrays.sort(nanos);
    int size = nanos.length;
    String greatest =
        IntStream.rangeClosed(1, Math.min(3, size))
            .mapToObj(i -> Context.text("%.2f", micros(size - i)))
            .collect(Collectors.joining(" "));
    double median = (micros((size - 1) / 2) + micros(size / 2)) / 2;
    double average = Arrays.stream(nanos).average().orElse(0) / 1000;
    out.println(
        Context.text(
            "Transactions: min=%.2f; max=%s; median=%.2f; average=%.2f usec",
            micros(0), greatest, median, average));
    out.println(
        DoubleStream.of(SHARES)
            .mapToObj(share -> Context.text("%.2f%%=%.2f", share * 100, micros(share)))
            .collect(Collectors.joining(" ", "Transactions distribution: ", "")));
    out.println(
        Context.text(
            "Distribution in usec: min=%.0f max=%.0f p50=%.0f p75=%.0f p90=%.0f p95=%.0f p99=%.0f"
                + " p999=%.0f p9999=%.0f",
            micros(0),
            micros(size - 1),
            micros(0.5),
            micros(0.75),
            micros(0.9),
            micros(0.95),
            micros(0.99),
            micros(0.999),
            micros(0.9999)));
  }

  private double micros(double share) {
    return micros((int) (nanos.length * share));
  }

  private double micros(int index) {
    return nanos[index] / 1000.0;
  }
}
