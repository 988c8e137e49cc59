package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Suite;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.MeasuredServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Publishing as fast as some connections can, by the load generator {@code wrk} with the script
 * {@code publish.lua}: one thread of it keeps all connections busy. If it is compared, rounds go in
 * turn to a queue and to the same server's queue that throws everything away. Each round has a
 * fresh queue, which must hold at its end what was answered.
 */
final class Publishing {
  private static final String DISCARDING = "discarding";
  private static final Pattern FIGURES =
      Pattern.compile(
          "RIVER requests=(\\d+) micros=(\\d+) refused=(\\d+) broken=(\\d+) p50=(\\d+) p99=(\\d+)");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Each round has a name of its own: a late request of an earlier one must not find its queue. */
  private static final AtomicInteger QUEUES = new AtomicInteger();

  private final Context context;
  private final MeasuredServer server;
  private final Requests requests;
  private final Path wrk;
  private final Path script;

  /** What is sent: messages of a size in batches, with ids or not, to the device or to memory. */
  record Requests(int connections, int batch, int bytes, boolean ids, boolean disk)
      implements Serializable {}

  private Publishing(Context context, Requests requests)
      throws IOException, Suite.SkippedException {
    this.context = context;
    this.requests = requests;
    this.wrk =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .map(directory -> Path.of(directory, "wrk"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElseThrow(
                () ->
                    new Suite.SkippedException("there is no wrk on the PATH (Debian package wrk)"));
    this.script = Path.of(context.data(), "publish.lua");
    try (InputStream resource = Publishing.class.getResourceAsStream("/rest/publish.lua")) {
      Files.write(script, Objects.requireNonNull(resource).readAllBytes());
    }
    this.server = new MeasuredServer(context.data(), context.jvm(), Duration.ZERO);
  }

  static void measure(String text, Requests asked, boolean compared, Context context, Rounds rounds)
      throws Exception {
    int connections = context.count(asked.connections(), Math.min(asked.connections(), 8));
    Requests requests =
        new Requests(connections, asked.batch(), asked.bytes(), asked.ids(), asked.disk());
    Publishing publishing = new Publishing(context, requests);
    RiverClient client = rounds.closing(publishing.server).client();
    rounds.closing(client::close);
    rounds.ofSystems(DISCARDING);
    rounds.note(
        system ->
            (system.equals(DISCARDING)
                    ? "the same server, which reads, checks and answers alike, and stores"
                        + " nothing; "
                    : "default settings; ")
                + connections
                + " connections of one thread of wrk, each with one request under way, on the same"
                + " machine; heap of 512m");
    rounds.add(
        Rounds.RIVER,
        into -> publishing.round(text, client.queue("measured-" + QUEUES.incrementAndGet()), into));
    if (compared) {
      rounds.add(
          DISCARDING, into -> publishing.round(text, client.queue(MeasuredServer.NOWHERE), into));
    }
    rounds.run(context.count(2, 0), 3); // the first ones are compiled
  }

  private void round(String text, RemoteQueue queue, Rounds.Recorder into) throws Exception {
    long answered = 0;
    Duration length = context.round(Rest.QUICK);
    while (answered == 0) { // a moment may be too short for any answer
      ThisJvm.check(length.compareTo(PATIENCE) < 0, "nothing was answered within " + PATIENCE);
      queue.create(QueueSettings.builder().build());
      Matcher figures = wrk(server.url() + "/v1/queues/" + queue.name() + "/messages", length);
      long messages = queue.info().stats().nextSequence();
      queue.delete(true);
      answered = number(figures, 1);
      check(queue.name(), answered, messages);
      if (answered > 0) {
        Map<String, Double> extra = new LinkedHashMap<>();
        extra.put("p50 µs", (double) number(figures, 5));
        extra.put("p99 µs", (double) number(figures, 6));
        extra.put("p99/p50", (double) number(figures, 6) / Math.max(1, number(figures, 5)));
        double rate = answered * requests.batch() * 1e6 / number(figures, 2);
        into.add(text, "msg/s", rate, extra);
      }
      length = length.multipliedBy(2);
    }
  }

  /** Requests under way at the end may be stored without having been counted. */
  private void check(String queue, long answered, long messages) {
    boolean nothing = queue.equals(MeasuredServer.NOWHERE);
    long least = nothing ? 0 : answered * requests.batch();
    long most = nothing ? 0 : (answered + requests.connections()) * requests.batch();
    ThisJvm.check(
        messages >= least && messages <= most,
        queue + " has " + messages + " messages of " + answered + " requests");
  }

  /**
   * Publishes for a while, and returns what came out.
   *
   * @throws IOException it failed, or an answer was an error
   */
  private Matcher wrk(String url, Duration time) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (time.toSeconds() == 0) { // it knows whole seconds only, but ends well by a signal
      command.addAll(List.of("timeout", "-s", "INT", time.toMillis() / 1e3 + "s"));
    }
    command.addAll(List.of(wrk.toString(), "-t1", "-c" + requests.connections()));
    command.addAll(List.of("-d" + Math.max(1, time.toSeconds()) + "s", "-s", script.toString()));
    command.addAll(List.of(url + (requests.disk() ? "?durability=DISK" : ""), "--"));
    command.addAll(List.of("" + requests.batch(), "" + requests.bytes()));
    if (requests.ids()) {
      command.add("ids");
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Matcher figures = FIGURES.matcher(output);
    if (!figures.find() || number(figures, 3) + number(figures, 4) > 0) {
      throw new IOException("wrk failed, or not all requests were answered well: " + output);
    }
    return figures;
  }

  private static long number(Matcher figures, int group) {
    return Long.parseLong(figures.group(group));
  }
}
