package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;

/** Stages, one behind the other. */
final class Chain<M> implements Stage<M> {
  private final List<Stage<M>> stages;
  private final boolean leaves;

  /**
   * Of these stages.
   *
   * @param leaves whether somebody else acknowledges what the last one passes on
   */
  Chain(List<Stage<M>> stages, boolean leaves) {
    this.stages = List.copyOf(stages);
    this.leaves = leaves;
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, Outcomes<M> outcomes) {
    List<Delivery<M>> left = batch;
    for (Stage<M> stage : stages) {
      if (left.isEmpty()) {
        break;
      }
      left = stage.run(left, outcomes);
    }
    return left;
  }

  /** Runs a batch to its end: what the last stage passes on is finished, unless it is left. */
  void runOut(List<Delivery<M>> batch, Outcomes<M> outcomes) {
    List<Delivery<M>> passed = run(batch, outcomes);
    if (!leaves) {
      passed.forEach(delivery -> outcomes.decide(delivery, ProcessResult.done()));
    }
    outcomes.flush();
  }

  /** If one does not start, those before it are closed again, and it too. */
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
