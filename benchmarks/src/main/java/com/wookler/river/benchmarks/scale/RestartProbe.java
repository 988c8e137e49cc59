package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.system.RiverMonitor;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens a queue and takes what comes first, in a JVM that has just started.
 *
 * <p>Arguments: the queue's directory, the file for the answer (milliseconds until it was open,
 * milliseconds until the first delivery), acknowledgements above the floor, how to end. Before it
 * ends without closing it acknowledges {@link #MORE}, so that not all acknowledgements are in a
 * snapshot.
 */
final class RestartProbe {
  /** Close the queue. */
  static final String CLOSE = "close";

  /** End without closing, as a kill does. */
  static final String HALT = "halt";

  /** Acknowledged before each end without closing. */
  static final int MORE = 5_000;

  private static final String SUBSCRIBER = "worker";
  private static final double NANOS_A_MILLI = 1e6;

  private RestartProbe() {}

  /** Makes the queue: message 0 is out, so many behind it are acknowledged, all others wait. */
  static void make(Path directory, int waiting, int acks) throws InterruptedException {
    try (MessageQueue<byte[]> queue = Lab.queue(directory).open()) {
      Subscriber<byte[]> subscriber = queue.subscriber(AcksPart.subscriber(SUBSCRIBER));
      AcksPart.holdOne(queue, subscriber, acks);
      Rates.publish(queue, waiting);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    long acks = Long.parseLong(arguments[2]);
    RiverMonitor.start();
    long started = System.nanoTime();
    MessageQueue<byte[]> queue = Lab.queue(directory).open();
    double opened = (System.nanoTime() - started) / NANOS_A_MILLI;
    Subscriber<byte[]> subscriber = queue.subscriber(AcksPart.subscriber(SUBSCRIBER));
    Delivery<byte[]> first = Rates.take(subscriber, 1, 0).get(0);
    double delivered = (System.nanoTime() - started) / NANOS_A_MILLI;
    Delivery<byte[]> second = Rates.take(subscriber, 1, 1).get(0);
    if (first.sequence() != 0 || second.sequence() != acks + 1) {
      throw new IllegalStateException(
          "got " + first.sequence() + " and " + second.sequence() + " with " + acks + " acks");
    }
    Files.write(
        Path.of(arguments[1]), List.of(Double.toString(opened), Double.toString(delivered)));
    if (arguments[3].equals(HALT)) {
      second.ack();
      for (Delivery<byte[]> delivery : takeMore(subscriber)) {
        delivery.ack();
      }
      Runtime.getRuntime().halt(0);
    }
    queue.close();
  }

  private static List<Delivery<byte[]>> takeMore(Subscriber<byte[]> subscriber)
      throws InterruptedException {
    List<Delivery<byte[]>> taken = new ArrayList<>(MORE);
    while (taken.size() < MORE - 1) {
      taken.addAll(Rates.take(subscriber, MORE - 1 - taken.size(), taken.size()));
    }
    return taken;
  }
}
