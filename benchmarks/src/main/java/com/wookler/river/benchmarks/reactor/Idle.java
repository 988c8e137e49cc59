package com.wookler.river.benchmarks.reactor;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the whole process costs while reactors have nothing to do, and what it costs with their
 * subscribers only. Each has processed a message before.
 *
 * @param reactors on one queue
 * @param rounds of each
 * @param seconds of a round
 */
record Idle(int reactors, int rounds, int seconds) {
  private static final String UNIT = "% of a core";
  private static final double PERCENT = 100;
  private static final Duration LOOK = Duration.ofMillis(5);

  List<Row> measure(Path base) {
    MessageQueue<byte[]> queue =
        MessageQueue.builder("idle", MessageConverter.bytes()).directory(base).open();
    List<Reactor<byte[]>> started = new ArrayList<>();
    try {
      List<Subscriber<byte[]>> subscribers = new ArrayList<>();
      for (int i = 0; i < reactors; i++) {
        subscribers.add(
            queue.subscriber(
                SubscriberConfig.builder("idle-" + i).ack(true).start(Position.latest()).build()));
      }
      Row without = watch(reactors + " subscribers without reactors");
      subscribers.forEach(
          one ->
              started.add(
                  Reactor.builder(one).processor("empty", d -> ProcessResult.done()).start()));
      queue.publisher().publish(new byte[1]);
      while (started.stream().anyMatch(reactor -> reactor.stats().finished() == 0)) {
        Effort.rest(LOOK);
      }
      return List.of(without, watch(reactors + " idle reactors"));
    } finally {
      started.forEach(Reactor::close);
      queue.delete();
    }
  }

  private Row watch(String line) {
    Effort.awaitRest();
    Effort.rest(Duration.ofSeconds(1)); // the forces behind the last message
    double[] percent = new double[rounds];
    int threads = 0;
    for (int i = 0; i < rounds; i++) {
      long cpu = Effort.cpuNanos();
      Effort.rest(Duration.ofSeconds(seconds));
      percent[i] = PERCENT * (Effort.cpuNanos() - cpu) / Duration.ofSeconds(seconds).toNanos();
      threads = Math.max(threads, Effort.threads());
    }
    return Rows.of(line, Rows.RIVER, UNIT, percent, Map.of("threads", (double) threads));
  }
}
