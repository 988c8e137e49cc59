package com.wookler.river.reactor;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.utils.CounterSet;

/**
 * What the monitor reports of one processor: {@code river.counters.processor.messages} and its
 * siblings, which add all processors up, and the same with the processor's name. Thread-safe.
 */
final class ProcessorCounters implements AutoCloseable {
  private static final String NAMESPACE = "river.counters.processor";

  private final TimeSource time;
  private final CounterSet set = new CounterSet();
  private final Figures all;
  private final Figures own;

  /** The five counters of one name. */
  private record Figures(
      AbstractCounter time,
      AbstractCounter messages,
      AbstractCounter exceptions,
      AbstractCounter success,
      AbstractCounter failed) {

    static Figures of(CounterSet set, String namespace) {
      return new Figures(
          set.shared(namespace, "time", Average.class),
          set.shared(namespace, "messages", Count.class),
          set.shared(namespace, "exceptions", Count.class),
          set.shared(namespace, "success", Count.class),
          set.shared(namespace, "failed", Count.class));
    }
  }

  ProcessorCounters(String processor, TimeSource time) {
    this.time = time;
    this.all = Figures.of(set, NAMESPACE);
    this.own = Figures.of(set, NAMESPACE + "." + processor);
  }

  /** A batch is about to be processed; returns what {@link #ended} needs. */
  long started() {
    return time.nanoTime();
  }

  /** The batch was processed. */
  void ended(long started, int messages) {
    long nanos = time.nanoTime() - started;
    all.time.add(nanos, messages);
    own.time.add(nanos, messages);
    all.messages.add(messages);
    own.messages.add(messages);
  }

  /** A message's processing threw. */
  void exception() {
    all.exceptions.increment();
    own.exceptions.increment();
  }

  /** So many were processed well, so many not. */
  void decided(int success, int failed) {
    all.success.add(success);
    own.success.add(success);
    all.failed.add(failed);
    own.failed.add(failed);
  }

  @Override
  public void close() {
    set.close();
  }
}
