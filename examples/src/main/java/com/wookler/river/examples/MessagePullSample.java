package com.wookler.river.examples;

import com.wookler.river.common.Env;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.examples.utils.Progress;
import com.wookler.river.examples.utils.UsageException;
import com.wookler.river.examples.utils.Workers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Producers publish to a queue, and consumers that share one subscriber pull from it at the same
 * time. It ends when every message has been consumed, and logs how long that took.
 */
public final class MessagePullSample implements Example {
  /** The subscriber that the consumers share. */
  static final String SUBSCRIBER = "TEST-SUBSCRIBER";

  private static final Logger LOG = LoggerFactory.getLogger(MessagePullSample.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  private final MessageQueue<String> queue = new MessageQueue<>();
  private final TimeSource time = TimeSource.system();
  private final AtomicLong remaining = new AtomicLong();
  private final List<WorkerStats> consumers = new CopyOnWriteArrayList<>();

  @Override
  public void run(ExampleOptions options) throws Exception {
    Env.create(options.config(), SampleConstants.CONFIG_PATH);
    try (queue) {
      ConfigNode node = Env.get().config().search(SampleConstants.CONFIG_PATH_QUEUE);
      if (node == null) {
        throw new UsageException(
            options.config() + ": no queue at " + SampleConstants.CONFIG_PATH_QUEUE);
      }
      queue.configure(node);
      queue.start();
      report(work(options));
    } finally {
      Env.reset();
    }
  }

  private SampleProducers work(ExampleOptions options) throws Exception {
    Subscriber<String> subscriber = queue.subscriber(SUBSCRIBER);
    // A queue that keeps its data across restarts may have messages already.
    long all = options.count() + subscriber.stats().lag();
    remaining.set(all);
    Workers workers = new Workers();
    for (int i = 1; i <= options.consumers(); i++) {
      String name = "TEST-CONSUMER-" + i;
      SampleConsumer consumer = new SampleConsumer(name, file(options.output(), name), remaining);
      workers.start("CONSUMER-" + name, () -> consumers.add(consumer.run(subscriber)));
    }
    SampleProducers producers = new SampleProducers(options);
    producers.start(workers, queue.publisher());
    try (Progress progress = Progress.of("Messages", all)) {
      while (workers.running()) {
        progress.to(all - remaining.get());
        time.park(this, POLL_INTERVAL.toNanos());
      }
      progress.to(all - remaining.get());
    }
    workers.join();
    return producers;
  }

  private static @Nullable Path file(@Nullable Path directory, String name) {
    return directory == null ? null : directory.resolve(name + ".ndjson");
  }

  private void report(SampleProducers producers) {
    for (WorkerStats tally : producers.tallies()) {
      LOG.info("{}", tally.published());
    }
    total("published", producers.tallies());
    for (WorkerStats tally : sorted(consumers)) {
      LOG.info("{}", tally.processed());
    }
    total("consumed", consumers);
  }

  private static List<WorkerStats> sorted(List<WorkerStats> tallies) {
    return tallies.stream().sorted(Comparator.comparing(WorkerStats::name)).toList();
  }

  private static void total(String done, List<WorkerStats> tallies) {
    long messages = tallies.stream().mapToLong(WorkerStats::messages).sum();
    Duration elapsed =
        tallies.stream().map(WorkerStats::elapsed).max(Duration::compareTo).orElse(Duration.ZERO);
    WorkerStats.total(done, messages, elapsed).lines().forEach(LOG::info);
  }
}
