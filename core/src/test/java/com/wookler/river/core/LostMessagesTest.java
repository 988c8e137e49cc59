package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

/** What users see of messages that the log has lost. */
@Timeout(120)
class LostMessagesTest {
  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(START);
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue<String> open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .backup(directory.resolve("backup"), Duration.ofDays(3))
            .recycle(SizeBasedRecycle.ofMessages(10))
            .timeSource(time)
            .open();
    return queue;
  }

  private void shut() {
    queue.close();
    queue = null;
  }

  private Path log() {
    return directory.resolve("orders/log");
  }

  private Path block(int number) {
    return log().resolve("b0000000" + number + ".cq4");
  }

  /** Each of ten bytes, in a second of its own. */
  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish(data(queue.stats().nextSequence()));
      time.advance(Duration.ofSeconds(1));
    }
  }

  private static String data(long sequence) {
    return String.format("message%3d", sequence);
  }

  /** Zeroes a block from this message on. */
  private void zeroFrom(int block, long sequence) throws IOException {
    String content = Files.readString(block(block), StandardCharsets.ISO_8859_1);
    int from = content.indexOf(data(sequence)) - 9 - 32 - 4; // entry, document, Chronicle's header
    assertThat(from).isPositive();
    try (FileChannel channel = FileChannel.open(block(block), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate((int) (channel.size() - from)), from);
    }
  }

  private List<Long> drain(Subscriber<String> subscriber) {
    List<Long> sequences = new ArrayList<>();
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      assertThat(next.data()).isEqualTo(data(next.sequence()));
      next.ack();
      sequences.add(next.sequence());
    }
    return sequences;
  }

  private static List<Long> sequences(long... bounds) {
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < bounds.length; i += 2) {
      for (long s = bounds[i]; s < bounds[i + 1]; s++) {
        all.add(s);
      }
    }
    return all;
  }

  private static SubscriberConfig acks(String name) {
    return SubscriberConfig.builder(name).ack(true).build();
  }

  @Test
  void shouldPassOverLostMessages() throws IOException {
    open();
    queue.subscriber("plain");
    queue.subscriber(acks("audit"));
    publish(35);
    shut();
    Files.delete(block(2)); // sequences 10 to 19
    zeroFrom(4, 32); // and 32 to 34
    open();
    assertThat(queue.stats().nextSequence()).isEqualTo(35);
    assertThat(queue.stats().messages()).isEqualTo(22);
    assertThat(queue.stats().lost()).isEqualTo(13);
    for (Subscriber<String> each : List.of(queue.subscriber("plain"), queue.subscriber("audit"))) {
      assertThat(each.stats().lag()).isEqualTo(22);
      assertThat(drain(each)).isEqualTo(sequences(0, 10, 20, 32));
      assertThat(each.stats().lag()).isZero();
    }
    publish(10);
    for (Subscriber<String> each : List.of(queue.subscriber("plain"), queue.subscriber("audit"))) {
      assertThat(each.stats().lag()).isEqualTo(10);
      assertThat(drain(each)).isEqualTo(sequences(35, 45));
    }
  }

  @Test
  void shouldSayInOneLineWhatItFoundAndRepaired() throws IOException {
    open();
    publish(35);
    queue.subscriber("plain");
    queue.subscriber("audit");
    shut();
    Files.delete(block(2));
    zeroFrom(4, 32);
    CapturedLog said = new CapturedLog(RunningQueue.class.getName(), Level.INFO);
    try (said) {
      open();
    }
    assertThat(said.lines())
        .singleElement()
        .asString()
        .contains("orders", "messages 22", "sequences 0 to 35", "blocks 4")
        .contains("subscribers 2 (0 open)")
        .contains("blocks damaged: 1", "13 messages lost in 2 gaps")
        .matches(".* \\d+ ms");
  }

  @Test
  void shouldLookUpAroundLostMessages() throws IOException {
    open();
    publish(35);
    shut();
    Files.delete(block(2));
    zeroFrom(4, 32);
    open();
    publish(1);
    for (long lost : new long[] {10, 15, 19, 32, 34}) {
      assertThat(queue.read(lost)).as("sequence %s", lost).isEmpty();
    }
    assertThat(queue.read(9).orElseThrow().data()).isEqualTo(data(9));
    assertThat(queue.read(20).orElseThrow().data()).isEqualTo(data(20));
    assertThat(queue.read(35).orElseThrow().data()).isEqualTo(data(35));
    assertThat(queue.read(5, 100)).hasSize(5);
    assertThat(queue.sequenceAt(START.plusSeconds(9))).hasValue(9);
    assertThat(queue.sequenceAt(START.plusSeconds(12))).hasValue(20);
    assertThat(queue.sequenceAt(START.plusSeconds(33))).hasValue(35);
  }

  @Test
  void shouldArchiveTheBlocksAroundLostMessages() throws IOException {
    open();
    queue.subscriber(acks("audit"));
    publish(45);
    shut();
    Files.delete(block(2));
    open();
    Subscriber<String> audit = queue.subscriber("audit");
    assertThat(drain(audit)).isEqualTo(sequences(0, 10, 20, 45));
    await().atMost(Duration.ofSeconds(60)).until(() -> queue.stats().blocks() == 1);
    assertThat(queue.stats().backups()).isEqualTo(3);
    assertThat(queue.stats().messages()).isEqualTo(5);
    assertThat(queue.read(5).orElseThrow().data()).isEqualTo(data(5));
    assertThat(queue.read(15)).isEmpty();
    shut();
    open();
    assertThat(queue.stats().lost()).as("all blocks around it are gone").isZero();
    assertThat(queue.stats().messages()).isEqualTo(5);
    publish(10);
    assertThat(drain(queue.subscriber("audit"))).isEqualTo(sequences(45, 55));
  }

  @Test
  void shouldNotWaitForWhatIsLostAtTheEnd() throws IOException {
    open();
    assertThat(drain(subscribed(35))).isEqualTo(sequences(0, 30));
    publish(5);
    shut();
    zeroFrom(4, 30);
    open();
    Subscriber<String> audit = queue.subscriber("audit");
    assertThat(audit.stats().lag()).as("nothing is left that it could take").isZero();
    assertThat(audit.next()).isNull();
    assertThat(audit.stats().ackFloor()).isEqualTo(35);
    publish(1);
    assertThat(drain(audit)).containsExactly(35L);
  }

  private Subscriber<String> subscribed(int messages) {
    Subscriber<String> audit = queue.subscriber(acks("audit"));
    publish(messages - 5);
    return audit;
  }

  /** The device had the acknowledgements before a power loss, and not their messages. */
  @Test
  void shouldGiveNewMessagesNoSequenceThatASubscriberHasFinished() throws IOException {
    open();
    Subscriber<String> audit = queue.subscriber(acks("audit"));
    Subscriber<String> plain = queue.subscriber("plain");
    publish(5);
    queue.force();
    Path before = copy(log(), directory.resolve("before"));
    publish(8);
    assertThat(drain(audit)).isEqualTo(sequences(0, 13));
    for (int i = 0; i < 9; i++) {
      plain.next();
    }
    shut();
    deleteFiles(log());
    copy(before, log());
    open();
    assertThat(queue.stats().nextSequence()).isEqualTo(13);
    assertThat(queue.stats().lost()).isEqualTo(8);
    publish(2);
    assertThat(drain(queue.subscriber("audit"))).containsExactly(13L, 14L);
    assertThat(drain(queue.subscriber("plain"))).containsExactly(13L, 14L);
  }

  private static Path copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return to;
  }

  private static void deleteFiles(Path from) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void shouldPassOverMoreThanItsWindowAsRoomComes() throws IOException {
    open();
    queue.subscriber(SubscriberConfig.builder("audit").ack(true).maxInFlight(8).window(8).build());
    publish(35);
    shut();
    Files.delete(block(1)); // sequences 0 to 9: before the oldest block
    Files.delete(block(3)); // sequences 20 to 29
    open();
    Subscriber<String> audit = queue.subscriber("audit");
    List<Delivery<String>> held = new ArrayList<>();
    for (Delivery<String> next = audit.next(); next != null; next = audit.next()) {
      held.add(next);
    }
    assertThat(held).extracting(Delivery::sequence).isEqualTo(sequences(10, 18));
    held.subList(0, 6).forEach(Delivery::ack); // room for 18 to 23
    assertThat(audit.next().sequence()).isEqualTo(18);
    assertThat(audit.next().sequence()).isEqualTo(19);
    assertThat(audit.next()).isNull();
    held.get(6).ack();
    assertThat(audit.next()).isNull();
    assertThat(audit.stats().lag()).isEqualTo(8);
    held.get(7).ack();
    assertThat(audit.next()).as("18 is in flight, and its window ends at 26").isNull();
    time.advance(Duration.ofMinutes(10));
    Delivery<String> again = audit.next();
    assertThat(again.sequence()).isEqualTo(18);
    again.ack();
    audit.next().ack();
    assertThat(drain(audit)).isEqualTo(sequences(30, 35));
    assertThat(audit.stats().lag()).isZero();
  }
}
