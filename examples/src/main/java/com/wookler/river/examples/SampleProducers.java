package com.wookler.river.examples;

import com.wookler.river.core.Publisher;
import com.wookler.river.examples.utils.Workers;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/** The publishing threads of a sample, each with a part of its messages. */
final class SampleProducers {
  private final ExampleOptions options;
  private final LongAdder published = new LongAdder();
  private final List<WorkerStats> tallies = new CopyOnWriteArrayList<>();

  SampleProducers(ExampleOptions options) {
    this.options = options;
  }

  /** Starts all threads. */
  void start(Workers workers, Publisher<String> publisher) {
    for (int i = 0; i < options.producers(); i++) {
      String name = "TEST-PRODUCER-" + i;
      SampleProducer producer = new SampleProducer(name, options.input(), share(i), published);
      workers.start("PRODUCER-" + name, () -> tallies.add(producer.run(publisher)));
    }
  }

  private long share(int producer) {
    long extra = producer < options.count() % options.producers() ? 1 : 0;
    return options.count() / options.producers() + extra;
  }

  /** Returns the number of messages published so far. */
  long published() {
    return published.sum();
  }

  /** Returns the statistics of the threads that have ended, ordered by name. */
  List<WorkerStats> tallies() {
    return tallies.stream().sorted(Comparator.comparing(WorkerStats::name)).toList();
  }
}
