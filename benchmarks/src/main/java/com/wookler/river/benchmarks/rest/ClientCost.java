package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Recorder;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.MeasuredServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a publish by the Java client costs the process that makes it, beside the JDK's client that
 * sends the same request: how many requests the threads make with one second of processor time, to
 * a server that stores nothing.
 *
 * @param text of the line
 * @param threads that publish
 * @param length of a round
 */
record ClientCost(String text, int threads, Duration length) {
  private static final String JDK = "jdk";
  private static final int BYTES = 1_024;
  private static final int MOST_BROKEN = 100;

  /** One request. */
  private interface Publish {
    void run() throws IOException, InterruptedException;
  }

  List<Row> measure(Context context, Server server) throws Exception {
    byte[] data = new byte[BYTES];
    Samples samples = Samples.ofSystems(RestCommand.TABLE, JDK);
    try (Rounds rounds = new Rounds(samples, context)) {
      RiverClient client = server.client();
      rounds.closing(client::close);
      RemoteQueue queue = client.queue(MeasuredServer.NOWHERE);
      queue.create(QueueSettings.builder().build());
      rounds.closing(() -> queue.delete(true));
      Publish bare = bare(server.url(queue.name()), data);
      rounds.add(Samples.RIVER, into -> round(() -> queue.publish(data), into));
      rounds.add(JDK, into -> round(bare, into));
      rounds.run(context.count(2, 0), context.rounds(5));
    }
    return samples.rows(
        system ->
            (system.equals(JDK)
                    ? "HttpClient.send of the same request, without retries or time limit"
                    : "RemoteQueue.publish")
                + "; processor time of the process that publishes, to a server that stores nothing");
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

  private void round(Publish publish, Recorder into) throws Exception {
    WorkerGroup workers = new WorkerGroup();
    for (int i = 0; i < threads; i++) {
      workers.add("CLIENT-" + i, timer -> publish(publish, timer));
    }
    WorkerGroup.Effort effort = workers.work();
    into.add(
        text,
        "req/processor s",
        effort.total() * 1e9 / effort.cpuNanos(),
        Map.of("req/s", effort.rate(effort.total())));
  }

  private long publish(Publish publish, WorkerGroup.Timer timer) throws Exception {
    long end = timer.begin() + length.toNanos();
    long requests = 0;
    int broken = 0;
    while (requests == 0 || System.nanoTime() - end < 0) {
      try {
        publish.run();
        requests++;
      } catch (IOException e) { // the JDK's client may take a connection that is being closed
        if (++broken > MOST_BROKEN) {
          throw e;
        }
      }
    }
    timer.end();
    return requests;
  }
}
