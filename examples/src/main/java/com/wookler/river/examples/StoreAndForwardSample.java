package com.wookler.river.examples;

import com.wookler.river.common.Env;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.examples.utils.EventReader;
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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Store and forward: events are published at a steady rate and forwarded by HTTP to a server that
 * goes away for a third of the time, and returns. Publishers notice nothing, and the server gets
 * every event, in order. Two subscribers do the same: one is a reactor from the configuration, the
 * other from code.
 */
public final class StoreAndForwardSample implements Example {
  private static final String PORT = "river.sample.port";
  private static final String FROM_XML = "FORWARD-XML";
  private static final String FROM_CODE = "FORWARD-CODE";
  private static final int RATE = 500; // events a second
  private static final long GLANCE = TimeUnit.MILLISECONDS.toNanos(500);

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final TimeSource time = TimeSource.system();
  private final AtomicInteger published = new AtomicInteger();
  private Latencies whileThere = new Latencies(0); // the publisher's until that has ended
  private Latencies whileAway = new Latencies(0);
  private volatile boolean away;

  @Override
  public void run(ExampleOptions options) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // else its answers may wait 40 ms
    try (Receiver receiver = new Receiver();
        MessageQueue<String> queue = new MessageQueue<>()) {
      receiver.come();
      System.setProperty(PORT, Integer.toString(receiver.port())); // the configuration has it
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
        forward(options, queue, receiver);
        report(receiver, reactor);
      }
    } finally {
      System.clearProperty(PORT);
      Env.reset();
    }
  }

  private static Subscriber<String> subscriber(MessageQueue<String> queue) {
    return queue.subscriber(SubscriberConfig.builder(FROM_CODE).ack(true).build());
  }

  /** What the configuration says of the other one. */
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

  private void forward(ExampleOptions options, MessageQueue<String> queue, Receiver receiver)
      throws Exception {
    int count = (int) Math.min(options.count(), Integer.MAX_VALUE);
    out.printf(
        Locale.ROOT,
        "%,d events at %d a second, forwarded to http://127.0.0.1:%d by two reactors.%n%n",
        count,
        RATE,
        receiver.port());
    out.printf("%6s  %-9s %10s %12s %12s%n", "time", "server", "published", FROM_XML, FROM_CODE);
    Workers workers = new Workers();
    workers.start("PRODUCER-1", () -> publish(options, queue.publisher(), count));
    long start = time.nanoTime();
    while (workers.running() || lag(queue) > 0) {
      time.park(this, GLANCE);
      int now = published.get();
      if (receiver.isThere() && now >= count / 3 && now < count * 2L / 3) {
        away = true;
        receiver.goAway();
      } else if (!receiver.isThere() && now >= count * 2L / 3) {
        receiver.come();
        away = false;
      }
      line(time.nanoTime() - start, receiver);
    }
    workers.join();
  }

  private void publish(ExampleOptions options, Publisher<String> publisher, int count)
      throws InterruptedException {
    whileThere = new Latencies(count);
    whileAway = new Latencies(count);
    long start = time.nanoTime();
    while (published.get() < count) {
      int before = published.get();
      try (EventReader events = options.input().open()) {
        String event = events.next();
        while (event != null && published.get() < count) {
          pace(start);
          long began = time.nanoTime();
          publisher.publish(event);
          (away ? whileAway : whileThere).add(time.nanoTime() - began);
          published.incrementAndGet();
          event = events.next();
        }
      }
      if (published.get() == before) {
        throw new UsageException("no messages in " + options.input().name());
      }
    }
  }

  private void pace(long start) throws InterruptedException {
    long due = start + published.get() * (TimeUnit.SECONDS.toNanos(1) / RATE);
    for (long left = due - time.nanoTime(); left > 0; left = due - time.nanoTime()) {
      time.park(this, left);
      if (Thread.interrupted()) {
        throw new InterruptedException("the producer was interrupted");
      }
    }
  }

  private static long lag(MessageQueue<String> queue) {
    return queue.subscribers().stream().mapToLong(one -> one.stats().lag()).max().orElse(0);
  }

  private void line(long nanos, Receiver receiver) {
    out.printf(
        Locale.ROOT,
        "%4.1f s  %-9s %,10d %,12d %,12d%n",
        nanos / 1e9,
        receiver.isThere() ? "there" : "AWAY",
        published.get(),
        receiver.state("/" + FROM_XML).events(),
        receiver.state("/" + FROM_CODE).events());
  }

  private void report(Receiver receiver, Reactor<String> fromCode) {
    out.println();
    for (String path : List.of(FROM_XML, FROM_CODE)) {
      Receiver.State state = receiver.state("/" + path);
      out.printf(
          Locale.ROOT,
          "%-12s forwarded %,d of %,d events, %s; %d came twice and were known by their key.%n",
          path,
          state.events(),
          published.get(),
          state.inOrder() ? "in order" : "NOT IN ORDER",
          state.repeated());
      if (state.events() != published.get() || !state.inOrder()) {
        throw new IllegalStateException(path + " has not forwarded every event in order");
      }
    }
    out.println("A publish took, in microseconds:");
    out.println("  while the server was there   " + whileThere);
    out.println("  while it was away            " + whileAway);
    out.printf(
        Locale.ROOT,
        "%,d times a message was given back to wait, and none used up an attempt.%n",
        fromCode.stats().released());
  }
}
