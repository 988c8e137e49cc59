package com.wookler.river.benchmarks.reactor;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * How long a message is under way from the publish to the processor of a reactor with nothing else
 * to do: of reactors that rest, without a thread, each on a queue of its own; and of one whose
 * thread still waits. The first round counts for nothing.
 *
 * @param reactors that rest; each is woken once a round
 * @param rounds that count
 * @param messages a round of the one that waits
 */
record Wakes(int reactors, int rounds, int messages) {
  private static final String REST = "publish until the processor of a reactor at rest has it";
  private static final String WAITS = "publish until the processor of a reactor that waits has it";
  private static final String UNIT = "µs (p99)";
  private static final double MICRO = 1e3;
  private static final Duration BETWEEN = Duration.ofMillis(3);
  private static final TimeSource TIME = TimeSource.system();

  List<Row> measure(Path base) throws InterruptedException {
    BlockingQueue<Long> times = new LinkedBlockingQueue<>();
    List<MessageQueue<byte[]>> queues = new ArrayList<>();
    try {
      List<Reactor<byte[]>> started = new ArrayList<>();
      for (int i = 0; i < reactors; i++) {
        queues.add(open(base, "wake-" + i));
        started.add(start(queues.get(i), times));
      }
      List<double[]> rest = new ArrayList<>();
      List<double[]> waits = new ArrayList<>();
      for (int round = 0; round <= rounds; round++) {
        Effort.awaitRest();
        rest.add(wake(queues, times));
        waits.add(wake(Collections.nCopies(messages, queues.get(0)), times));
      }
      started.forEach(Reactor::close);
      return List.of(
          row(REST, rest.subList(1, rest.size())), row(WAITS, waits.subList(1, waits.size())));
    } finally {
      queues.forEach(MessageQueue::delete);
    }
  }

  private static MessageQueue<byte[]> open(Path base, String name) {
    return MessageQueue.builder(name, MessageConverter.bytes()).directory(base).open();
  }

  private static Reactor<byte[]> start(MessageQueue<byte[]> queue, BlockingQueue<Long> times) {
    return Reactor.builder(queue.subscriber(SubscriberConfig.builder("bench").ack(true).build()))
        .processor(
            "timed",
            delivery -> {
              times.add(TIME.nanoTime() - published(delivery));
              return ProcessResult.done();
            })
        .start();
  }

  private static long published(Delivery<byte[]> delivery) {
    return ByteBuffer.wrap(delivery.data()).getLong();
  }

  /** Publishes to one after the other, and waits each time; returns how many µs each took. */
  private static double[] wake(List<MessageQueue<byte[]>> queues, BlockingQueue<Long> times)
      throws InterruptedException {
    double[] micros = new double[queues.size()];
    for (int i = 0; i < micros.length; i++) {
      Effort.rest(BETWEEN);
      byte[] now = ByteBuffer.allocate(Long.BYTES).putLong(TIME.nanoTime()).array();
      queues.get(i).publisher().publish(now);
      micros[i] = times.take() / MICRO;
    }
    return micros;
  }

  private static Row row(String line, List<double[]> rounds) {
    double[] all = rounds.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
    Map<String, Double> extra = new LinkedHashMap<>();
    extra.put("p50 µs", percentile(all, 50));
    extra.put("p99 µs", percentile(all, 99));
    extra.put("max µs", all[all.length - 1]);
    double[] each =
        rounds.stream()
            .mapToDouble(round -> percentile(Arrays.stream(round).sorted().toArray(), 99))
            .toArray();
    return Rows.of(line, Rows.RIVER, UNIT, each, extra);
  }

  private static double percentile(double[] sorted, int percent) {
    return sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
  }
}
