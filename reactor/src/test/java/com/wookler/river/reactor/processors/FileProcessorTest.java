package com.wookler.river.reactor.processors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.Reactor;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileProcessorTest {
  private static final int MESSAGES = 500;

  @TempDir Path directory;

  private static byte[] line(Delivery<String> delivery) {
    return (delivery.data() + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static List<Path> files(Path in) throws IOException {
    try (Stream<Path> list = Files.list(in)) {
      return list.sorted().toList();
    }
  }

  private void run(Path files, int from) {
    try (MessageQueue<String> queue =
            MessageQueue.builder("events", MessageConverter.utf8())
                .directory(directory.resolve("data"))
                .open();
        Subscriber<String> subscriber =
            queue.subscriber(SubscriberConfig.builder("files").ack(true).build());
        Reactor<String> reactor =
            Reactor.builder(subscriber)
                .batchProcessor(
                    "file", new FileProcessor<>(files, "events", 1_000, FileProcessorTest::line))
                .batchSize(10)
                .start()) {
      for (int i = from; i < from + MESSAGES; i++) {
        queue.publisher().publish("event " + i);
      }
      await().until(() -> subscriber.stats().lag() == 0);
      assertThat(reactor.stats().failed()).isZero();
    }
  }

  @Test
  void shouldWriteAllInOrderToFilesThatRotate() throws IOException {
    Path files = directory.resolve("files");
    run(files, 0);
    int first = files(files).size();
    run(files, MESSAGES);
    List<Path> written = files(files);
    assertThat(first).isGreaterThan(3);
    assertThat(written).hasSizeGreaterThan(first);
    assertThat(written.get(0)).hasFileName("events-000001.log");
    List<String> lines = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (Path file : written) {
      assertThat(Files.size(file)).isLessThan(1_000 + 10 * 20);
      lines.addAll(Files.readAllLines(file));
    }
    for (int i = 0; i < 2 * MESSAGES; i++) {
      expected.add("event " + i);
    }
    assertThat(lines).isEqualTo(expected);
  }

  @Test
  void shouldLeaveForeignFilesAlone() throws IOException {
    Path files = Files.createDirectory(directory.resolve("files"));
    Files.writeString(files.resolve("events-x.log"), "mine");
    Files.writeString(files.resolve("events-000007.log"), "of before");
    run(files, 0);
    assertThat(files.resolve("events-x.log")).hasContent("mine");
    assertThat(files.resolve("events-000007.log")).hasContent("of before");
    assertThat(files.resolve("events-000008.log")).exists();
  }

  @Test
  void shouldRefuseADirectoryThatIsAFile() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(() -> new FileProcessor<>(file, "events", 1_000, FileProcessorTest::line))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(file.toString());
  }

  private static List<byte[]> twoLines(Runnable between) {
    return new AbstractList<>() {
      @Override
      public byte[] get(int index) {
        if (index == 1) {
          between.run();
        }
        return ("line " + index + "\n").getBytes(StandardCharsets.UTF_8);
      }

      @Override
      public int size() {
        return 2;
      }
    };
  }

  @Test
  void shouldCutABatchThatAnInterruptHasLeftHalfWritten() throws IOException {
    try (RollingFiles files = new RollingFiles(directory, "events", 1_000)) {
      files.append(twoLines(() -> {}));
      assertThatThrownBy(() -> files.append(twoLines(() -> Thread.currentThread().interrupt())))
          .isInstanceOf(ClosedByInterruptException.class);
      assertThat(Thread.interrupted()).isTrue();
      files.append(twoLines(() -> {}));
    }
    assertThat(files(directory)).hasSize(2).allSatisfy(FileProcessorTest::hasTwoLines);
  }

  @Test
  void shouldCutABatchThatAnErrorHasLeftHalfWritten() throws IOException {
    try (RollingFiles files = new RollingFiles(directory, "events", 1_000)) {
      files.append(twoLines(() -> {}));
      assertThatThrownBy(() -> files.append(twoLines(FileProcessorTest::outOfMemory)))
          .isInstanceOf(OutOfMemoryError.class);
      files.append(twoLines(() -> {}));
    }
    assertThat(files(directory)).hasSize(2).allSatisfy(FileProcessorTest::hasTwoLines);
  }

  private static void outOfMemory() {
    throw new OutOfMemoryError("made by the test");
  }

  private static void hasTwoLines(Path file) {
    assertThat(file).hasContent("line 0\nline 1\n");
  }

  @Test
  void shouldLeaveNoFilesOfAttemptsOfWhichNothingIsLeft() throws IOException {
    Path made = directory.resolve("not/there/yet");
    try (RollingFiles files = new RollingFiles(made, "events", 1_000)) {
      for (int i = 0; i < 3; i++) { // as a disk that is full would have it
        assertThatThrownBy(() -> files.append(twoLines(FileProcessorTest::outOfMemory)))
            .isInstanceOf(OutOfMemoryError.class);
        assertThat(made).isEmptyDirectory();
      }
      files.append(twoLines(() -> {}));
    }
    assertThat(files(made)).hasSize(1).allSatisfy(FileProcessorTest::hasTwoLines);
  }
}
