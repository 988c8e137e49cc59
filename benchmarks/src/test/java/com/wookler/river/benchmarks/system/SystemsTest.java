package com.wookler.river.benchmarks.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.benchmarks.system.Work.Level;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every system does every work it says it can, and loses, repeats or disorders nothing. */
@Tag("full")
class SystemsTest {
  private static final int SIZE = 100;
  private static final int BATCH = 8;
  private static final int UNDER_WAY = 16;
  private static final int MESSAGES = 5 * BATCH;
  private static final Duration WAIT = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory;

  static Stream<Arguments> works() {
    return works(1, 2);
  }

  static Stream<Arguments> worksOfSeveralPublishers() {
    return works(2);
  }

  private static Stream<Arguments> works(Integer... numbers) {
    return Stream.of(numbers)
        .flatMap(
            publishers ->
                Stream.of(1, BATCH)
                    .flatMap(
                        batch ->
                            Stream.of(
                                new Work(publishers, 1, SIZE, batch, false, Level.MEMORY, 0),
                                new Work(publishers, 1, SIZE, batch, true, Level.MEMORY, 0),
                                new Work(publishers, 1, SIZE, batch, true, Level.MEMORY, UNDER_WAY),
                                new Work(publishers, 1, SIZE, batch, false, Level.DISK, 0),
                                new Work(publishers, 1, SIZE, batch, true, Level.DISK, 0),
                                new Work(publishers, 1, SIZE, batch, true, Level.DISK, UNDER_WAY))))
        .flatMap(SystemsTest::bySystem);
  }

  static Stream<Arguments> worksWithAck() {
    return Stream.of(1, BATCH)
        .flatMap(
            batch ->
                Stream.of(Level.values())
                    .map(level -> new Work(1, 1, SIZE, batch, true, level, 0))
                    .flatMap(SystemsTest::bySystem));
  }

  static Stream<Arguments> worksOfSeveralConsumers() {
    return Stream.of(true, false)
        .map(ack -> new Work(1, 3, SIZE, 1, ack, Level.MEMORY, 0))
        .flatMap(SystemsTest::bySystem);
  }

  static Stream<String> names() {
    return Systems.all().stream().map(QueueSystem::name);
  }

