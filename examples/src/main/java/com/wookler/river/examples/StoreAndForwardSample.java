package com.wookler.river.examples;

import com.wookler.river.common.Env;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.examples.utils.UsageException;
import com.wookler.river.examples.utils.Workers;
import com.wookler.river.reactor.Reactor;
import com.wookler.river.reactor.processors.HttpProcessor;
import com.wookler.river.reactor.processors.RetryProcessor;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Store and forward: events are published at a steady rate and forwarded by HTTP to a server that
 * is stopped for a third of the time. Publishers are not affected, and the server gets every event,
 * in order. Two subscribers do the same: one is a reactor from the configuration, the other one
 * from code.
 */
public final class StoreAndForwardSample implements Example {
  private static final String PORT = "river.sample.port";
  private static final String FROM_XML = "FORWARD-XML";
  private static final String FROM_CODE = "FORWARD-CODE";
  private static final int RATE = 500; // events a second
  private static final long POLL_INTERVAL = TimeUnit.MILLISECONDS.toNanos(500);

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final TimeSource time = TimeSource.system();

  @Override
  public long defaultCount() {
    return 6_000; // 12 s at its rate
  }

  @Override
  public void run(ExampleOptions options) throws Exception {
    System.setProperty(
        "sun.net.httpserver.nodelay", "true"); // else responses may be delayed by 40 ms
    try (RestartableHttpServer receiver = new RestartableHttpServer();
        MessageQueue<String> queue = new MessageQueue<>()) {
      receiver.start();
      System.setProperty(PORT, Integer.toString(receiver.port())); // used in the configuration
      Env.create(options.config(), SampleConstants.CONFIG_PATH);
      ConfigNode node = Env.get().config().search(SampleConstants.CONFIG_PATH_QUEUE);
      if (node == null) {
        throw new UsageException(
            options.config() + ": no queue at " + SampleConstants.CONFIG_PATH_QUEUE);
      }
      queue.configure(node);
      queue.start();
      Subscriber<String> fromCode = subscriber(queue);
      try (Reactor<String> reactor = forwardFromCode(fromCode, receiver.port())) {
        RateLimitedProducer producer = new RateLimitedProducer(options, RATE);
        forward(producer, queue, receiver);
        report(producer, receiver, reactor);
      }
    } finally {
      System.clearProperty(PORT);
      Env.reset();
    }
  }

  private static Subscriber<String> subscriber(MessageQueue<String> queue) {
    return queue.subscriber(SubscriberConfig.builder(FROM_CODE).ack(true).build());
  }

  /** Creates in code the reactor that the configuration defines for the other subscriber. */
  private static Reactor<String> forwardFromCode(Subscriber<String> subscriber, int port) {
    HttpProcessor<String> http =
        HttpProcessor.<String>builder(
                URI.create("http://127.0.0.1:" + port + "/" + FROM_CODE),
                "",
                delivery -> delivery.data().getBytes(StandardCharsets.UTF_8))
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(2))
            .build();
    return Reactor.builder(subscriber)
        .batchProcessor(
            "forward",
            RetryProcessor.aroundBatches(http)
                .name("the server, from code")
                .failures(3)
                .pause(Duration.ofMillis(50))
                .waitWhenAway(Duration.ofMillis(500))
                .build())
        .start();
  }

  private void forward(
      RateLimitedProducer producer, MessageQueue<String> queue, RestartableHttpServer receiver)
      throws Exception {
    int count = producer.count();
    out.printf(
        Locale.ROOT,
        "%s at %d a second, forwarded to http://127.0.0.1:%d by two reactors.%n%n",
        Amount.grouped(count, "event"),
        RATE,
        receiver.port());
    out.printf("%6s  %-9s %10s %12s %12s%n", "time", "server", "published", FROM_XML, FROM_CODE);
    Workers workers = new Workers();
    Publisher<String> publisher = queue.publisher();
    workers.start("PRODUCER-1", () -> producer.run(publisher::publish));
    long start = time.nanoTime();
    while (workers.running() || lag(queue) > 0) {
      time.park(this, POLL_INTERVAL);
      int now = producer.published();
      if (receiver.isRunning() && now >= count / 3 && now < count * 2L / 3) {
        producer.serverStopped(true);
        receiver.stop();
      } else if (!receiver.isRunning() && now >= count * 2L / 3) {
        receiver.start();
        producer.serverStopped(false);
      }
      line(time.nanoTime() - start, producer.published(), receiver);
    }
    workers.join();
  }

  private static long lag(MessageQueue<String> queue) {
    return queue.subscribers().stream().mapToLong(one -> one.stats().lag()).max().orElse(0);
  }

  private void line(long nanos, int published, RestartableHttpServer receiver) {
    out.printf(
        Locale.ROOT,
        "%4.1f s  %-9s %,10d %,12d %,12d%n",
        nanos / 1e9,
        receiver.isRunning() ? "running" : "STOPPED",
        published,
        receiver.state("/" + FROM_XML).events(),
        receiver.state("/" + FROM_CODE).events());
  }

  private void report(
      RateLimitedProducer producer, RestartableHttpServer receiver, Reactor<String> fromCode) {
    out.println();
    for (String path : List.of(FROM_XML, FROM_CODE)) {
      RestartableHttpServer.State state = receiver.state("/" + path);
      out.printf(
          Locale.ROOT,
          "%-12s forwarded %,d of %s, %s; %d arrived twice and were recognized by their key.%n",
          path,
          state.events(),
          Amount.grouped(producer.published(), "event"),
          state.inOrder() ? "in order" : "NOT IN ORDER",
          state.repeated());
      if (state.events() != producer.published() || !state.inOrder()) {
        throw new IllegalStateException(path + " has not forwarded every event in order");
      }
    }
    out.print(producer.latencies());
    out.printf(
        Locale.ROOT,
        "%s a message was released to wait; no attempt was used.%n",
        Amount.grouped(fromCode.stats().released(), "time"));
  }
}
