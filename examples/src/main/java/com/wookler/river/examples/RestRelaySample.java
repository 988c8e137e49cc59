package com.wookler.river.examples;

import com.wookler.river.common.Env;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.examples.utils.Directories;
import com.wookler.river.examples.utils.UsageException;
import com.wookler.river.examples.utils.Workers;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.client.SubscriberSettings;
import com.wookler.river.rest.server.RiverServer;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An application at the edge publishes to its local queue; a relay forwards that to a REST server,
 * from which somebody far away consumes by a client. The server goes away for a third of the time,
 * and returns. Publishers notice nothing, and each event arrives, in order.
 */
public final class RestRelaySample implements Example {
  private static final String PORT = "river.sample.port";
  private static final String RELAY = "RELAY";
  private static final String CENTRAL = "central";
  private static final int RATE = 500; // events a second
  private static final long GLANCE = TimeUnit.MILLISECONDS.toNanos(500);

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final TimeSource time = TimeSource.system();
  private final AtomicInteger number = new AtomicInteger();

  @Override
  public long defaultCount() {
    return 6_000; // 12 s at its rate
  }

  @Override
  public void run(ExampleOptions options) throws Exception {
    Path directory = Files.createTempDirectory("river-server");
    try (Central central = new Central(directory);
        MessageQueue<String> edge = new MessageQueue<>();
        RiverClient client = RiverClient.builder("http://127.0.0.1:" + central.port).build()) {
      central.come();
      client.queue(CENTRAL).create(QueueSettings.builder().build());
      client.subscriber(CENTRAL, "far-away").create(SubscriberSettings.builder().build());
      System.setProperty(PORT, Integer.toString(central.port)); // the configuration has it
      Env.create(options.config(), SampleConstants.CONFIG_PATH);
      ConfigNode node = Env.get().config().search(SampleConstants.CONFIG_PATH_QUEUE);
      if (node == null) {
        throw new UsageException(
            options.config() + ": no queue at " + SampleConstants.CONFIG_PATH_QUEUE);
      }
      edge.configure(node);
      edge.start();
      SteadyProducer producer = new SteadyProducer(options, RATE);
      RelayConsumer consumer = new RelayConsumer(client.subscriber(CENTRAL, "far-away"));
      relay(producer, edge, central, consumer);
      report(producer, edge.subscriber(RELAY), consumer);
    } finally {
      System.clearProperty(PORT);
      Env.reset();
      Directories.delete(directory);
    }
  }

  /** The server, at the same port each time. Confined to one thread. */
  private static final class Central implements AutoCloseable {
    private final Path directory;
    private final int port;
    private @Nullable RiverServer server;

    Central(Path directory) throws IOException {
      this.directory = directory;
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        this.port = free.getLocalPort();
      }
    }

    boolean isThere() {
      return server != null;
    }

    void come() {
      server = RiverServer.builder().port(port).directory(directory).start();
    }

    void goAway() {
      if (server != null) {
        server.close();
        server = null;
      }
    }

    @Override
    public void close() {
      goAway();
    }
  }

  private void relay(
      SteadyProducer producer, MessageQueue<String> edge, Central central, RelayConsumer consumer)
      throws Exception {
    int count = producer.count();
    out.printf(
        Locale.ROOT,
        "%s at %d a second: local queue, relay, http://127.0.0.1:%d, remote consumer.%n%n",
        Amount.grouped(count, "event"),
        RATE,
        central.port);
    out.printf(
        "%6s  %-9s %10s %12s %10s%n", "time", "server", "published", "waiting here", "consumed");
    Workers workers = new Workers();
    Publisher<String> publisher = edge.publisher();
    Subscriber<String> relay = edge.subscriber(RELAY);
    workers.start("PRODUCER-1", () -> producer.run(event -> publisher.publish(numbered(event))));
    workers.start("CONSUMER-1", () -> consumer.run(count));
    long start = time.nanoTime();
    while (workers.running()) {
      time.park(this, GLANCE);
      int now = producer.published();
      if (central.isThere() && now >= count / 3 && now < count * 2L / 3) {
        producer.away(true);
        central.goAway();
      } else if (!central.isThere() && now >= count * 2L / 3) {
        central.come();
        producer.away(false);
      }
      out.printf(
          Locale.ROOT,
          "%4.1f s  %-9s %,10d %,12d %,10d%n",
          (time.nanoTime() - start) / 1e9,
          central.isThere() ? "there" : "AWAY",
          producer.published(),
          relay.stats().lag(),
          consumer.consumed());
    }
    workers.join();
  }

  private Message<String> numbered(String event) {
    String text = Integer.toString(number.getAndIncrement());
    return Message.of(event)
        .withHeader(RelayConsumer.NUMBER, text.getBytes(StandardCharsets.US_ASCII));
  }

  private void report(SteadyProducer producer, Subscriber<String> relay, RelayConsumer consumer) {
    out.println();
    out.printf(
        Locale.ROOT,
        "Consumed %,d of %s, %s; %d came again, because the server went before they were"
            + " acknowledged.%n",
        consumer.consumed(),
        Amount.grouped(producer.published(), "event"),
        consumer.inOrder() ? "in order" : "NOT IN ORDER",
        consumer.repeated());
    out.print(producer.latencies());
    out.printf(
        Locale.ROOT,
        "The relay gave up %s; no attempt was used up by the server's absence.%n",
        Amount.grouped(relay.deadLetters().size(), "event"));
    if (!consumer.inOrder() || relay.deadLetters().size() > 0) {
      throw new IllegalStateException("not every event arrived in order");
    }
  }
}
