package com.wookler.river.reactor;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a processor, counts, and carries its results out. */
final class ProcessorStage<M> implements Stage<M> {
  private final String name;
  private final BatchProcessor<M> processor;
  private final ProcessorCounters counters;
  private final Home<M> home;
  private final FailureLog failures;

  ProcessorStage(
      String name, BatchProcessor<M> processor, ProcessorCounters counters, Home<M> home) {
    this.name = name;
    this.processor = processor;
    this.counters = counters;
    this.home = home;
    this.failures = new FailureLog(name);
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, Outcomes<M> outcomes) {
    long started = counters.started();
    List<ProcessResult<M>> results = process(batch);
    counters.ended(started, batch.size());
    List<Delivery<M>> passed = new ArrayList<>(batch.size());
    int success = 0;
    int failed = 0;
    for (int i = 0; i < batch.size(); i++) {
      ProcessResult<M> result = results.get(i);
      take(batch.get(i), result, passed, outcomes);
      if (result.isSuccess()) {
        success++;
      } else if (result.kind() != ProcessResult.Kind.RELEASE) { // which was not processed at all
        failed++;
      }
    }
    counters.decided(success, failed);
    return passed;
  }

  private List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    try {
      List<ProcessResult<M>> results =
          List.copyOf(processor.process(Collections.unmodifiableList(batch)));
      if (results.size() == batch.size()) {
        return results;
      }
      return all(
          batch,
          ProcessResult.failed(
              new IllegalStateException(
                  "processor "
                      + name
                      + " gave "
                      + Amount.of(results.size(), "result")
                      + " for "
                      + Amount.of(batch.size(), "message"))));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return all(batch, ProcessResult.retry(Duration.ZERO)); // they had begun
    } catch (Throwable e) { // an Error too: it fails these messages, and is dealt with behind them
      return all(batch, ProcessResult.failed(e));
    }
  }

  private static <M> List<ProcessResult<M>> all(List<?> batch, ProcessResult<M> result) {
    return Collections.nCopies(batch.size(), result);
  }

  private void take(
      Delivery<M> delivery,
      ProcessResult<M> result,
      List<Delivery<M>> passed,
      Outcomes<M> outcomes) {
    Throwable cause = result.cause();
    if (cause != null) {
      counters.exception();
      failures.tell(delivery, cause);
    }
    switch (result.kind()) {
      case PASS -> pass(delivery, result.messages(), passed);
      case LATER -> {} // whoever took it over decides
      default -> outcomes.decide(delivery, result);
    }
  }

  private void pass(
      Delivery<M> delivery, @Nullable List<Message<M>> messages, List<Delivery<M>> passed) {
    if (messages == null) {
      passed.add(delivery);
      return;
    }
    Course<M> course = new Course<>(delivery, messages.size());
    for (int i = 0; i < messages.size(); i++) {
      passed.add(new Passed<>(course, i, messages.get(i), home::decide));
    }
  }

  @Override
  @SuppressWarnings("unchecked") // a processor of these messages
  public void start() {
    if (processor instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(home);
    }
  }

  @Override
  public void close() {
    Closing.close(processor);
  }
}
