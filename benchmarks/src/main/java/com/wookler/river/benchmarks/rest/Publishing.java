package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Recorder;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.MeasuredServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Publishing as fast as some connections can. If it is compared, rounds go in turn to a queue and
 * to the same server's queue that throws everything away. Each round has a fresh queue, which must
 * hold at its end what was answered.
 *
 * @param text of the line
 * @param requests what is sent
 * @param compared whether to the queue that throws everything away, too
 */
record Publishing(String text, Requests requests, boolean compared) {
  private static final String DISCARDING = "discarding";
  private static final int FEW = 8;

  /** Each round has a name of its own: a late request of an earlier one must not find its queue. */
  private static final AtomicInteger QUEUES = new AtomicInteger();

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * What is sent.
   *
   * @param connections at once
   * @param batch messages a request
   * @param bytes of a message
   * @param ids whether each request has one
   * @param disk whether each is to be on the device before it is answered
   */
  record Requests(int connections, int batch, int bytes, boolean ids, boolean disk) {
    Requests(int connections, int batch, int bytes) {
      this(connections, batch, bytes, false, false);
    }

    Requests withIds() {
      return new Requests(connections, batch, bytes, true, disk);
    }

    Requests forced() {
      return new Requests(connections, batch, bytes, ids, true);
    }

    Requests few() {
      return new Requests(Math.min(connections, FEW), batch, bytes, ids, disk);
    }
  }

  List<Row> measure(Context context, Server server, Duration time) throws Exception {
    Wrk wrk = Wrk.in(context.directory());
    Requests sent = context.quick() ? requests.few() : requests;
    Samples samples = Samples.ofSystems(RestCommand.TABLE, DISCARDING);
    try (Rounds rounds = new Rounds(samples, context)) {
      RiverClient client = server.client();
      rounds.closing(client::close);
      rounds.add(
          Samples.RIVER,
          into -> {
            RemoteQueue queue = client.queue("measured-" + QUEUES.incrementAndGet());
            add(into, round(wrk, server.url(queue.name()), sent, queue, time));
          });
      if (compared) {
        RemoteQueue nowhere = client.queue(MeasuredServer.NOWHERE);
        rounds.add(
            DISCARDING,
            into -> add(into, round(wrk, server.url(nowhere.name()), sent, nowhere, time)));
      }
      rounds.run(context.count(1, 0), context.rounds(5));
    }
    return samples.rows(
        system ->
            (system.equals(DISCARDING)
                    ? "the same server, which reads, checks and answers likewise, and stores"
                        + " nothing; "
                    : "default settings; ")
                + requests.connections()
                + " connections of one thread of wrk, each with one request under way, on the same"
                + " machine; heap of "
                + RestCommand.HEAP);
  }

  private void add(Recorder into, Wrk.Figures figures) {
    Map<String, Double> extra = new LinkedHashMap<>();
    extra.put("p50 µs", figures.p50());
    extra.put("p99 µs", figures.p99());
    extra.put("p99/p50", figures.p99() / Math.max(1, figures.p50()));
    into.add(text, "msg/s", figures.perSecond() * requests.batch(), extra);
  }

  private Wrk.Figures round(Wrk wrk, String url, Requests sent, RemoteQueue queue, Duration time)
      throws Exception {
    Wrk.Figures figures;
    Duration length = time;
    do { // a moment may be too short for any answer
      queue.create(QueueSettings.builder().build());
      figures = wrk.publish(url, sent, length);
      long messages = queue.info().stats().nextSequence();
      queue.delete(true);
      check(queue.name(), figures.requests(), messages);
      length = length.multipliedBy(2);
    } while (figures.requests() == 0 && length.compareTo(PATIENCE) < 0);
    ThisJvm.check(figures.requests() > 0, "nothing was answered within " + PATIENCE);
    return figures;
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
}
