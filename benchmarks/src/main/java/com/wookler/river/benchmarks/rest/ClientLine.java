package com.wookler.river.benchmarks.rest;

import com.sun.management.OperatingSystemMXBean;
import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.Spread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.MeasuredServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a publish by the Java client costs the process that makes it, beside the JDK's client that
 * sends the same request: how many requests so many threads make with one second of processor time.
 * Rounds go in turn, to a server in a process of its own that stores nothing.
 */
final class ClientLine implements RestLine {
  private static final String JDK = "jdk";
  private static final int BYTES = 1_024;
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final TimeSource time = TimeSource.system();
  private final int threads;

  /** One round. */
  private record Figures(long requests, double processorSeconds, double seconds) {
    double perProcessorSecond() {
      return requests / processorSeconds;
    }
  }

  /** One request. */
  private interface Publish {
    void run() throws IOException, InterruptedException;
  }

  ClientLine(int threads) {
    this.threads = threads;
  }

  @Override
  public String name() {
    return "client-" + threads;
  }

  @Override
  public String text() {
    return "publish 1 KiB by the Java client, " + threads + (threads == 1 ? " thread" : " threads");
  }

  @Override
  public boolean needsWrk() {
    return false;
  }

  @Override
  public List<Row> measure(RestLab lab) throws Exception {
    ServerProcess server = lab.shared();
    byte[] data = new byte[BYTES];
    List<Figures> river = new ArrayList<>();
    List<Figures> jdk = new ArrayList<>();
    try (RiverClient client = server.client()) {
      RemoteQueue queue = client.queue(MeasuredServer.NOWHERE);
      queue.create(QueueSettings.builder().build());
      Publish bare = bare(server.url(queue.name()), data);
      int warmUps = lab.quick() ? 0 : 2;
      for (int round = -warmUps; round < lab.rounds(); round++) {
        Figures one = round(() -> queue.publish(data), lab.round());
        Figures other = round(bare, lab.round());
        if (round >= 0) {
          river.add(one);
          jdk.add(other);
        }
      }
      queue.delete(true);
    }
    Spread ratios = Spread.ofRatios(rates(river), rates(jdk));
    return List.of(
        row(
            RestLab.RIVER,
            river,
            new Ratio(JDK, ratios.median(), ratios.min(), ratios.max()),
            "RemoteQueue.publish"),
        row(JDK, jdk, null, "HttpClient.send of the same request, without retries or time limit"));
  }

  /** The same method, path and headers. */
  private static Publish bare(String url, byte[] data) {
    HttpClient http = HttpClient.newHttpClient();
    URI uri = URI.create(url + "?durability=MEMORY");
    AtomicLong id = new AtomicLong();
    return () -> {
      HttpRequest request =
          HttpRequest.newBuilder(uri)
              .version(HttpClient.Version.HTTP_1_1)
              .header("User-Agent", "river-bench")
              .header("Content-Type", "application/octet-stream")
              .header("River-Id", "0123456789abcdef0123456789abcdef-" + id.incrementAndGet())
              .POST(HttpRequest.BodyPublishers.ofByteArray(data))
              .build();
      int status = http.send(request, HttpResponse.BodyHandlers.ofByteArray()).statusCode();
      if (status != 201) {
        throw new IOException("a publish was answered with status " + status);
      }
    };
  }

  private Figures round(Publish publish, Duration length) throws Exception {
    ExecutorService workers = Executors.newFixedThreadPool(threads);
    try {
      long processor = SYSTEM.getProcessCpuTime();
      long start = time.nanoTime();
      List<Future<Long>> counts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        counts.add(workers.submit(() -> publish(publish, start + length.toNanos())));
      }
      long requests = 0;
      for (Future<Long> count : counts) {
        requests += count.get();
      }
      return new Figures(
          requests,
          (SYSTEM.getProcessCpuTime() - processor) / 1e9,
          (time.nanoTime() - start) / 1e9);
    } finally {
      workers.shutdownNow();
    }
  }

  private long publish(Publish publish, long end) throws IOException, InterruptedException {
    long requests = 0;
    int broken = 0;
    while (requests == 0 || time.nanoTime() - end < 0) {
      try {
        publish.run();
        requests++;
      } catch (IOException e) { // the JDK's client may take a connection that is being closed
        if (++broken > 100) {
          throw e;
        }
      }
    }
    return requests;
  }

  private static List<Double> rates(List<Figures> figures) {
    return figures.stream().map(Figures::perProcessorSecond).toList();
  }

  private Row row(String system, List<Figures> figures, @Nullable Ratio ratio, String note) {
    Spread rates = Spread.of(rates(figures));
    Spread wall = Spread.of(figures.stream().map(one -> one.requests() / one.seconds()).toList());
    return new Row(
        RestLab.TABLE,
        text(),
        system,
        "req/processor s",
        rates.median(),
        rates.min(),
        rates.max(),
        ratio,
        Map.of("req/s", wall.median()),
        note + "; processor time of the process that publishes, to a server that stores nothing");
  }
}
