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
 * Detects workers that process a batch for longer than the time limit, and logs each once with the
 * stack of its thread. The messages are delivered again after their acknowledgement timeout; a
 * substitute takes them, unless there are as many substitutes as configured workers. Detects stages
 * of asynchronous processors as well, in whose place others may begin.
 */
final class StuckBatchDetector<M> implements ManagedTask {
  private static final Logger LOG = LoggerFactory.getLogger(StuckBatchDetector.class);
  private static final Duration SHORTEST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final ReactorRuntime<M> runtime;
  private final WorkerGroup<M> group;
  private final int threads;
  private final Duration limit;
  private final Set<Worker.RunningBatch<M>> reported =
      new HashSet<>(); // confined to the steps of the task

  StuckBatchDetector(ReactorRuntime<M> runtime, WorkerGroup<M> group, int threads, Duration limit) {
    this.runtime = runtime;
    this.group = group;
    this.threads = threads;
    this.limit = limit;
  }

  @Override
  public String name() {
    return "reactor-watch-" + runtime.subscriber().name();
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
    long now = runtime.time().nanoTime();
    List<Worker<M>> workers = group.workers();
    reported.retainAll(
        workers.stream().map(Worker::currentBatch).filter(Objects::nonNull).toList());
    for (Worker<M> worker : workers) {
      Worker.RunningBatch<M> running = worker.currentBatch();
      if (running != null && now - running.startedNanos() > limit.toNanos()) {
        if (reported.add(running)) {
          report(worker, running);
        }
        substitute(worker);
      }
    }
    runtime.asyncs().forEach(async -> report(async.takeStuck(limit)));
    return false;
  }

  private void report(List<Delivery<M>> stuck) {
    if (!stuck.isEmpty()) {
      LOG.warn(
          "An asynchronous processor of subscriber {} has not completed {} for more than {}, among"
              + " them sequence {}",
          runtime.subscriber().name(),
          Amount.of(stuck.size(), "message"),
          limit,
          stuck.get(0).sequence());
      runtime.counters().stuck.add(stuck.size());
    }
  }

  private void report(Worker<M> worker, Worker.RunningBatch<M> running) {
    Thread thread = worker.thread();
    Delivery<M> first = running.batch().get(0);
    LOG.warn(
        "A processor of subscriber {} has been busy for more than {} with {} from sequence"
            + " {} on, in thread {}:{}",
        runtime.subscriber().name(),
        limit,
        Amount.of(running.batch().size(), "message"),
        first.sequence(),
        thread == null ? "?" : thread.getName(),
        thread == null ? "" : stack(thread));
    runtime.counters().stuck.increment();
  }

  /** Starts a substitute, at a later step if there are too many now or memory is short. */
  private void substitute(Worker<M> worker) {
    if (!worker.isRetired() && group.workers().size() < 2 * threads) {
      group.substitute(worker);
    }
  }

  private static String stack(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .map(frame -> System.lineSeparator() + "\tat " + frame)
        .collect(Collectors.joining());
  }
}
