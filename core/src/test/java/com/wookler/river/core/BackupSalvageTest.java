package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What a subscriber sees of damage in the backups that it reads: what is lost, once, no more. */
@Timeout(120)
class BackupSalvageTest {
  private static final int BLOCKS = 4; // of ten messages, with their backups
  private static final long END = 45;

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private @Nullable MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue<String> open(OnDamage action) {
    MessageQueue<String> opened =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .backup(directory.resolve("backup"), Duration.ofDays(3))
            .recycle(SizeBasedRecycle.ofMessages(10))
            .onDamage(action)
            .timeSource(time)
            .open();
    opened.addListener(
        new QueueListener() {
          @Override
          public void damaged(int block, Path file, long firstSequence, long messages) {
            heard.add(block + " " + file.getFileName() + " " + firstSequence + " " + messages);
          }
        });
    queue = opened;
    return opened;
  }

  /** All but the last five messages have left the log. */
  private MessageQueue<String> archived(OnDamage action) {
    MessageQueue<String> orders = open(action);
    Subscriber<String> all = orders.subscriber("all");
    for (long sequence = 0; sequence < END; sequence++) {
      orders.publisher().publish(data(sequence));
    }
    drain(all);
    await().until(() -> orders.stats().backups() == BLOCKS && orders.stats().blocks() == 1);
    return orders;
  }

  private MessageQueue<String> reopen(OnDamage action) {
    close();
    return open(action);
  }

  private static String data(long sequence) {
    return "message " + sequence;
  }

