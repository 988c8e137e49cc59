package com.wookler.river.reactor;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a processor, counts, and carries its results out. */
final class ProcessorStage<M> implements Stage<M> {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessorStage.class);

  private final String name;
  private final BatchProcessor<M> processor;
  private final ProcessorCounters counters;
  private final Subscriber<M> subscriber;
  private final Tally tally;

  ProcessorStage(
      String name,
      BatchProcessor<M> processor,
      ProcessorCounters counters,
      Subscriber<M> subscriber,
      Tally tally) {
    this.name = name;
    this.processor = processor;
    this.counters = counters;
    this.subscriber = subscriber;
    this.tally = tally;
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, Outcomes<M> outcomes) {
    long started = counters.started();
    List<ProcessResult<M>> results = process(batch);
    counters.ended(started, batch.size());
    List<Delivery<M>> passed = new ArrayList<>(batch.size());
    int failed = 0;
    for (int i = 0; i < batch.size(); i++) {
      if (!take(batch.get(i), results.get(i), passed, outcomes)) {
        failed++;
      }
    }
    counters.decided(batch.size() - failed, failed);
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
                      + results.size()
                      + " results for "
                      + batch.size()
                      + " messages")));
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

  /** False if the processor did not succeed with this message. */
  private boolean take(
      Delivery<M> delivery,
      ProcessResult<M> result,
      List<Delivery<M>> passed,
      Outcomes<M> outcomes) {
    Throwable cause = result.cause();
    if (cause != null) {
      counters.exception();
      LOG.warn(
          "Processor {} threw over sequence {}, attempt {}",
          name,
          delivery.sequence(),
          delivery.attempt(),
          cause);
    }
    switch (result.kind()) {
      case PASS -> pass(delivery, result.messages(), passed);
      case LATER -> {} // whoever took it over decides
      default -> outcomes.decide(delivery, result);
    }
    return switch (result.kind()) {
      case RETRY, REJECT, FAILED -> false;
      default -> true;
    };
  }

  private void pass(
      Delivery<M> delivery, @Nullable List<Message<M>> messages, List<Delivery<M>> passed) {
    if (messages == null) {
      passed.add(delivery);
      return;
    }
    Course<M> course = new Course<>(delivery, messages.size());
    for (Message<M> message : messages) {
      passed.add(new Passed<>(course, message, this::decideNow));
    }
  }

  private void decideNow(Delivery<M> delivery, ProcessResult<M> result) {
    Outcomes.decideNow(subscriber, tally, delivery, result);
  }

  @Override
  public void close() {
    Object own = processor instanceof OneByOne<M> one ? one.processor() : processor;
    if (own instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        LOG.warn("Processor {} did not close well", name, e);
      }
    }
  }
}
