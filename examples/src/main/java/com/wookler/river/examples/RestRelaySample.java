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
 * An application at the edge publishes to its local queue; a relay forwards the queue to a REST
 * server, from which a remote client consumes. The server is stopped for a third of the time.
 * Publishers are not affected, and each event arrives, in order.
 */
public final class RestRelaySample implements Example {
  private static final String PORT = "river.sample.port";
  private static final String RELAY = "RELAY";
  private static final String CENTRAL = "central";
  private static final int RATE = 500; // events a second
  private static final long POLL_INTERVAL = TimeUnit.MILLISECONDS.toNanos(500);

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
    try (RestartableServer central = new RestartableServer(directory);
        MessageQueue<String> edge = new MessageQueue<>();
        RiverClient client = RiverClient.builder("http://127.0.0.1:" + central.port).build()) {
      central.start();
      client.queue(CENTRAL).create(QueueSettings.builder().build());
      client.subscriber(CENTRAL, "far-away").create(SubscriberSettings.builder().build());
      System.setProperty(PORT, Integer.toString(central.port)); // used in the configuration
      Env.create(options.config(), SampleConstants.CONFIG_PATH);
      ConfigNode node = Env.get().config().search(SampleConstants.CONFIG_PATH_QUEUE);
      if (node == null) {
        throw new UsageException(
            options.config() + ": no queue at " + SampleConstants.CONFIG_PATH_QUEUE);
      }
      edge.configure(node);
      edge.start();
      RateLimitedProducer producer = new RateLimitedProducer(options, RATE);
      RelayConsumer consumer = new RelayConsumer(client.subscriber(CENTRAL, "far-away"));
      relay(producer, edge, central, consumer);
      report(producer, edge.subscriber(RELAY), consumer);
    } finally {
      System.clearProperty(PORT);
      Env.reset();
      Directories.delete(directory);
    }
  }

  /** The server, on the same port after each start. Confined to one thread. */
  private static final class RestartableServer implements AutoCloseable {
    private final Path directory;
    private final int port;
    private @Nullable RiverServer server;

    RestartableServer(Path directory) throws IOException {
      this.directory = directory;
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        this.port = free.getLocalPort();
      }
    }

    boolean isRunning() {
      return server != null;
    }

    void start() {
      server = RiverServer.builder().port(port).directory(directory).start();
    }

    void stop() {
      if (server != null) {
        server.close();
        server = null;
      }
    }

    @Override
    public void close() {
      stop();
    }
  }

  private void relay(
      RateLimitedProducer producer,
      MessageQueue<String> edge,
      RestartableServer central,
      RelayConsumer consumer)
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
      time.park(this, POLL_INTERVAL);
      int now = producer.published();
      if (central.isRunning() && now >= count / 3 && now < count * 2L / 3) {
        producer.serverStopped(true);
        central.stop();
      } else if (!central.isRunning() && now >= count * 2L / 3) {
        central.start();
        producer.serverStopped(false);
      }
      out.printf(
          Locale.ROOT,
          "%4.1f s  %-9s %,10d %,12d %,10d%n",
          (time.nanoTime() - start) / 1e9,
          central.isRunning() ? "running" : "STOPPED",
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

  private void report(
      RateLimitedProducer producer, Subscriber<String> relay, RelayConsumer consumer) {
    out.println();
    out.printf(
        Locale.ROOT,
        "Consumed %,d of %s, %s; %d were redelivered, because the server stopped before they were"
            + " acknowledged.%n",
        consumer.consumed(),
        Amount.grouped(producer.published(), "event"),
        consumer.inOrder() ? "in order" : "NOT IN ORDER",
        consumer.repeated());
    out.print(producer.latencies());
    out.printf(
        Locale.ROOT,
        "The relay dead-lettered %s; no attempt was used while the server was stopped.%n",
        Amount.grouped(relay.deadLetters().size(), "event"));
    if (!consumer.inOrder() || relay.deadLetters().size() > 0) {
      throw new IllegalStateException("not every event arrived in order");
    }
  }
}
