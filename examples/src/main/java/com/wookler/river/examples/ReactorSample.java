package com.wookler.river.examples;

import com.wookler.river.common.Env;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberStats;
import com.wookler.river.examples.utils.Progress;
import com.wookler.river.examples.utils.UsageException;
import com.wookler.river.examples.utils.Workers;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Producers publish to a queue with push subscribers: their message processors, which are defined
 * in the configuration only, write the messages to files. It ends when each subscriber has
 * processed every message, and logs how long that took.
 */
public final class ReactorSample implements Example {
  private static final Logger LOG = LoggerFactory.getLogger(ReactorSample.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  private final MessageQueue<String> queue = new MessageQueue<>();
  private final TimeSource time = TimeSource.system();

  @Override
  public long defaultCount() {
    return 100_000; // about 400 MB of files
  }

  @Override
  public void run(ExampleOptions options) throws Exception {
    Env.create(options.config(), SampleConstants.CONFIG_PATH);
    try (queue) {
      ConfigNode node = Env.get().config().search(SampleConstants.CONFIG_PATH_QUEUE);
      if (node == null) {
        throw new UsageException(
            options.config() + ": no queue at " + SampleConstants.CONFIG_PATH_QUEUE);
      }
      requireProcessors(options, node);
      queue.configure(node);
      queue.start();
      work(options);
    } finally {
      Env.reset();
    }
  }

  /** Checks that each subscriber has a processor; otherwise the example would wait for ever. */
  private static void requireProcessors(ExampleOptions options, ConfigNode queue) {
    for (ConfigNode subscribers : queue.children("subscribers")) {
      for (ConfigNode subscriber : subscribers.children("subscriber")) {
        if (subscriber.child("processor").isEmpty() && subscriber.child("selector").isEmpty()) {
          throw new UsageException(
              options.config()
                  + ": "
                  + subscriber
                  + " has no <processor>, and nothing else in this example consumes its messages");
        }
      }
    }
  }

  private void work(ExampleOptions options) throws Exception {
    List<Subscriber<String>> reactors = queue.subscribers();
    if (reactors.isEmpty()) {
      throw new UsageException(options.config() + ": the queue has no subscriber");
    }
    long start = time.nanoTime();
    Workers workers = new Workers();
    SampleProducers producers = new SampleProducers(options);
    producers.start(workers, queue.publisher());
    try (Progress progress = Progress.of("Messages", options.count())) {
      while (workers.running() || lag(reactors) > 0) {
        progress.to(Math.max(0, producers.published() - lag(reactors)));
        time.park(this, POLL_INTERVAL.toNanos());
      }
    }
    workers.join();
    producers.tallies().forEach(tally -> LOG.info("{}", tally.published()));
    report(reactors, Duration.ofNanos(time.nanoTime() - start));
  }

  private static long lag(List<Subscriber<String>> reactors) {
    return reactors.stream().mapToLong(reactor -> reactor.stats().lag()).max().orElse(0);
  }

  private static void report(List<Subscriber<String>> reactors, Duration elapsed) {
    for (Subscriber<String> reactor : reactors) {
      SubscriberStats stats = reactor.stats();
      LOG.info(
          "[{}] Processed [{}] messages, {} delivered again, in {} ms",
          reactor.name(),
          stats.acked(),
          stats.redelivered(),
          elapsed.toMillis());
    }
  }
}
