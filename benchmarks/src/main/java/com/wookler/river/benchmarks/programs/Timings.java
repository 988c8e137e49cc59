package com.wookler.river.benchmarks.programs;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * How long each request of each client took.
 *
 * <p>Each client has a range of its own, so that they need no lock. Of a client's requests the
 * first ones are kept, as many as let all clients together keep at most {@link #LIMIT}. (The
 * original kept those of the first clients that ended.)
 */
final class Timings {
  /** Requests kept: 80 MB. */
  static final int LIMIT = 10_000_000;

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
            .mapToObj(i -> decimal(micros(size - i)))
            .collect(Collectors.joining(" "));
    out.printf(
        Locale.ROOT,
        "Transactions: min=%.2f; max=%s; median=%.2f; average=%.2f usec%n",
        micros(0),
        greatest,
        (micros((size - 1) / 2) + micros(size / 2)) / 2,
        Arrays.stream(nanos).average().orElse(0) / 1000);
    String shares =
        DoubleStream.of(SHARES)
            .mapToObj(share -> decimal(share * 100) + "%=" + decimal(micros(share)))
            .collect(Collectors.joining(" "));
    out.println("Transactions distribution: " + shares);
    out.printf(
        Locale.ROOT,
        "Distribution in usec: min=%.0f max=%.0f p50=%.0f p75=%.0f p90=%.0f p95=%.0f p99=%.0f"
            + " p999=%.0f p9999=%.0f%n",
        micros(0),
        micros(size - 1),
        micros(0.5),
        micros(0.75),
        micros(0.9),
        micros(0.95),
        micros(0.99),
        micros(0.999),
        micros(0.9999));
  }

  private double micros(double share) {
    return micros((int) (nanos.length * share));
  }

  private double micros(int index) {
    return nanos[index] / 1000.0;
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
