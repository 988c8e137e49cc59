package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Directories;
import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Receiver;
import com.wookler.river.benchmarks.system.Sender;
import com.wookler.river.benchmarks.system.Systems;
import com.wookler.river.benchmarks.system.Work;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One round of a line by one system, on a queue in a directory of its own that is deleted after it.
 * Publishers and consumers work at once; a line without publishers has its queue filled before.
 *
 * @param line by its name
 * @param system by its name
 * @param directory in which the round makes one of its own
 * @param count messages
 * @param capMillis after which publishers and consumers stop, whatever the count
 * @param verify whether to read back, untimed, what was published, if the line has no consumers
 * @param recordings directory for a flight recording of the round; null for none
 */
record LoadRound(
    String line,
    String system,
    String directory,
    long count,
    long capMillis,
    boolean verify,
    @Nullable String recordings)
    implements Context.Job<LoadRound.Outcome> {
  private static final int CLOCK_MASK = 63; // the clock is read once in 64 calls
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final Duration WAIT = Duration.ofMillis(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * What a round yields.
   *
   * @param messages that were done; fewer than asked for if the time was up
   * @param nanos that it took
   * @param figure of the row
   * @param extra further figures
   */
  record Outcome(long messages, long nanos, double figure, Map<String, Double> extra) {}

  @Override
  public Outcome call() throws Exception {
    Line asked = Lines.byName(line);
    QueueSystem contender = Systems.byName(system);
    Path own = Files.createTempDirectory(Path.of(directory), system + "-" + line + "-");
    try (OpenQueue queue = contender.open(own, asked.workOf(contender))) {
      return new Running(this, asked, asked.workOf(contender), queue).run();
    } finally {
      Directories.delete(own);
    }
  }

  private static final class Running {
    private final LoadRound round;
    private final Line.Load load;
    private final Work work;
    private final OpenQueue queue;
    private final long cap;
    private final AtomicLong count; // that consumers wait for; lowered when the time is up
    private final Latencies published = new Latencies(); // of the only publisher at a steady rate
    private final Latencies received = new Latencies(); // of the only consumer then
    private final List<Double> seconds = new ArrayList<>(); // the publisher's, read at the end

    Running(LoadRound round, Line line, Work work, OpenQueue queue) {
      this.round = round;
      this.load = line.load();
      this.work = work;
      this.queue = queue;
      this.cap = Duration.ofMillis(round.capMillis).toNanos();
      this.count = new AtomicLong(round.count);
    }

    Outcome run() throws Exception {
      if (work.publishers() == 0) {
        fill();
      }
      try (FlightRecording recording = new FlightRecording(round.recordings)) {
        WorkerGroup workers = new WorkerGroup(recording::start, () -> {});
        for (int i = 0; i < work.publishers(); i++) {
          int number = i;
          workers.add("PUBLISHER-" + i, timer -> publish(number, timer));
        }
        List<Received> consumed = new ArrayList<>();
        for (int i = 0; i < work.consumers(); i++) {
          int number = i;
          Received all = new Received(1, work.size());
          consumed.add(all);
          workers.add("CONSUMER-" + i, timer -> consume(number, all, timer));
        }
        WorkerGroup.Effort effort = workers.work();
        recording.stop();
        return outcome(effort, consumed);
      }
    }

    private Outcome outcome(WorkerGroup.Effort effort, List<Received> consumed) throws Exception {
      List<Long> sent = effort.counts().subList(0, work.publishers());
      long messages = sent.stream().mapToLong(Long::longValue).sum();
      if (work.publishers() == 0) {
        messages = effort.total();
      } else if (!consumed.isEmpty()) {
        consumed.forEach(all -> all.check(sent));
      } else if (round.verify) {
        readBack(sent, messages);
      }
      double rate = effort.rate(messages);
      Map<String, Double> extra = effort.each(messages);
      return switch (load.figure()) {
        case RATE -> new Outcome(messages, effort.nanos(), rate, extra);
        case PUBLISHER_RATE -> {
          extra.put(Samples.SLOWEST_SECOND, seconds.isEmpty() ? rate : Collections.min(seconds));
          yield new Outcome(messages, effort.nanos(), rate, extra);
        }
        case PUBLISHED -> timed(published, effort, messages);
        case RECEIVED -> timed(received, effort, messages);
      };
    }

    private static Outcome timed(Latencies latencies, WorkerGroup.Effort effort, long messages) {
      Map<String, Double> extra = latencies.percentiles();
      extra.putAll(effort.each(messages));
      return new Outcome(messages, effort.nanos(), latencies.micros(99.99), extra);
    }

    private void fill() throws Exception {
      long end = System.nanoTime() + cap;
      Payloads payloads = new Payloads(0, work.size(), work.underWay() + 1);
      try (Sender sender = queue.sender()) {
        long sent = 0;
        while (sent < count.get() && ((sent & CLOCK_MASK) != 0 || System.nanoTime() - end < 0)) {
          sender.send(payloads.one());
          sent++;
        }
        sender.finish();
        count.set(sent);
      }
    }

    /** Publishes a share of the count, in whole batches, unless the time is up before. */
    private long publish(int number, WorkerGroup.Timer timer) throws Exception {
      int batch = work.batch();
      Payloads payloads =
          new Payloads(number, work.size(), batch > 1 ? batch : work.underWay() + 1);
      long share = Math.max(1, round.count / work.publishers());
      try (Sender sender = queue.sender()) {
        long start = timer.begin();
        long sent =
            load.rate() == 0
                ? flatOut(sender, payloads, share, start)
                : paced(sender, payloads, share, start);
        sender.finish();
        if (work.consumers() > 0) {
          count.set(sent); // there is one publisher then
        }
        timer.end();
        return sent;
      }
    }

    private long flatOut(Sender sender, Payloads payloads, long share, long start)
        throws Exception {
      int batch = work.batch();
      boolean watched = load.figure() == Line.Figure.PUBLISHER_RATE;
      long second = start;
      long before = 0; // messages until that second began
      long sent = 0;
      for (long calls = 0; sent < share; calls++) {
        if ((calls & CLOCK_MASK) == 0) {
          long now = System.nanoTime();
          if (now - start >= cap) {
            break;
          }
          if (watched && now - second >= SECOND) {
            seconds.add((sent - before) * (double) SECOND / (now - second));
            second = now;
            before = sent;
          }
        }
        if (batch > 1) {
          sender.send(payloads.all());
        } else {
          sender.send(payloads.one());
        }
        sent += batch;
      }
      return sent;
    }

    private long paced(Sender sender, Payloads payloads, long share, long start) throws Exception {
      Latencies.Pace pace = new Latencies.Pace(start, load.rate());
      long sent = 0;
      while (sent < share && ((sent & CLOCK_MASK) != 0 || System.nanoTime() - start < cap)) {
        pace.await(sent);
        sender.send(payloads.one());
        published.record(System.nanoTime() - pace.due(sent));
        sent++;
      }
      return sent;
    }

    /** Takes the whole count; what was there before, no longer than the time. */
    private long consume(int number, Received all, WorkerGroup.Timer timer) throws Exception {
      try (Receiver receiver = queue.receiver(number)) {
        long start = timer.begin();
        Receiver.Sink sink = all;
        if (load.rate() > 0) {
          Latencies.Pace pace = new Latencies.Pace(start, load.rate());
          sink =
              data -> {
                received.record(System.nanoTime() - pace.due(all.count()));
                all.accept(data);
              };
        }
        long end = start + (work.publishers() == 0 ? cap : Duration.ofDays(1).toNanos());
        take(receiver, sink, all, count::get, end);
        if (load.figure() != Line.Figure.PUBLISHER_RATE) {
          timer.end();
        }
      }
      return all.count();
    }

    private void take(
        Receiver receiver, Receiver.Sink sink, Received all, LongSupplier count, long end)
        throws Exception {
      long since = 0; // when a call first came back empty; 0 if the last one did not
      long limit = count.getAsLong();
      for (long calls = 0; all.count() < limit; calls++) {
        if ((calls & CLOCK_MASK) == 0 && System.nanoTime() - end >= 0) {
          break;
        }
        int most = (int) Math.min(work.batch(), limit - all.count());
        if (receiver.receive(most, WAIT, sink) > 0) {
          since = 0;
        } else if (since == 0) {
          since = System.nanoTime();
        } else if (System.nanoTime() - since > PATIENCE.toNanos()) {
          throw new IllegalStateException(
              "nothing came for " + PATIENCE.toSeconds() + " s after message " + all.count());
        }
        limit = count.getAsLong();
      }
    }

    /** Reads back everything that was published, however long it takes. */
    private void readBack(List<Long> sent, long total) throws Exception {
      Received all = new Received(work.publishers(), work.size());
      try (Receiver receiver = queue.receiver(0)) {
        take(receiver, all, all, () -> total, System.nanoTime() + Duration.ofDays(1).toNanos());
      }
      all.check(sent);
    }
  }
}
