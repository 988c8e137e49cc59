package com.wookler.river.examples;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.examples.utils.Directories;
import com.wookler.river.examples.utils.UsageException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Measures how long a publish takes, and the time from a publish until a waiting consumer has the
 * message, at a steady rate, while blocks are recycled and archived.
 */
@Command(
    name = "latency",
    description = "Measures publish, and publish to a waiting next(), at a steady rate.",
    mixinStandardHelpOptions = true)
final class LatencyCommand implements Callable<Integer> {
  private static final long SPIN_NANOS = 60_000; // parking is not precise enough for shorter waits
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Messages a second. Default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long, after a warm-up of as many messages. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Of each message. Default: ${DEFAULT-VALUE}.")
  private int size;

  @Spec private CommandSpec spec;

  private final TimeSource time = TimeSource.system();

  /** Creates the command; picocli sets its options. */
  @SuppressWarnings("NullAway.Init")
  LatencyCommand() {}

  @Override
  public Integer call() throws Exception {
    if (rate < 1 || seconds < 1 || size < Long.BYTES || (long) rate * seconds > 50_000_000) {
      throw new UsageException(
          "--rate and --seconds are at least 1 and 50,000,000 messages at most in all, --size is"
              + " at least 8");
    }
    Path directory = Files.createTempDirectory("river-latency-");
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder("latency", MessageConverter.bytes())
            .directory(directory)
            .backup(directory.resolve("backup"), Duration.ofDays(1))
            .open()) {
      measure(queue, rate * seconds);
      report(measure(queue, rate * seconds), queue.stats().archived());
    } finally {
      Directories.delete(directory);
    }
    return CommandLine.ExitCode.OK;
  }

  private record Measurement(LatencyRecorder publish, LatencyRecorder arrival) {}

  private Measurement measure(MessageQueue<byte[]> queue, int messages)
      throws InterruptedException {
    Subscriber<byte[]> subscriber = queue.subscriber("waiting");
    LatencyRecorder arrival = new LatencyRecorder(messages);
    MonitoredThread consumer =
        new MonitoredThread("CONSUMER-LATENCY", () -> consume(subscriber, messages, arrival));
    consumer.start();
    LatencyRecorder publish = publish(queue, messages);
    consumer.join();
    return new Measurement(publish, arrival);
  }

  private LatencyRecorder publish(MessageQueue<byte[]> queue, int messages) {
    LatencyRecorder publish = new LatencyRecorder(messages);
    byte[] data = new byte[size];
    long step = Duration.ofSeconds(1).toNanos() / rate;
    long due = time.nanoTime();
    for (int i = 0; i < messages; i++) {
      awaitTurn(due);
      due += step;
      long started = time.nanoTime();
      ByteBuffer.wrap(data).putLong(started);
      queue.publisher().publish(data);
      publish.add(time.nanoTime() - started);
    }
    return publish;
  }

  private void awaitTurn(long due) {
    for (long left = due - time.nanoTime(); left > 0; left = due - time.nanoTime()) {
      if (left > SPIN_NANOS) {
        time.park(this, left - SPIN_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private void consume(Subscriber<byte[]> subscriber, int messages, LatencyRecorder arrival) {
    try {
      for (int i = 0; i < messages; i++) {
        Delivery<byte[]> delivery = subscriber.next(TIMEOUT);
        if (delivery == null) {
          return; // the publisher has failed, and reports why
        }
        arrival.add(time.nanoTime() - ByteBuffer.wrap(delivery.data()).getLong());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void report(Measurement measured, long archived) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%s of %s at %,d/s; microseconds; %s archived meanwhile%n",
        Amount.grouped(measured.publish().count(), "message"),
        Amount.grouped(size, "byte"),
        rate,
        Amount.grouped(archived, "block"));
    out.println("  publish           " + measured.publish());
    out.println("  publish to next   " + measured.arrival());
  }
}
