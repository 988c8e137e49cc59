package com.wookler.river.reactor;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Holds what all parts of one reactor share, and applies what its processors decide outside a
 * batch. Thread-safe.
 */
final class ReactorRuntime<M> implements ReactorContext<M> {
  private final Subscriber<M> subscriber;
  private final TimeSource time;
  private final int batchSize;
  private final boolean oneAtATime;
  private final FailurePolicies policies;
  private final ReactorCounters counters = new ReactorCounters();
  private final PauseGate gate;
  private final List<AsyncStages<M>> asyncs = new CopyOnWriteArrayList<>();
  private volatile @Nullable WorkerGroup<M> workers; // set once, after the processors have started

  /**
   * Creates the shared state of a reactor without workers.
   *
   * @param batchSize the largest number of messages that a worker takes at once
   * @param oneAtATime whether the reactor has a single worker, for which no substitute is started
   */
  ReactorRuntime(
      Subscriber<M> subscriber,
      TimeSource time,
      int batchSize,
      boolean oneAtATime,
      FailurePolicies policies) {
    this.policies = policies;
    this.subscriber = subscriber;
    this.time = time;
    this.batchSize = batchSize;
    this.oneAtATime = oneAtATime;
    this.gate = new PauseGate(time);
  }

  /** Returns the runtime of a processor's context; null if the context is a program's own. */
  static <M> @Nullable ReactorRuntime<M> of(ReactorContext<M> context) {
    if (context instanceof StageContext<M> stage) {
      return stage.runtime();
    }
    return context instanceof ReactorRuntime<M> runtime ? runtime : null;
  }

  @Override
  public Subscriber<M> subscriber() {
    return subscriber;
  }

  TimeSource time() {
    return time;
  }

  int batchSize() {
    return batchSize;
  }

  boolean oneAtATime() {
    return oneAtATime;
  }

  FailurePolicies policies() {
    return policies;
  }

  ReactorCounters counters() {
    return counters;
  }

  PauseGate gate() {
    return gate;
  }

  /** Sets the workers, on which {@link #run} depends. */
  void setWorkers(WorkerGroup<M> group) {
    workers = group;
  }

  /** Adds an asynchronous processor, also one that is within another processor. */
  void add(AsyncStages<M> async) {
    asyncs.add(async);
  }

  List<AsyncStages<M>> asyncs() {
    return asyncs;
  }

  /**
   * Waits for the stages of all asynchronous processors, when no worker runs any more, and lets
   * none begin afterwards; returns whether they have completed in time.
   */
  boolean awaitStages(long nanos) {
    long end = TimeSource.system().nanoTime() + nanos;
    boolean ended = true;
    for (AsyncStages<M> async : asyncs) {
      ended &= async.awaitEnd(Math.max(0, end - TimeSource.system().nanoTime()));
    }
    return ended;
  }

  /** Creates the handler for the results of one batch. */
  ResultHandler<M> newResultHandler() {
    return new ResultHandler<>(subscriber, counters, gate, policies);
  }

  @Override
  public boolean run(List<Delivery<M>> batch, Runnable work) {
    WorkerGroup<M> group = workers;
    Worker<M> worker = group == null ? null : group.addBorrowed();
    if (worker == null) {
      return false;
    }
    worker.runOnCallingThread(List.copyOf(batch), work);
    return true;
  }

  @Override
  public void decide(List<Delivery<M>> deliveries, List<ProcessResult<M>> results) {
    if (deliveries.size() != results.size()) {
      throw new IllegalArgumentException(
          Amount.of(results.size(), "result") + " for " + Amount.of(deliveries.size(), "message"));
    }
    ResultHandler<M> handler = newResultHandler();
    for (int i = 0; i < deliveries.size(); i++) {
      switch (results.get(i).kind()) {
        case PASS -> handler.handle(deliveries.get(i), ProcessResult.done());
        case LATER -> {} // the message stays in flight
        default -> handler.handle(deliveries.get(i), results.get(i));
      }
    }
    handler.flush();
  }
}
