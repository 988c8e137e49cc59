package com.wookler.river.benchmarks.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.benchmarks.system.OpenQueue.Receiver;
import com.wookler.river.benchmarks.system.OpenQueue.Sender;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
    List<Work> works = new ArrayList<>();
    for (int publishers : new int[] {1, 2}) {
      for (int batch : new int[] {1, BATCH}) {
        for (boolean disk : new boolean[] {false, true}) {
          works.add(new Work(publishers, 1, SIZE, batch, false, disk, 0, false));
          works.add(new Work(publishers, 1, SIZE, batch, true, disk, 0, false));
          works.add(new Work(publishers, 1, SIZE, batch, true, disk, UNDER_WAY, false));
        }
      }
    }
    works.add(new Work(2, 1, SIZE, BATCH, false, false, 0, true));
    return works.stream().flatMap(SystemsTest::bySystem);
  }

  private static Stream<Arguments> works(int publishers, boolean ack, int underWay) {
    return works()
        .filter(
            arguments -> {
              Work work = (Work) arguments.get()[1];
              return work.publishers() == publishers
                  && (work.ack() || !ack)
                  && work.underWay() <= underWay;
            });
  }

  static Stream<Arguments> worksOfSeveralPublishers() {
    return works(2, false, UNDER_WAY);
  }

  static Stream<Arguments> worksWithAck() {
    return works(1, true, 0);
  }

  static Stream<Arguments> worksOfSeveralConsumers() {
    return Stream.of(true, false)
        .map(ack -> new Work(1, 3, SIZE, 1, ack, false, 0, false))
        .flatMap(SystemsTest::bySystem);
  }

  static Stream<String> names() {
    return QueueSystem.names().stream();
  }

  /** The limit is no queue: it keeps nothing. */
  static Stream<String> queues() {
    return names().filter(name -> !name.equals(QueueSystem.LIMIT));
  }

  private static Stream<Arguments> bySystem(Work work) {
    return QueueSystem.ALL.stream()
        .filter(system -> system.can().test(work))
        .map(system -> Arguments.of(system.name(), work));
  }

  private OpenQueue open(String name, Work work) throws Exception {
    return QueueSystem.named(name).opener().open(directory, work);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("works")
  void shouldDeliverAllInOrder(String name, Work work) throws Exception {
    try (OpenQueue queue = open(name, work)) {
      publish(queue, work);
      shouldBeComplete(receiveAll(queue, work), work);
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("worksOfSeveralPublishers")
  void shouldDeliverAllInOrderWhilePublishing(String name, Work work) throws Exception {
    try (OpenQueue queue = open(name, work)) {
      WorkerGroup both = new WorkerGroup();
      both.addBody("CONSUMER", () -> shouldBeComplete(receiveAll(queue, work), work));
      both.addBody("PUBLISHERS", () -> publish(queue, work));
      both.work();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("worksWithAck")
  void shouldKeepWhatIsNotAcknowledged(String name, Work work) throws Exception {
    List<byte[]> received;
    try (OpenQueue queue = open(name, work)) {
      publish(queue, work);
      try (Receiver receiver = queue.receiver(0)) {
        received = receive(receiver, work, 2 * BATCH);
      }
    }
    try (OpenQueue queue = open(name, work);
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
    try (OpenQueue queue = open(name, work)) {
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
  @MethodSource("queues")
  void shouldKeepWhatNobodyTook(String name) throws Exception {
    Work work = Work.publish(1, SIZE);
    try (OpenQueue queue = open(name, work)) {
      publish(queue, work);
    }
    Work consume = new Work(0, 1, SIZE, 1, false, false, 0, false);
    try (OpenQueue queue = open(name, consume);
        Receiver receiver = queue.receiver(0)) {
      shouldBeComplete(receive(receiver, work, MESSAGES), work);
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("worksOfSeveralConsumers")
  void shouldGiveEachConsumerAll(String name, Work work) throws Exception {
    try (OpenQueue queue = open(name, work)) {
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
    Work work = new Work(1, 1, SIZE, 1, false, false, 0, false);
    try (OpenQueue queue = open(name, work);
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
    assertThatThrownBy(() -> QueueSystem.named("no-such")).hasMessageContaining("river");
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.isAlive() && !thread.isDaemon())
        .collect(Collectors.toSet());
  }

  private static void publish(OpenQueue queue, Work work) throws Exception {
    WorkerGroup publishers = new WorkerGroup();
    for (int publisher = 0; publisher < work.publishers(); publisher++) {
      int one = publisher;
      publishers.addBody("PUBLISHER-" + one, () -> publish(queue, work, one));
    }
    publishers.work();
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
