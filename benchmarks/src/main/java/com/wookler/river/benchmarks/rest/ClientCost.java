package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.WorkerGroup;
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
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a publish by the Java client costs the process that makes it, beside the JDK's client that
 * sends the same request: how many requests the threads make with one second of processor time, to
 * a server that stores nothing.
 */
final class ClientCost {
  private static final String JDK = "jdk";
  private static final int MOST_BROKEN = 100;

  private ClientCost() {}

  /** One request. */
  private interface Publish {
    void run() throws IOException, InterruptedException;
  }

  static void measure(String text, int threads, Context context, Rounds rounds) throws Exception {
    byte[] data = new byte[1_024];
    Duration length = context.round(Rest.QUICK);
    MeasuredServer server =
        rounds.closing(new MeasuredServer(context.data(), context.jvm(), Duration.ZERO));
    RiverClient client = server.client();
    rounds.closing(client::close);
    RemoteQueue queue = client.queue(MeasuredServer.NOWHERE);
    queue.create(QueueSettings.builder().build());
    Publish bare = bare(server.url() + "/v1/queues/" + queue.name() + "/messages", data);
    rounds.ofSystems(JDK);
    rounds.note(
        system ->
            (system.equals(JDK)
                    ? "HttpClient.send of the same request, without retries or time limit"
                    : "RemoteQueue.publish")
                + "; processor time of the process that publishes, to a server that stores nothing");
    rounds.add(Rounds.RIVER, into -> round(text, threads, length, () -> queue.publish(data), into));
    rounds.add(JDK, into -> round(text, threads, length, bare, into));
    rounds.run(context.count(1, 0), 3);
  }

  /** Returns the same method, path and headers. */
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

  private static void round(
      String text, int threads, Duration length, Publish publish, Rounds.Recorder into)
      throws Exception {
    WorkerGroup workers = new WorkerGroup();
    for (int i = 0; i < threads; i++) {
      workers.add("CLIENT-" + i, timer -> publish(publish, length, timer));
    }
    WorkerGroup.Effort effort = workers.work();
    into.add(
        text,
        "req/processor s",
        effort.total() * 1e9 / effort.cpuNanos(),
        Map.of("req/s", effort.rate(effort.total())));
  }

  private static long publish(Publish publish, Duration length, WorkerGroup.Timer timer)
      throws Exception {
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
