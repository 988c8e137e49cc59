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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Producers publish to a queue whose subscribers are pushed: message processors embedded within
 * them, from the configuration alone, write what comes to files. It ends when each subscriber has
 * processed every message, and logs how long that took.
 */
public final class ReactorSample implements Example {
  private static final Logger LOG = LoggerFactory.getLogger(ReactorSample.class);
  private static final Duration GLANCE = Duration.ofMillis(200);

  private final MessageQueue<String> queue = new MessageQueue<>();
  private final TimeSource time = TimeSource.system();
  private final LongAdder published = new LongAdder();
  private final List<Tally> producers = new CopyOnWriteArrayList<>();

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
      work(options);
    } finally {
      Env.reset();
    }
  }

  private void work(ExampleOptions options) throws Exception {
    List<Subscriber<String>> reactors = queue.subscribers();
    if (reactors.isEmpty()) {
      throw new UsageException(options.config() + ": the queue has no subscriber");
    }
    long start = time.nanoTime();
    Workers workers = new Workers();
    for (int i = 0; i < options.producers(); i++) {
      String name = "TEST-PRODUCER-" + i;
      long extra = i < options.count() % options.producers() ? 1 : 0;
      SampleProducer producer =
          new SampleProducer(
              name, options.input(), options.count() / options.producers() + extra, published);
      workers.start("PRODUCER-" + name, () -> producers.add(producer.run(queue.publisher())));
    }
    try (Progress progress = Progress.of("Messages", options.count())) {
      while (workers.running() || lag(reactors) > 0) {
        progress.to(Math.max(0, published.sum() - lag(reactors)));
        time.park(this, GLANCE.toNanos());
      }
    }
    workers.join();
    report(reactors, Duration.ofNanos(time.nanoTime() - start));
  }

  private static long lag(List<Subscriber<String>> reactors) {
    return reactors.stream().mapToLong(reactor -> reactor.stats().lag()).max().orElse(0);
  }

  private void report(List<Subscriber<String>> reactors, Duration elapsed) {
    producers.forEach(tally -> LOG.info("{}", tally.published()));
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
