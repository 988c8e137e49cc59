package com.wookler.river.reactor;

import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for workers that process a batch for longer than the time limit, and reports each once,
 * with what its thread is doing. The messages come again after their acknowledgement timeout; a
 * substitute takes them, as long as there are not more substitutes than workers were asked for.
 */
final class StuckWatch<M> implements ManagedTask {
  private static final Logger LOG = LoggerFactory.getLogger(StuckWatch.class);
  private static final Duration SHORTEST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final Plan<M> plan;
  private final Crew<M> crew;
  private final int threads;
  private final Duration limit;
  private final Set<Worker.Run<M>> reported = new HashSet<>(); // confined to the task's steps

  StuckWatch(Plan<M> plan, Crew<M> crew, int threads, Duration limit) {
    this.plan = plan;
    this.crew = crew;
    this.threads = threads;
    this.limit = limit;
  }

  @Override
  public String name() {
    return "reactor-watch-" + plan.subscriber().name();
  }

  @Override
  public Duration interval() {
    Duration quarter = limit.dividedBy(4);
    return quarter.compareTo(SHORTEST) < 0
        ? SHORTEST
        : quarter.compareTo(LONGEST) > 0 ? LONGEST : quarter;
  }

  @Override
  public boolean step() {
    long now = plan.time().nanoTime();
    List<Worker<M>> workers = crew.workers();
    reported.retainAll(workers.stream().map(Worker::current).filter(Objects::nonNull).toList());
    for (Worker<M> worker : workers) {
      Worker.Run<M> run = worker.current();
      if (run != null && now - run.startedNanos() > limit.toNanos()) {
        if (reported.add(run)) {
          report(worker, run);
        }
        substitute(worker);
      }
    }
    return false;
  }

  private void report(Worker<M> worker, Worker.Run<M> run) {
    Thread thread = worker.thread();
    Delivery<M> first = run.batch().get(0);
    LOG.warn(
        "A processor of subscriber {} has been busy for more than {} with {} from sequence"
            + " {} on, in thread {}:{}",
        plan.subscriber().name(),
        limit,
        Amount.of(run.batch().size(), "message"),
        first.sequence(),
        thread == null ? "?" : thread.getName(),
        thread == null ? "" : stack(thread));
    plan.tally().stuck.increment();
  }

  /** Also later, where there were too many substitutes before, or no memory for a thread. */
  private void substitute(Worker<M> worker) {
    if (!worker.isDismissed() && crew.workers().size() < 2 * threads) {
      crew.substitute(worker);
    }
  }

  private static String stack(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .map(frame -> System.lineSeparator() + "\tat " + frame)
        .collect(Collectors.joining());
  }
}
