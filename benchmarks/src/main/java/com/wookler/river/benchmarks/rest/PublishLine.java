package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.Spread;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.MeasuredServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Publishing as fast as so many connections can. Where it is compared, rounds go in turn to a queue
 * and to the same server's queue that throws everything away. Each round has a fresh queue, which
 * must hold at its end what was answered.
 */
final class PublishLine implements RestLine {
  private static final String QUEUE = "measured";
  private static final String DISCARDING = "discarding";
  private static final int FEW = 8;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String name;
  private final String text;
  private final Requests requests;
  private final boolean compared;

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
    static Requests of(int connections, int batch, int bytes) {
      return new Requests(connections, batch, bytes, false, false);
    }

    Requests withIds() {
      return new Requests(connections, batch, bytes, true, disk);
    }

    /** For tiny rounds. */
    Requests few() {
      return new Requests(Math.min(connections, FEW), batch, bytes, ids, disk);
    }

    Requests forced() {
      return new Requests(connections, batch, bytes, ids, true);
    }
  }

  PublishLine(String name, String text, Requests requests, boolean compared) {
    this.name = name;
    this.text = text;
    this.requests = requests;
    this.compared = compared;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String text() {
    return text;
  }

  @Override
  public boolean needsWrk() {
    return true;
  }

  @Override
  public List<Row> measure(RestLab lab) throws Exception {
    Wrk wrk = Wrk.in(lab.directory());
    List<Wrk.Figures> stored = new ArrayList<>();
    List<Wrk.Figures> discarded = new ArrayList<>();
    ServerProcess server = lab.shared();
    try (RiverClient client = server.client()) {
      int warmUps = lab.quick() ? 0 : 1;
      for (int round = -warmUps; round < lab.rounds(); round++) {
        Wrk.Figures one = round(wrk, server, client.queue(QUEUE), lab);
        Wrk.Figures other =
            compared ? round(wrk, server, client.queue(MeasuredServer.NOWHERE), lab) : null;
        if (round >= 0) {
          stored.add(one);
          if (other != null) {
            discarded.add(other);
          }
        }
      }
    }
    return rows(stored, discarded);
  }

  private Wrk.Figures round(Wrk wrk, ServerProcess server, RemoteQueue queue, RestLab lab)
      throws Exception {
    Requests sent = lab.quick() ? requests.few() : requests;
    Duration time = lab.round();
    Wrk.Figures figures;
    do { // a moment may be too short for any answer
      queue.create(QueueSettings.builder().build());
      figures = wrk.publish(server.url(queue.name()), sent, time);
      long messages = queue.info().stats().nextSequence();
      queue.delete(true);
      check(queue.name(), figures.requests(), messages);
      time = time.multipliedBy(2);
    } while (figures.requests() == 0 && time.compareTo(PATIENCE) < 0);
    if (figures.requests() == 0) {
      throw new IllegalStateException("nothing was answered within " + PATIENCE);
    }
    return figures;
  }

  /** Those under way at the end may be stored without having been counted. */
  private void check(String queue, long answered, long messages) {
    boolean nothing = queue.equals(MeasuredServer.NOWHERE);
    long least = nothing ? 0 : answered * requests.batch();
    long most = nothing ? 0 : (answered + requests.connections()) * requests.batch();
    if (messages < least || messages > most) {
      throw new IllegalStateException(
          queue + " has " + messages + " messages of " + answered + " requests");
    }
  }

  private List<Row> rows(List<Wrk.Figures> stored, List<Wrk.Figures> discarded) {
    List<Row> rows = new ArrayList<>();
    Ratio ratio = null;
    if (compared) {
      Spread ratios = Spread.ofRatios(rates(stored), rates(discarded));
      ratio = new Ratio(DISCARDING, ratios.median(), ratios.min(), ratios.max());
    }
    rows.add(row(RestLab.RIVER, stored, ratio));
    if (compared) {
      rows.add(row(DISCARDING, discarded, null));
    }
    return rows;
  }

  private List<Double> rates(List<Wrk.Figures> figures) {
    return figures.stream().map(one -> one.perSecond() * requests.batch()).toList();
  }

  private Row row(String system, List<Wrk.Figures> figures, @Nullable Ratio ratio) {
    Spread rates = Spread.of(rates(figures));
    Map<String, Double> extra = new LinkedHashMap<>();
    extra.put("p50 µs", median(figures, Wrk.Figures::p50));
    extra.put("p99 µs", median(figures, Wrk.Figures::p99));
    extra.put("p99/p50", median(figures, one -> one.p99() / Math.max(1, one.p50())));
    return new Row(
        RestLab.TABLE,
        text,
        system,
        "msg/s",
        rates.median(),
        rates.min(),
        rates.max(),
        ratio,
        extra,
        note(system));
  }

  private static double median(List<Wrk.Figures> figures, ToDoubleFunction<Wrk.Figures> figure) {
    return Spread.of(figures.stream().map(figure::applyAsDouble).toList()).median();
  }

  private String note(String system) {
    return (system.equals(DISCARDING)
            ? "the same server, which reads, checks and answers likewise, and stores nothing; "
            : "default settings; ")
        + requests.connections()
        + " connections of one thread of wrk, each with one request under way, on the same machine;"
        + " heap of "
        + RestLab.HEAP;
  }
}