  private static List<Long> drain(Subscriber<String> subscriber) {
    List<Long> sequences = new ArrayList<>();
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      assertThat(next.data()).isEqualTo(data(next.sequence()));
      next.ack();
      sequences.add(next.sequence());
    }
    return sequences;
  }

  private static Subscriber<String> past(MessageQueue<String> orders, String name) {
    Subscriber<String> subscriber =
        orders.subscriber(
            SubscriberConfig.builder(name).ack(true).ackTimeout(Duration.ofSeconds(30)).build());
    subscriber.seek(Position.sequence(0));
    return subscriber;
  }

  /** All sequences but those from one to before another. */
  private static List<Long> allBut(long first, long end) {
    return LongStream.range(0, END).filter(s -> s < first || s >= end).boxed().toList();
  }

  private Path backup(int block) {
    return directory.resolve("backup/orders/2026/11/20/b0000000" + block + ".cq4.zst");
  }

  private Path seal(int block) {
    return backup(block).resolveSibling("b0000000" + block + ".seal");
  }

  private Path record() {
    return directory.resolve("orders/damage.log");
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 0x10;
    Files.write(file, bytes);
  }

  private void shouldBeToldOnce(int block, long first, long end) throws IOException {
    assertThat(Files.readAllLines(record())).hasSize(1);
    assertThat(Files.readString(record()))
        .contains("\"block\":" + block + ",\"file\":\"b0000000" + block + ".cq4.zst\"")
        .contains("\"first\":" + first + ",\"last\":" + (end - 1) + ",");
    await().until(() -> !heard.isEmpty());
    assertThat(heard)
        .containsExactly(block + " b0000000" + block + ".cq4.zst " + first + " " + (end - first));
  }

  @Test
  void shouldGoOnBehindABackupThatCannotBeDecompressedAndReportItOnce() throws IOException {
    MessageQueue<String> orders = archived(OnDamage.SALVAGE);
    flip(backup(2), 1);
    Subscriber<String> first = past(orders, "first");
    assertThat(drain(first)).isEqualTo(allBut(10, 20));
    assertThat(first.stats().lag()).isZero();
    assertThat(drain(past(orders, "second"))).isEqualTo(allBut(10, 20));
    MessageQueue<String> again = reopen(OnDamage.SALVAGE);
    assertThat(drain(past(again, "third"))).isEqualTo(allBut(10, 20));
    shouldBeToldOnce(2, 10, 20);
    Path kept = directory.resolve("orders/damaged/b00000002.cq4.zst-0");
    assertThat(Files.readAllBytes(kept)).isEqualTo(Files.readAllBytes(backup(2)));
  }

  @Test
  void shouldSayWhereToReadOnBehindABackupThatIsMissing() throws IOException {
    archived(OnDamage.SALVAGE);
    close();
    Files.delete(backup(2));
    Files.delete(seal(2));
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    assertThat(orders.read(10, 5)).isEmpty();
    assertThat(orders.nextFrom(10)).hasValue(20);
    assertThat(orders.nextFrom(9)).hasValue(9);
    assertThat(orders.nextFrom(-1)).hasValue(0);
    assertThat(orders.nextFrom(END - 1)).hasValue(END - 1);
    assertThat(orders.nextFrom(END)).isEmpty();
  }

  @Test
  void shouldStopAtADamagedBackupUntilItIsMoved() throws IOException {
    MessageQueue<String> orders = archived(OnDamage.STOP);
    flip(backup(2), 1);
    Subscriber<String> audit = past(orders, "audit");
    for (long sequence = 0; sequence < 10; sequence++) {
      audit.next().ack();
    }
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(audit::next)
          .isInstanceOf(DamagedMessageException.class)
          .hasMessageContaining(backup(2).toString())
          .hasMessageContaining("block 2, sequence 10, the frame at byte 0: damaged:");
    }
    assertThat(record()).doesNotExist();
    audit.seek(Position.sequence(20));
    assertThat(drain(audit)).hasSize(25);
  }

  @Test
  void shouldGoOnBehindABackupWhoseSealIsDamagedOrGone() throws IOException {
    MessageQueue<String> orders = archived(OnDamage.SALVAGE);
    flip(seal(2), 100);
    assertThat(drain(past(orders, "first"))).isEqualTo(allBut(10, 20));
    Subscriber<String> waiting = past(orders, "waiting");
    for (long sequence = 0; sequence < 10; sequence++) {
      waiting.next().ack();
    }
    MessageQueue<String> again = reopen(OnDamage.SALVAGE); // which finds no block in that file
    assertThat(drain(again.subscriber("waiting")))
        .isEqualTo(LongStream.range(20, END).boxed().toList());
    shouldBeToldOnce(2, 10, 20);
    Files.delete(seal(3));
    assertThat(drain(past(again, "third"))).isEqualTo(allBut(10, 30));
    await().until(() -> heard.size() == 2);
    assertThat(heard.get(1)).isEqualTo("3 b00000003.cq4.zst 20 10");
    assertThat(drain(past(reopen(OnDamage.SALVAGE), "fourth"))).isEqualTo(allBut(10, 30));
    assertThat(Files.readAllLines(record())).hasSize(2);
  }

  @Test
  void shouldStopAtABackupWithoutASeal() throws IOException {
    archived(OnDamage.STOP);
    close();
    flip(seal(2), 100);
    Subscriber<String> audit = past(open(OnDamage.STOP), "audit");
    for (long sequence = 0; sequence < 10; sequence++) {
      audit.next().ack();
    }
    assertThatThrownBy(audit::next)
        .isInstanceOf(DamagedMessageException.class)
        .hasMessageContaining(backup(2) + ", block 2, sequence 10, byte 0: damaged:");
  }

  @Test
  void shouldFinishWhatABackupHasLostBeforeItsNextDelivery() throws IOException {
    MessageQueue<String> orders = archived(OnDamage.SALVAGE);
    Subscriber<String> audit = past(orders, "audit");
    for (int i = 0; i < 25; i++) {
      audit.next();
    }
    flip(backup(2), 1);
    time.advance(Duration.ofSeconds(31));
    assertThat(drain(audit)).containsExactlyInAnyOrderElementsOf(allBut(10, 20));
    assertThat(audit.stats().ackFloor()).isEqualTo(END);
  }

  /** As it is for want of descriptors: there is a seal, and it cannot be read. */
  @Test
  void shouldNotCallABackupDamagedThatCannotBeReadNow() throws IOException {
    archived(OnDamage.SALVAGE);
    close();
    Path aside = directory.resolve("aside");
    Files.move(seal(2), aside);
    Files.createSymbolicLink(seal(2), seal(2)); // is there, and cannot be opened
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    Subscriber<String> audit = past(orders, "audit");
    for (long sequence = 0; sequence < 10; sequence++) {
      audit.next().ack();
    }
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(audit::next)
          .isInstanceOf(RiverException.class)
          .isNotInstanceOf(DamagedMessageException.class)
          .hasMessageContaining(backup(2).toString())
          .hasMessageContaining("cannot be read now");
    }
    MessageQueue<String> again = reopen(OnDamage.SALVAGE); // it keeps its place
    assertThatThrownBy(() -> again.sequenceAt(Instant.EPOCH)).isInstanceOf(RiverException.class);
    Files.move(aside, seal(2), StandardCopyOption.ATOMIC_MOVE);
    assertThat(drain(again.subscriber("audit")))
        .isEqualTo(LongStream.range(10, END).boxed().toList());
    assertThat(again.stats().backups()).isEqualTo(BLOCKS);
    assertThat(record()).doesNotExist();
  }

  /** The system gives EIO for a file that is mapped memory where nothing is mapped. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldWaitBeforeABadSectorOfABackupAndSayItOnceAMinute() throws IOException {
    MessageQueue<String> orders = archived(OnDamage.SALVAGE);
    Subscriber<String> audit = past(orders, "audit");
    for (long sequence = 0; sequence < 10; sequence++) {
      audit.next().ack();
    }
    Path aside = Files.copy(backup(2), directory.resolve("aside"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("/proc/self/mem"));
    try (CapturedLog captured = new CapturedLog("com.wookler.river.core.backup")) {
      Files.move(link, backup(2), StandardCopyOption.ATOMIC_MOVE); // housekeeping may look at it
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(audit::next)
            .isInstanceOf(RiverException.class)
            .isNotInstanceOf(DamagedMessageException.class)
            .hasMessageContaining(backup(2) + " cannot be read now")
            .hasMessageContaining("sequence 10, the frame at byte 0: Input/output error");
      }
      assertThat(captured.warnings()).singleElement().asString().contains("orders", backup(2) + "");
      time.advance(Duration.ofMinutes(1));
      assertThatThrownBy(audit::next).isInstanceOf(RiverException.class);
      assertThat(captured.warnings()).hasSize(2);
    }
    Files.move(aside, backup(2), StandardCopyOption.ATOMIC_MOVE);
    assertThat(drain(audit)).isEqualTo(LongStream.range(10, END).boxed().toList());
    assertThat(record()).doesNotExist();
    assertThat(orders.stats().lost()).isZero();
  }
}
