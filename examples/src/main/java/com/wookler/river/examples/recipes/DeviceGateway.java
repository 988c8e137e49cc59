package com.wookler.river.examples.recipes;

import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.Reactor;
import com.wookler.river.reactor.processors.HttpProcessor;
import com.wookler.river.reactor.processors.RetryProcessor;
import com.wookler.river.rest.server.RiverServer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A gateway between devices and a service that is often out of reach: devices post readings to it
 * over HTTP, and it forwards them in batches, in order, when the service is there.
 *
 * <pre>
 *   curl -d '{"device":7,"celsius":21.5}' http://127.0.0.1:8080/v1/queues/readings/messages
 * </pre>
 *
 * <p>What does not fit is the oldest: when the gateway has as much as it may hold, new readings
 * take the place of old ones, and the devices notice nothing.
 */
public final class DeviceGateway implements AutoCloseable {
  private static final int BATCH = 500; // readings in one request, a line each

  private final MessageQueue<byte[]> readings;
  private final Subscriber<byte[]> uplink;
  private final Reactor<byte[]> reactor;
  private final RiverServer server;

  /**
   * Opens the queue, listens for devices, and begins to forward.
   *
   * @param directory where the queue is
   * @param port for devices, at 127.0.0.1; 0: any. For a network add {@code host}, {@code keys} and
   *     {@code certificate} of {@link RiverServer.Builder}
   * @param service where readings are posted to, many in one request, a line each
   * @param pauseWhenAway how long to wait before the service is tried again
   */
  public DeviceGateway(Path directory, int port, URI service, Duration pauseWhenAway) {
    readings =
        MessageQueue.builder("readings", MessageConverter.bytes())
            .directory(directory)
            .maxBytes(1L << 30)
            .whenFull(FullPolicy.DISCARD_OLDEST, Duration.ZERO)
            .open();
    try {
      uplink = readings.subscriber(SubscriberConfig.builder("uplink").ack(true).build());
      reactor = forward(service, pauseWhenAway);
      server =
          RiverServer.builder()
              .port(port)
              .directory(directory.resolve("server"))
              .autoCreate(false) // no other queues than this one
              .queue(readings, MessageConverter.bytes())
              .start();
    } catch (Throwable e) {
      readings.close(); // which ends the reactor, too
      throw e;
    }
  }

  private Reactor<byte[]> forward(URI service, Duration pauseWhenAway) {
    HttpProcessor<byte[]> http =
        HttpProcessor.<byte[]>builder(service, "", delivery -> delivery.data())
            .header("Content-Type", "application/x-ndjson")
            .batchMessages(BATCH)
            .build();
    return Reactor.builder(uplink)
        .batchProcessor(
            "uplink",
            RetryProcessor.aroundBatches(http)
                .name("the service")
                .failures(1)
                .waitWhenAway(pauseWhenAway)
                .build())
        .start();
  }

  /** Returns the port for devices. */
  public int port() {
    return server.port();
  }

  /** Returns how many readings are not forwarded yet. */
  public long waiting() {
    return uplink.stats().lag();
  }

  /** Ends; what is not forwarded yet waits for the next start. */
  @Override
  public void close() {
    server.close();
    reactor.close();
    readings.close();
  }
}
