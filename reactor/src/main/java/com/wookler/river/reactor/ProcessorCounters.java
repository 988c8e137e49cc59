package com.wookler.river.reactor;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.utils.CounterSet;

/**
 * Counts for the monitor what one processor does: in {@code river.counters.processor.messages} and
 * the other counters of that namespace, which are shared by all processors, and in those with the
 * processor's name. Thread-safe.
 */
final class ProcessorCounters implements AutoCloseable {
  private static final String NAMESPACE = "river.counters.processor";

  private final TimeSource time;
  private final CounterSet set = new CounterSet();
  private final Counters all;
  private final Counters own;

  /** The five counters of one name. */
  private record Counters(
      AbstractCounter time,
      AbstractCounter messages,
      AbstractCounter exceptions,
      AbstractCounter success,
      AbstractCounter failed) {

    static Counters of(CounterSet set, String namespace) {
      return new Counters(
          set.shared(namespace, "time", Average.class),
          set.shared(namespace, "messages", Count.class),
          set.shared(namespace, "exceptions", Count.class),
          set.shared(namespace, "success", Count.class),
          set.shared(namespace, "failed", Count.class));
    }
  }

  ProcessorCounters(String processor, TimeSource time) {
    this.time = time;
    this.all = Counters.of(set, NAMESPACE);
    this.own = Counters.of(set, NAMESPACE + "." + processor);
  }

  /** Returns the start time of a batch, for {@link #ended}. */
  long started() {
    return time.nanoTime();
  }

  /** Counts the messages of a batch, and the time since it started. */
  void ended(long started, int messages) {
    long nanos = time.nanoTime() - started;
    all.time.add(nanos, messages);
    own.time.add(nanos, messages);
    all.messages.add(messages);
    own.messages.add(messages);
  }

  /** Counts an exception. */
  void exception() {
    all.exceptions.increment();
    own.exceptions.increment();
  }

  /** Counts the results of a batch. */
  void results(int success, int failed) {
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
