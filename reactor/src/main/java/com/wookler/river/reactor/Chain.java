package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;

/** Runs stages one after the other. */
final class Chain<M> implements Stage<M> {
  private final List<Stage<M>> stages;
  private final boolean acksLater;

  /**
   * Creates a chain.
   *
   * @param acksLater whether the processors acknowledge what the last stage passes on
   */
  Chain(List<Stage<M>> stages, boolean acksLater) {
    this.stages = List.copyOf(stages);
    this.acksLater = acksLater;
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, ResultHandler<M> handler) {
    List<Delivery<M>> left = batch;
    for (Stage<M> stage : stages) {
      if (left.isEmpty()) {
        break;
      }
      left = stage.run(left, handler);
    }
    return left;
  }

  /**
   * Runs a batch through all stages, and acknowledges what the last one passes on, unless the
   * processors do.
   */
  void runToEnd(List<Delivery<M>> batch, ResultHandler<M> handler) {
    List<Delivery<M>> passed = run(batch, handler);
    if (!acksLater) {
      passed.forEach(delivery -> handler.handle(delivery, ProcessResult.done()));
    }
    handler.flush();
  }

  /** Starts all stages. If one throws, it and those before it are closed. */
  @Override
  public void start() {
    int started = 0;
    try {
      for (Stage<M> stage : stages) {
        started++;
        stage.start();
      }
    } catch (RuntimeException | Error e) {
      stages.subList(0, started).forEach(Stage::close);
      throw e;
    }
  }

  @Override
  public void close() {
    stages.forEach(Stage::close);
  }
}
