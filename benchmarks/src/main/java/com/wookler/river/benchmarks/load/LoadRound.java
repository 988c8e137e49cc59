package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.benchmarks.load.Line.Figure;
import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.OpenQueue.Receiver;
import com.wookler.river.benchmarks.system.OpenQueue.Sender;
import com.wookler.river.benchmarks.system.OpenQueue.Sink;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Work;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * One round of a line by one system, on a queue in a directory of its own that is deleted after it.
 * Publishers and consumers work at once; a line without publishers has its queue filled before.
 *
 * @param count messages, unless {@code capMillis} are over before
 * @param verify whether to read back, untimed, what was published, if the line has no consumers
 */
record LoadRound(
    String line, String system, String directory, long count, long capMillis, boolean verify)
    implements Context.Job<LoadRound.Outcome> {
  private static final int CLOCK_MASK = 63; // the clock is read once in 64 calls
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final Duration WAIT = Duration.ofMillis(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** What a round yields: the time it took, the figure of the row, and further ones. */
  record Outcome(long nanos, double figure, Map<String, Double> extra) implements Serializable {}

  @Override
  public Outcome call() throws Exception {
    Line asked = Line.named(line);
    QueueSystem contender = QueueSystem.named(system);
    if (!verify) {
      ThisJvm.awaitCompiled();
    }
    Path own = Files.createTempDirectory(Path.of(directory), system + "-" + line + "-");
    try (OpenQueue queue = contender.opener().open(own, asked.workOf(contender))) {
      return new Running(this, asked, asked.workOf(contender), queue).run();
    } finally {
      ThisJvm.delete(own);
    }
  }

  private static final class Running {
    private final LoadRound round;
    private final Line line;
    private final Work work;
    private final OpenQueue queue;
    private final long cap;
    private final AtomicLong count; // that consumers wait for; lowered when the time is up
    private final Latencies published = new Latencies(); // of the only publisher at a steady rate
    private final Latencies received = new Latencies(); // of the only consumer then
    private final List<Double> seconds = new ArrayList<>(); // the publisher's, read at the end

    Running(LoadRound round, Line line, Work work, OpenQueue queue) {
      this.round = round;
      this.line = line;
      this.work = work;
      this.queue = queue;
      this.cap = Duration.ofMillis(round.capMillis).toNanos();
      this.count = new AtomicLong(round.count);
    }

    Outcome run() throws Exception {
      queue.expect(round.count);
      if (work.publishers() == 0) {
        fill();
      }
      WorkerGroup workers = new WorkerGroup();
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
      return outcome(workers.work(), consumed);
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
      Map<String, Double> extra = effort.each(messages);
      double figure = effort.rate(messages);
      if (line.figure() == Figure.PUBLISHER_RATE) {
        extra.put(Rounds.SLOWEST_SECOND, seconds.isEmpty() ? figure : Collections.min(seconds));
      } else if (line.figure() != Figure.RATE) {
        Latencies latencies = line.figure() == Figure.PUBLISHED ? published : received;
        Map<String, Double> costs = extra;
        extra = latencies.percentiles("50", "99", "99.9", "99.99");
        extra.putAll(costs);
        figure = latencies.micros(99.99);
      }
      return new Outcome(effort.nanos(), figure, extra);
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
            line.rate() == 0
                ? flatOut(sender, payloads, share, start)
                : published.pace(
                    new Latencies.Pace(start, line.rate()),
                    share,
                    () -> System.nanoTime() - start >= cap,
                    turn -> sender.send(payloads.one()));
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
      boolean watched = line.figure() == Figure.PUBLISHER_RATE;
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

    /** Takes the whole count; what was there before, no longer than the time. */
    private long consume(int number, Received all, WorkerGroup.Timer timer) throws Exception {
      try (Receiver receiver = queue.receiver(number)) {
        long start = timer.begin();
        Sink sink = all;
        if (line.rate() > 0) {
          Latencies.Pace pace = new Latencies.Pace(start, line.rate());
          sink =
              data -> {
                received.record(System.nanoTime() - pace.due(all.count()));
                all.accept(data);
              };
        }
        long end = start + (work.publishers() == 0 ? cap : Duration.ofDays(1).toNanos());
        take(receiver, sink, all, count::get, end);
        if (line.figure() != Figure.PUBLISHER_RATE) {
          timer.end();
        }
      }
      return all.count();
    }

    private void take(Receiver receiver, Sink sink, Received all, LongSupplier count, long end)
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
