package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Benchmark;
import com.wookler.river.benchmarks.harness.BenchmarkCommand;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.rest.Publishing.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./river bench rest}: each line with a server in a JVM of its own. */
@Command(
    name = "rest",
    description =
        "The REST server: publishing, many publishers, the Java client beside the JDK's, many long"
            + " polls, many idle connections.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class RestCommand extends BenchmarkCommand {
  /** Table that all rows belong to. */
  static final String TABLE = "rest";

  /** Of the server to which is published. */
  static final String HEAP = "512m";

  private static final int KIB = 1_024;
  private static final Duration QUICK_ROUND = Duration.ofMillis(150);

  private @Nullable Server shared;

  @Option(names = "--seconds", paramLabel = "N", description = "How long each round takes.")
  private int seconds = 3;

  @Override
  protected void check() {
    if (seconds < 1) {
      throw new UsageException("--seconds is at least 1");
    }
  }

  @Override
  protected List<Benchmark> benchmarks() {
    Requests single = new Requests(64, 1, KIB);
    Requests many = new Requests(500, 1, KIB);
    String batches = " over HTTP, batches of 100";
    String device = "publish 1 KiB to the device over HTTP";
    return List.of(
        compared("publish-1k", "publish 1 KiB over HTTP", single),
        compared("publish-1k-ids", "publish 1 KiB over HTTP, each with an id", single.withIds()),
        compared("batch-100", "publish 100 B" + batches, new Requests(16, 100, 100)),
        compared("batch-1k", "publish 1 KiB" + batches, new Requests(16, 100, KIB)),
        publish("forced-1k", device, single.forced(), false),
        publish("publishers", "publish 1 KiB over HTTP, 500 publishers", many, false),
        publish("publishers-forced", device + ", 500 publishers", many.forced(), false),
        client(1),
        client(10),
        client(100),
        new Benchmark(
            "polls", Connections.POLLS, context -> Connections.polls(context, round(context))),
        new Benchmark(
            "idle", Connections.IDLE, context -> Connections.idle(context, round(context))));
  }

  private Benchmark compared(String name, String text, Requests requests) {
    return publish(name, text, requests, true);
  }

  private Benchmark publish(String name, String text, Requests requests, boolean compared) {
    return new Benchmark(
        name,
        text,
        context -> {
          if (Wrk.find().isEmpty()) {
            throw new Benchmark.SkippedException(Wrk.MISSING);
          }
          Publishing publishing = new Publishing(text, requests, compared);
          return publishing.measure(context, server(context), round(context));
        });
  }

  private Benchmark client(int threads) {
    String text =
        "publish 1 KiB by the Java client, " + threads + (threads == 1 ? " thread" : " threads");
    return new Benchmark(
        "client-" + threads,
        text,
        context -> new ClientCost(text, threads, round(context)).measure(context, server(context)));
  }

  private Duration round(Context context) {
    return context.time(Duration.ofSeconds(seconds), QUICK_ROUND);
  }

  /** Returns one server for all that publish, because compiling it takes a while. */
  private Server server(Context context) throws IOException {
    if (shared == null) {
      shared = new Server(context.directory().resolveSibling(""), HEAP, Duration.ZERO);
    }
    return shared;
  }

  @Override
  protected void close() throws IOException {
    if (shared != null) {
      shared.close();
    }
  }
}
