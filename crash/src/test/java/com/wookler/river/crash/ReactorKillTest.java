package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Processors that fail in all ways, under which the process is killed too. */
@Tag("full")
class ReactorKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(ReactorKillTest.class);
  private static final Duration PATIENCE = Duration.ofMinutes(5 + Counts.REACTOR / 20_000);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  private Path data;
  private Path ledger;
  private Events events;

  private void publish(Order order) throws IOException {
    events = Events.read(Counts.REACTOR);
    data = root.resolve("data");
    ledger = root.resolve("ledger");
    try (MessageQueue<String> source = ReactorChild.source(data)) {
      source.subscriber(ReactorChild.config(order));
      for (int from = 0; from < Counts.REACTOR; from += 1_000) {
        source
            .publisher()
            .putAll(
                IntStream.range(from, Math.min(from + 1_000, Counts.REACTOR))
                    .mapToObj(this::message)
                    .toList(),
                Durability.MEMORY);
      }
    }
  }

  private Message<String> message(int number) {
    Message<String> message = Message.of(events.get(number));
    String key = events.key(number);
    return key == null ? message : message.withKey(key);
  }

  @ParameterizedTest
  @EnumSource
  void shouldProcessEveryMessageAndForwardItOnceThoughProcessorsFailAndTheProcessIsKilled(
      Order order) throws Exception {
    publish(order);
    for (int kill = 1; kill <= Counts.REACTOR_KILLS; kill++) {
      long processed = (long) Counts.REACTOR * kill / (Counts.REACTOR_KILLS + 1);
      try (ChildProcess child = start(kill, order)) {
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(5))
            .until(() -> !child.isAlive() || inLedger() >= processed);
        assertThat(child.kill()).as(child.output()).isEqualTo(ChildProcess.KILLED);
      }
    }
    try (ChildProcess child = start(0, order)) {
      assertThat(child.awaitEnd(PATIENCE)).as(child.output()).isTrue();
      assertThat(child.exitValue()).as(child.output()).isZero();
      assertThat(child.output()).contains(ReactorChild.DONE);
    }
    checkLedger(order);
    checkQueues(order);
  }

  private ChildProcess start(int number, Order order) throws IOException {
    return ChildProcess.start(
        ReactorChild.class,
        root.resolve("output-" + number),
        ChildProcess.Launch.with("-Xmx256m"),
        data.toString(),
        ledger.toString(),
        order.name());
  }

  private long inLedger() throws IOException {
    return Files.exists(ledger) ? Files.size(ledger) / Integer.BYTES : 0;
  }

  private void checkLedger(Order order) throws IOException {
    Map<Integer, Integer> times = new TreeMap<>();
    IntBuffer sequences = ByteBuffer.wrap(Files.readAllBytes(ledger)).asIntBuffer();
    Map<String, Integer> last = new HashMap<>(); // of each key, in the order of successes
    while (sequences.hasRemaining()) {
      int sequence = sequences.get();
      String key = events.key(sequence);
      if (times.merge(sequence, 1, Integer::sum) == 1 && order == Order.KEY && key != null) {
        Integer before = last.put(key, sequence);
        assertThat(before == null || before < sequence).as("%s, %s", before, sequence).isTrue();
      }
    }
    assertThat(times.keySet()).containsExactlyElementsOf(good());
    long again = times.values().stream().mapToLong(n -> n - 1).sum();
    long atOnce = (Counts.REACTOR_KILLS + 1L) * ReactorChild.THREADS + ReactorChild.hangs();
    assertThat(again).as("processed again").isLessThanOrEqualTo(atOnce * ReactorChild.BATCH);
    LOG.warn(
        "{}: {} events, {} kills, {} poisoned, {} processed again",
        order,
        Counts.REACTOR,
        Counts.REACTOR_KILLS,
        poisoned().size(),
        again);
  }

  private static List<Integer> good() {
    return IntStream.range(0, Counts.REACTOR)
        .filter(number -> !ReactorChild.isPoisoned(number))
        .boxed()
        .toList();
  }

  private void checkQueues(Order order) {
    try (MessageQueue<String> source = ReactorChild.source(data);
        MessageQueue<String> target = ReactorChild.target(data)) {
      Subscriber<String> subscriber = source.subscriber(ReactorChild.config(order));
      assertThat(subscriber.stats().lag()).isZero();
      assertThat(subscriber.deadLetters().peek(Counts.REACTOR))
          .extracting(Delivery::data)
          .containsExactlyInAnyOrderElementsOf(poisoned().stream().map(events::get).toList());
      Map<String, Integer> left = new HashMap<>(); // how often each is still to come
      good().forEach(number -> left.merge(events.get(number), 1, Integer::sum));
      long next = 0;
      for (List<Delivery<String>> some = target.read(next, 1_000);
          !some.isEmpty();
          some = target.read(next, 1_000)) {
        some.forEach(delivery -> left.merge(delivery.data(), -1, Integer::sum));
        next += some.size();
      }
      left.values().removeIf(times -> times == 0);
      assertThat(left).as("missing, or forwarded more than once").isEmpty();
    }
  }

  private static List<Integer> poisoned() {
    return IntStream.range(0, Counts.REACTOR).filter(ReactorChild::isPoisoned).boxed().toList();
  }
}