  private static Stream<Arguments> bySystem(Work work) {
    return Systems.all().stream()
        .filter(system -> system.supports(work))
        .map(system -> Arguments.of(system.name(), work));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("works")
  void shouldDeliverAllInOrder(String name, Work work) throws Exception {
    try (OpenQueue queue = Systems.byName(name).open(directory, work)) {
      publish(queue, work);
      shouldBeComplete(receiveAll(queue, work), work);
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("worksOfSeveralPublishers")
  void shouldDeliverAllInOrderWhilePublishing(String name, Work work) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (OpenQueue queue = Systems.byName(name).open(directory, work)) {
      Future<List<byte[]>> received = thread.submit(() -> receiveAll(queue, work));
      publish(queue, work);
      shouldBeComplete(received.get(), work);
    } finally {
      thread.shutdown();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("worksWithAck")
  void shouldKeepWhatIsNotAcknowledged(String name, Work work) throws Exception {
    QueueSystem system = Systems.byName(name);
    List<byte[]> received;
    try (OpenQueue queue = system.open(directory, work)) {
      publish(queue, work);
      try (Receiver receiver = queue.receiver(0)) {
        received = receive(receiver, work, 2 * BATCH);
      }
    }
    try (OpenQueue queue = system.open(directory, work);
        Receiver receiver = queue.receiver(0)) {
      received.addAll(receive(receiver, work, MESSAGES - 2 * BATCH));
      shouldBeComplete(received, work);
      shouldBeEmpty(receiver);
      publish(queue, work);
      shouldBeComplete(receive(receiver, work, MESSAGES), work);
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("worksWithAck")
  void shouldLetTheNextConsumerGoOn(String name, Work work) throws Exception {
    try (OpenQueue queue = Systems.byName(name).open(directory, work)) {
      for (int round = 0; round < 2; round++) {
        publish(queue, work);
        List<byte[]> received = new ArrayList<>();
        for (int count : new int[] {BATCH, MESSAGES - BATCH}) {
          try (Receiver receiver = queue.receiver(0)) {
            received.addAll(receive(receiver, work, count));
          }
        }
        shouldBeComplete(received, work);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("names")
  void shouldKeepWhatNobodyTook(String name) throws Exception {
    QueueSystem system = Systems.byName(name);
    Work work = Work.publish(1, SIZE);
    try (OpenQueue queue = system.open(directory, work)) {
      publish(queue, work);
    }
    Work consume = Work.consume(1, SIZE, 1, false);
    try (OpenQueue queue = system.open(directory, consume);
        Receiver receiver = queue.receiver(0)) {
      shouldBeComplete(receive(receiver, work, MESSAGES), work);
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("worksOfSeveralConsumers")
  void shouldGiveEachConsumerAll(String name, Work work) throws Exception {
    try (OpenQueue queue = Systems.byName(name).open(directory, work)) {
      publish(queue, work);
      for (int number = 0; number < work.consumers(); number++) {
        try (Receiver receiver = queue.receiver(number)) {
          shouldBeComplete(receive(receiver, work, MESSAGES), work);
          shouldBeEmpty(receiver);
        }
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("names")
  void shouldLeaveNoThreadThatKeepsTheProcess(String name) throws Exception {
    Set<Thread> before = threads();
    Work work = new Work(1, 1, SIZE, 1, false, Level.MEMORY, 0);
    try (OpenQueue queue = Systems.byName(name).open(directory, work);
        Receiver receiver = queue.receiver(0)) {
      publish(queue, work);
      receive(receiver, work, MESSAGES);
    }
    await()
        .pollInSameThread()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(threads()).filteredOn(t -> !before.contains(t)).isEmpty());
  }

  @Test
  void shouldKnowEachSystemByItsName() {
    assertThat(names()).doesNotHaveDuplicates().startsWith("river", "chronicle");
    assertThatThrownBy(() -> Systems.byName("no-such")).hasMessageContaining("river");
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.isAlive() && !thread.isDaemon())
        .collect(Collectors.toSet());
  }

  private static void publish(OpenQueue queue, Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(work.publishers());
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int publisher = 0; publisher < work.publishers(); publisher++) {
        int one = publisher;
        ends.add(
            threads.submit(
                () -> {
                  publish(queue, work, one);
                  return null;
                }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  private static void publish(OpenQueue queue, Work work, int publisher) throws Exception {
    try (Sender sender = queue.sender()) {
      List<byte[]> batch = new ArrayList<>();
      byte[] reused = new byte[SIZE];
      for (int number = 0; number < MESSAGES; number++) {
        if (work.batch() == 1) {
          System.arraycopy(content(publisher, number), 0, reused, 0, SIZE);
          sender.send(reused);
          continue;
        }
        batch.add(content(publisher, number));
        if (batch.size() == work.batch()) {
          sender.send(batch);
          batch.clear();
        }
      }
      sender.finish();
    }
  }

  private static List<byte[]> receiveAll(OpenQueue queue, Work work) throws Exception {
    try (Receiver receiver = queue.receiver(0)) {
      List<byte[]> received = receive(receiver, work, MESSAGES * work.publishers());
      shouldBeEmpty(receiver);
      return received;
    }
  }

  private static List<byte[]> receive(Receiver receiver, Work work, int count) throws Exception {
    List<byte[]> received = new ArrayList<>();
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (received.size() < count && System.nanoTime() - end < 0) {
      int max = Math.min(work.batch(), count - received.size());
      int before = received.size();
      int given = receiver.receive(max, WAIT, received::add);
      assertThat(given).isEqualTo(received.size() - before).isLessThanOrEqualTo(max);
    }
    assertThat(received).hasSize(count);
    return received;
  }

  private static void shouldBeEmpty(Receiver receiver) throws Exception {
    assertThat(receiver.receive(1, Duration.ZERO, data -> {})).isZero();
    assertThat(receiver.receive(1, Duration.ofMillis(5), data -> {})).isZero();
  }

  private static void shouldBeComplete(List<byte[]> received, Work work) {
    for (int publisher = 0; publisher < work.publishers(); publisher++) {
      int one = publisher;
      assertThat(received)
          .filteredOn(data -> ByteBuffer.wrap(data).getInt() == one)
          .containsExactlyElementsOf(
              IntStream.range(0, MESSAGES).mapToObj(number -> content(one, number)).toList());
    }
    assertThat(received).hasSize(MESSAGES * work.publishers());
  }

  private static byte[] content(int publisher, int number) {
    byte[] data = new byte[SIZE];
    new Random(number).nextBytes(data);
    ByteBuffer.wrap(data).putInt(publisher).putInt(number);
    return data;
  }
}
