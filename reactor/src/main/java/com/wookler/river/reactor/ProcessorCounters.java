package com.wookler.river.reactor;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.common.utils.CounterSet;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Counts for the monitor what one processor does: in {@code river.counters.processor.messages} and
 * the other counters of that namespace, which are shared by all processors, and in those with the
 * processor's name. Thread-safe.
 */
final class ProcessorCounters implements AutoCloseable {
  private static final String NAMESPACE = "river.counters.processor";
  private static final Pattern IDENTITY = Pattern.compile("-[0-9a-f-]{36}$"); // of a queue

  private final TimeSource time;
  private final CounterSet set = new CounterSet();
  private final Counters all;
  private final Counters own;
  private final Distribution times;

  /** The five counters of one name. */
  private record Counters(
      AbstractCounter time,
      AbstractCounter messages,
      AbstractCounter exceptions,
      AbstractCounter success,
      AbstractCounter failed) {

    static Counters of(CounterSet set, String processor) {
      Map<String, String> tags = Map.of("processor", processor);
      String namespace = NAMESPACE + "." + processor;
      return new Counters(
          set.shared(namespace, "time", Average.class),
          set.owned(true, namespace, "messages", "river.processor.messages", tags),
          set.owned(true, namespace, "exceptions", "river.processor.exceptions", tags),
          set.owned(true, namespace, "success", "river.processor.success", tags),
          set.owned(true, namespace, "failed", "river.processor.failed", tags));
    }

    static Counters ofAll(CounterSet set) {
      String namespace = NAMESPACE;
      return new Counters(
          set.shared(namespace, "time", Average.class),
          set.shared(namespace, "messages", Count.class),
          set.shared(namespace, "exceptions", Count.class),
          set.shared(namespace, "success", Count.class),
          set.shared(namespace, "failed", Count.class));
    }
  }

  ProcessorCounters(String processor, Subscriber<?> subscriber, TimeSource time) {
    this.time = time;
    this.all = Counters.ofAll(set);
    this.own = Counters.of(set, processor);
    this.times =
        set.distribution(
            "river.process",
            Map.of(
                "queue",
                queue(subscriber),
                "subscriber",
                subscriber.name(),
                "processor",
                processor),
            Distribution.Unit.NANOSECONDS);
  }

  /** Asks no engine, which may be away. */
  private static String queue(Subscriber<?> subscriber) {
    return subscriber instanceof SourceSubscriber<?> source
        ? source.queue()
        : IDENTITY.matcher(subscriber.origin()).replaceFirst("");
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
    if (times.isObserved() && messages > 0) {
      times.record(nanos / messages);
    }
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
