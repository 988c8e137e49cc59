package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Processors that fail in all ways, under which the process is killed too. */
class ReactorKillTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir Path root;
  private Path data;
  private Path ledger;

  private void publish(Order order) {
    data = root.resolve("data");
    ledger = root.resolve("ledger");
    try (MessageQueue<String> source = ReactorChild.source(data)) {
      source.subscriber(ReactorChild.config(order));
      for (int from = 0; from < Counts.REACTOR; from += 1_000) {
        source
            .publisher()
            .publish(
                IntStream.range(from, Math.min(from + 1_000, Counts.REACTOR))
                    .mapToObj(n -> Message.of(event(n)).withKey("C-" + n % ReactorChild.KEYS))
                    .toList());
      }
    }
  }

  private static String event(int number) {
    return """
        {"id":%d,"type":"order.created","customer":"C-%05d","amount":%d.%02d,"currency":"EUR"}"""
        .formatted(number, number % 7_919, number % 900 + 10, number % 100);
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
    Map<Integer, Integer> last = new HashMap<>(); // of each key, in the order of successes
    while (sequences.hasRemaining()) {
      int sequence = sequences.get();
      if (times.merge(sequence, 1, Integer::sum) == 1 && order == Order.KEY) {
        Integer before = last.put(sequence % ReactorChild.KEYS, sequence);
        assertThat(before == null || before < sequence).as("%s, %s", before, sequence).isTrue();
      }
    }
    assertThat(times.keySet()).containsExactlyElementsOf(good());
    long again = times.values().stream().mapToLong(n -> n - 1).sum();
    long bound = (Counts.REACTOR_KILLS + 1L) * ReactorChild.THREADS * ReactorChild.BATCH;
    assertThat(again).as("processed again").isLessThanOrEqualTo(bound);
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
          .containsExactlyInAnyOrderElementsOf(
              poisoned().stream().map(ReactorKillTest::event).toList());
      List<String> forwarded = new ArrayList<>();
      long next = 0;
      for (List<Delivery<String>> some = target.read(next, 1_000);
          !some.isEmpty();
          some = target.read(next, 1_000)) {
        some.forEach(delivery -> forwarded.add(delivery.data()));
        next += some.size();
      }
      assertThat(forwarded)
          .containsExactlyInAnyOrderElementsOf(
              good().stream().map(ReactorKillTest::event).toList());
    }
  }

  private static List<Integer> poisoned() {
    return IntStream.range(0, Counts.REACTOR).filter(ReactorChild::isPoisoned).boxed().toList();
  }
}
