package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SIGTERM while a reactor works, which a shutdown hook closes. */
@Tag("full")
class StopTest {
  private static final int TERMINATED = 128 + 15;
  private static final int MESSAGES = 5_000;

  @TempDir Path root;

  @ParameterizedTest
  @CsvSource({"1, 20000, true", "40, 50, false"})
  void shouldLoseNothingAndFinishNothingTwiceWhenAShutdownHookClosesIt(
      int workMillis, int closeMillis, boolean inTime) throws Exception {
    Path data = root.resolve("data");
    Path ledger = root.resolve("ledger");
    try (MessageQueue<String> queue = StopChild.open(data)) {
      queue.subscriber(StopChild.config());
      queue.publisher().publishAll(IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i).toList());
    }
    try (ChildProcess child =
        ChildProcess.start(
            StopChild.class,
            root.resolve("output"),
            ChildProcess.Launch.PLAIN,
            data.toString(),
            ledger.toString(),
            String.valueOf(workMillis),
            String.valueOf(closeMillis))) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.exists(ledger) && Files.size(ledger) > 20 * Integer.BYTES);
      assertThat(ProcessHandle.of(child.pid()).orElseThrow().destroy()).isTrue();
      assertThat(child.awaitEnd(Duration.ofSeconds(20))).as(child.output()).isTrue();
      assertThat(child.exitValue()).as(child.output()).isEqualTo(TERMINATED);
      assertThat(child.output()).contains(StopChild.CLOSED + inTime);
    }
    shouldHaveTheRestOnce(data, finished(ledger), inTime);
  }

  private static List<Integer> finished(Path ledger) throws IOException {
    IntBuffer sequences = ByteBuffer.wrap(Files.readAllBytes(ledger)).asIntBuffer();
    List<Integer> finished = new ArrayList<>();
    while (sequences.hasRemaining()) {
      finished.add(sequences.get());
    }
    return finished;
  }

  private static void shouldHaveTheRestOnce(Path data, List<Integer> finished, boolean inTime)
      throws InterruptedException {
    List<Integer> all = new ArrayList<>(finished);
    int begun = 0;
    try (MessageQueue<String> queue = StopChild.open(data)) {
      Subscriber<String> subscriber = queue.subscriber(StopChild.config());
      assertThat(subscriber.stats().lag()).isEqualTo(MESSAGES - finished.size()).isPositive();
      for (List<Delivery<String>> some = subscriber.batch(1_000, Duration.ofMillis(10));
          !some.isEmpty();
          some = subscriber.batch(1_000, Duration.ofMillis(10))) {
        some.forEach(delivery -> all.add((int) delivery.sequence()));
        begun += (int) some.stream().filter(delivery -> delivery.attempt() > 1).count();
      }
    }
    assertThat(all.stream().sorted().toList())
        .isEqualTo(IntStream.range(0, MESSAGES).boxed().toList());
    assertThat(begun).as("began and did not end").isEqualTo(inTime ? 0 : 4);
  }
}
