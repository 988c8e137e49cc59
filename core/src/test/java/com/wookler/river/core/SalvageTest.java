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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What subscribers and users see of damage in blocks: what is lost, exactly, once, and no more. */
@Timeout(120)
class SalvageTest {
  private static final int ENTRY = 9; // header of an entry
  private static final int HEADERS = 4 + 32 + ENTRY; // Chronicle's, the document's, the entry's

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

  private MessageQueue<String> reopen(OnDamage action) {
    close();
    return open(action);
  }

  private Path home() {
    return directory.resolve("orders");
  }

  private Path block(int number) {
    return home().resolve("log/b0000000" + number + ".cq4");
  }

  private static String data(long sequence) {
    return String.format("message%4d", sequence);
  }

  private static void publish(MessageQueue<String> to, int messages) {
    for (int i = 0; i < messages; i++) {
      to.publisher().publish(data(to.stats().nextSequence()));
    }
  }

  /** Where the data of a message stands in its block. */
  private long offset(int block, long sequence) throws IOException {
    String content = Files.readString(block(block), StandardCharsets.ISO_8859_1);
    long at = content.indexOf(data(sequence));
    assertThat(at).isPositive();
    return at;
  }

  private void write(int block, long offset, byte... bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(block(block), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), offset);
    }
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

  private static List<Long> allBut(long end, Long... lost) {
    return LongStream.range(0, end).boxed().filter(s -> !List.of(lost).contains(s)).toList();
  }

  private static SubscriberConfig acks(String name) {
    return SubscriberConfig.builder(name).ack(true).ackTimeout(Duration.ofSeconds(30)).build();
  }

  private List<String> record() throws IOException {
    return Files.readAllLines(home().resolve("damage.log"));
  }

  @Test
  void shouldGoOnBehindDamageAndReportItOnce() throws IOException {
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    Subscriber<String> keeper = orders.subscriber("c");
    List<Subscriber<String>> all = List.of(orders.subscriber("a"), orders.subscriber(acks("b")));
    publish(orders, 25);
    long at = offset(2, 13);
    write(2, at, (byte) 'M');
    write(2, offset(2, 14), (byte) 'M');
    write(3, offset(3, 22) + 3, (byte) 0);
    for (Subscriber<String> each : all) {
      assertThat(drain(each)).isEqualTo(allBut(25, 13L, 14L, 22L));
      assertThat(each.stats().lag()).isZero();
      assertThat(each.stats().ackFloor()).isEqualTo(25);
    }
    assertThat(orders.stats().lost()).isEqualTo(3);
    await().until(() -> heard.size() == 2);
    assertThat(heard).containsExactly("2 b00000002.cq4 13 2", "3 b00000003.cq4 22 1");
    assertThat(record()).hasSize(2);
    assertThat(record().get(0))
        .contains("\"queue\":\"orders\"", "\"block\":2,", "\"first\":13,\"last\":14,")
        .contains("\"offset\":" + (at - 9) + ",", "\"messages\":2,");
    Path kept = home().resolve("damaged/b00000002.cq4-" + (at - 9));
    assertThat(Files.readString(kept, StandardCharsets.ISO_8859_1)).contains("Message  13");
    assertThat(keeper.stats().lag()).isEqualTo(25);
    orders.subscriber("keeper");
    assertThat(drain(keeper)).isEqualTo(allBut(25, 13L, 14L, 22L));
    MessageQueue<String> again = reopen(OnDamage.SALVAGE);
    assertThat(again.stats().lost()).isEqualTo(3);
    again.subscriber("c").seek(Position.sequence(14));
    assertThat(drain(again.subscriber("c"))).hasSize(9);
    publish(again, 5);
    assertThat(drain(again.subscriber("c"))).hasSize(5);
    assertThat(record()).as("nothing is told twice").hasSize(2);
    assertThat(heard).hasSize(2);
  }

  @Test
  void shouldFindATimeByWhatCanBeRead() throws IOException {
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    orders.subscriber("keeper");
    Instant start = time.wallTime();
    for (int i = 0; i < 35; i++) {
      publish(orders, 1);
      time.advance(Duration.ofSeconds(1));
    }
    for (long sequence = 12; sequence < 20; sequence++) {
      write(2, offset(2, sequence) - HEADERS, new byte[HEADERS + 1]);
    }
    MessageQueue<String> again = reopen(OnDamage.SALVAGE);
    assertThat(again.sequenceAt(start.plusSeconds(11))).hasValue(11);
    assertThat(again.sequenceAt(start.plusSeconds(13))).hasValue(20);
    assertThat(again.sequenceAt(start.plusSeconds(22))).hasValue(22);
    Subscriber<String> audit = again.subscriber("audit");
    audit.seek(Position.time(start.plusSeconds(15)));
    assertThat(drain(audit)).isEqualTo(LongStream.range(20, 35).boxed().toList());
  }

  @Test
  void shouldStopAtDamageUntilItIsMoved() throws IOException {
    MessageQueue<String> orders = open(OnDamage.STOP);
    Subscriber<String> audit = orders.subscriber(acks("audit"));
    publish(orders, 25);
    write(2, offset(2, 13), (byte) 'M');
    List<Long> taken = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                taken.add(audit.next().sequence());
              }
            })
        .isInstanceOf(DamagedMessageException.class);
    assertThat(taken).isEqualTo(allBut(13));
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(audit::next)
          .isInstanceOf(DamagedMessageException.class)
          .hasMessageContaining("block 2 ")
          .hasMessageContaining("sequence 13:");
    }
    assertThat(home().resolve("damage.log")).doesNotExist();
    audit.seek(Position.sequence(14));
    assertThat(drain(audit)).hasSize(11);
  }

  /** Chronicle's headers and index lead to the messages; they are not what proves them. */
  @Test
  void shouldLoseNothingWithWhatLeadsToTheMessages() throws IOException {
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    orders.subscriber("keeper");
    publish(orders, 35);
    write(1, offset(1, 4) - HEADERS, (byte) 0, (byte) 0, (byte) 0, (byte) 0);
    write(2, offset(2, 14) - HEADERS, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0x3F);
    write(3, offset(3, 20) - HEADERS - 4_000, new byte[3_000]); // index
    assertThat(drain(orders.subscriber("audit"))).isEqualTo(allBut(35));
    assertThat(drain(reopen(OnDamage.SALVAGE).subscriber("second"))).isEqualTo(allBut(35));
    assertThat(home().resolve("damage.log")).doesNotExist();
  }

  @Test
  void shouldReadTheRestOfABatch() throws IOException {
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    orders.subscriber("keeper");
    publish(orders, 2);
    orders.publisher().publishAll(LongStream.range(2, 8).mapToObj(SalvageTest::data).toList());
    publish(orders, 8);
    write(1, offset(1, 4), (byte) 'M');
    assertThat(drain(orders.subscriber("a"))).isEqualTo(allBut(16, 4L));
    write(1, offset(1, 6) - 5, (byte) 0x7F); // its length: what follows it cannot be found
    assertThat(drain(orders.subscriber("b"))).isEqualTo(allBut(16, 4L, 6L, 7L));
    write(1, offset(1, 2) - 20, (byte) 0x7F); // the header
    assertThat(drain(orders.subscriber("c"))).isEqualTo(allBut(16, 2L, 3L, 4L, 5L, 6L, 7L));
    assertThat(orders.stats().lost()).isEqualTo(6);
    assertThat(record()).hasSize(4); // 4; 6 and 7; 2 and 3; 5
  }

  @Test
  void shouldFinishWhatIsDamagedBeforeItsNextDelivery() throws IOException {
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    Subscriber<String> audit = orders.subscriber(acks("audit"));
    publish(orders, 25);
    for (int i = 0; i < 20; i++) {
      audit.next();
    }
    write(2, offset(2, 13), (byte) 'M');
    write(1, offset(1, 5) - HEADERS, (byte) 0, (byte) 0, (byte) 0, (byte) 0); // not lost
    time.advance(Duration.ofSeconds(31));
    assertThat(drain(audit)).isEqualTo(allBut(25, 13L));
    assertThat(audit.stats().ackFloor()).isEqualTo(25);
    assertThat(orders.stats().lost()).isEqualTo(1);
  }

  @Test
  void shouldKeepADamagedBlockOfWhichThereCanBeNoBackup() throws IOException {
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    Subscriber<String> audit = orders.subscriber(acks("audit"));
    publish(orders, 25);
    byte[] before = Files.readAllBytes(block(1));
    assertThat(before).isNotEmpty();
    List<Delivery<String>> held = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      held.add(audit.next());
    }
    write(1, offset(1, 5), (byte) 'M'); // after it was delivered: nobody meets it
    held.forEach(Delivery::ack);
    await().atMost(Duration.ofSeconds(60)).until(() -> orders.stats().blocks() == 1);
    await().until(() -> Files.exists(home().resolve("damaged/b00000001.cq4")));
    await().until(() -> heard.size() == 1);
    assertThat(heard).containsExactly("1 b00000001.cq4 5 1");
    assertThat(orders.stats().backups()).isEqualTo(1);
    assertThat(block(1)).doesNotExist();
    assertThat(orders.read(4)).isEmpty();
    assertThat(orders.read(14).orElseThrow().data()).isEqualTo(data(14));
  }

  /** The system gives EIO for a file that is mapped memory where nothing is mapped. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldWaitBeforeABlockThatCannotBeReadAndCallNothingDamaged() throws IOException {
    publish(open(OnDamage.SALVAGE), 25);
    MessageQueue<String> orders = reopen(OnDamage.SALVAGE);
    Path aside = Files.copy(block(2), directory.resolve("aside"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("/proc/self/mem"));
    Files.move(link, block(2), StandardCopyOption.ATOMIC_MOVE);
    Subscriber<String> audit = orders.subscriber(acks("audit"));
    for (long sequence = 0; sequence < 10; sequence++) {
      audit.next().ack();
    }
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(audit::next)
          .isInstanceOf(RiverException.class)
          .isNotInstanceOf(DamagedMessageException.class)
          .hasMessageContainingAll(
              "queue orders, block 2", "sequence 10: cannot be read now", "Input/output error");
    }
    Files.move(aside, block(2), StandardCopyOption.ATOMIC_MOVE);

    assertThat(drain(audit)).isEqualTo(LongStream.range(10, 25).boxed().toList());
    assertThat(heard).isEmpty();
    assertThat(home().resolve("damage.log")).doesNotExist();
    assertThat(orders.stats().lost()).isZero();
  }

  @Test
  void shouldTellWhoLooksUpWhatIsDamaged() throws IOException {
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    orders.subscriber("keeper");
    publish(orders, 25);
    long at = offset(2, 13) - ENTRY;
    write(2, offset(2, 13), (byte) 'M');
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> orders.read(13))
          .isInstanceOf(DamagedMessageException.class)
          .hasMessageStartingWith("queue orders, block 2 (" + block(2) + "), sequence 13: damaged:")
          .hasMessageEndingWith(", at byte " + at);
      assertThat(orders.read(12).orElseThrow().data()).isEqualTo(data(12));
      assertThat(orders.read(14).orElseThrow().data()).isEqualTo(data(14));
      assertThat(orders.read(10, 3)).hasSize(3);
      assertThat(drain(orders.subscriber("s" + i))).isEqualTo(allBut(25, 13L));
    }
  }

  @Test
  void shouldReportAgainWhatATornRecordDoesNotSay() throws IOException {
    MessageQueue<String> orders = open(OnDamage.SALVAGE);
    orders.subscriber("keeper");
    publish(orders, 25);
    write(2, offset(2, 13), (byte) 'M');
    drain(orders.subscriber("a"));
    close();
    Path file = home().resolve("damage.log");
    String line = Files.readString(file);
    Files.writeString(file, line.substring(0, line.length() / 2));
    MessageQueue<String> again = open(OnDamage.SALVAGE);
    assertThat(again.stats().lost()).isZero();
    assertThat(drain(again.subscriber("b"))).isEqualTo(allBut(25, 13L));
    assertThat(again.stats().lost()).isEqualTo(1);
    assertThat(record()).hasSize(2);
    assertThat(reopen(OnDamage.SALVAGE).stats().lost()).isEqualTo(1);
  }
}
