package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.BackupRewriter;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code River.openReadOnly}: what a view shows of a queue that is in use. */
@Timeout(120)
class QueueViewTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory;

  private MessageQueue<String> queue;
  private QueueView view;

  @AfterEach
  void close() {
    if (view != null) {
      view.close();
    }
    if (queue != null) {
      queue.close();
    }
  }

  private void open(boolean backup) {
    MessageQueue.Builder<String> builder =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory.resolve("data"))
            .recycle(SizeBasedRecycle.ofMessages(10))
            .syncInterval(Duration.ofMillis(5))
            .maxMessageBytes(16 << 10)
            .blockBytes(256 << 10);
    queue =
        backup
            ? builder.backup(directory.resolve("backup"), Duration.ofDays(1)).open()
            : builder.open();
  }

  private Path own() {
    return directory.resolve("data/orders");
  }

  private Path backup() {
    return directory.resolve("backup/orders");
  }

  private void publish(int count) {
    for (int i = 0; i < count; i++) {
      long next = queue.stats().nextSequence();
      assertThat(queue.publisher().publish("m" + next)).isEqualTo(next);
    }
  }

  /** Reads all that there is now, with what it should be. */
  private List<Long> read() {
    List<Long> sequences = new ArrayList<>();
    for (List<StoredMessage> found = view.poll(7); !found.isEmpty(); found = view.poll(7)) {
      assertThat(found).hasSizeLessThanOrEqualTo(7);
      for (StoredMessage message : found) {
        assertThat(new String(message.data(), StandardCharsets.UTF_8))
            .isEqualTo("m" + message.sequence());
        sequences.add(message.sequence());
      }
    }
    return sequences;
  }

  private static List<Long> range(long from, long end) {
    return LongStream.range(from, end).boxed().toList();
  }

  private void finishAndWait(Subscriber<String> subscriber, long first) {
    while (subscriber.next() != null) {
      // acknowledged by that
    }
    await()
        .until(
            () -> {
              queue.force();
              return queue.stats().firstSequence() == first;
            });
  }

  @Test
  void shouldFollowAQueueThatIsOpenWithoutALock() throws Exception {
    open(false);
    view = River.openReadOnly(own());
    assertThat(view.poll(10)).isEmpty();
    assertThat(view.poll(10, Duration.ofMillis(30))).isEmpty();
    publish(25);
    assertThat(read()).isEqualTo(range(0, 25));
    assertThat(read()).isEmpty();
    assertThat(view.position()).isEqualTo(25);
    List<Message<String>> batch = new ArrayList<>();
    for (int i = 25; i < 40; i++) {
      batch.add(Message.of("m" + i));
    }
    queue.publisher().putAll(batch, Durability.DISK);
    assertThat(view.poll(4)).extracting(StoredMessage::sequence).isEqualTo(range(25, 29));
    assertThat(view.position()).isEqualTo(29);
    assertThat(read()).isEqualTo(range(29, 40));
    queue.close();
    assertThat(read()).isEmpty();
    open(false);
    publish(3);
    assertThat(view.poll(9, SOON)).extracting(StoredMessage::sequence).isEqualTo(range(40, 43));
    view.moveTo(8);
    assertThat(read()).isEqualTo(range(8, 43));
    view.moveTo(50);
    publish(9);
    assertThat(read()).isEqualTo(range(50, 52));
    assertThat(view.missed()).isZero();
    view.close();
    assertThat(view.position()).isEqualTo(52);
    publish(1);
    assertThat(read()).containsExactly(52L);
  }

  @Test
  void shouldReadWhatLeftTheLogFromTheBackup() {
    open(true);
    Subscriber<String> subscriber = queue.subscriber("a");
    publish(35);
    finishAndWait(subscriber, 30);
    view = River.openReadOnly(own(), backup());
    assertThat(view.poll(12)).extracting(StoredMessage::sequence).isEqualTo(range(0, 12));
    assertThat(read()).isEqualTo(range(12, 35));
    publish(30);
    finishAndWait(subscriber, 60); // while the view is in a block that leaves
    assertThat(read()).isEqualTo(range(35, 65));
    view.moveTo(17);
    assertThat(read()).isEqualTo(range(17, 65));
    assertThat(view.missed()).isZero();
  }

  /** The states between a backup and the one that replaces it, and after that. */
  enum Replaced {
    BOTH,
    OLD_SEAL_ALONE,
    NEW,
    TWICE
  }

  private static StoredBlock replace(StoredBlock stored, Replaced to) throws IOException {
    StoredBlock made = BackupRewriter.write(stored, (block, seal) -> seal);
    if (to == Replaced.OLD_SEAL_ALONE) {
      Files.delete(stored.file());
    } else if (to != Replaced.BOTH) {
      BackupRewriter.delete(stored);
    }
    return made;
  }

  @ParameterizedTest
  @EnumSource
  void shouldLeaveNothingOutWhileBackupsAreReplaced(Replaced to) throws IOException {
    open(true);
    Subscriber<String> subscriber = queue.subscriber("a");
    publish(65);
    finishAndWait(subscriber, 60);
    view = River.openReadOnly(own(), backup());
    assertThat(view.poll(3)).hasSize(3); // and it knows all backups
    for (StoredBlock stored : BackupFiles.scan(backup()).blocks()) {
      StoredBlock made = replace(stored, to);
      if (to == Replaced.TWICE) {
        assertThat(replace(made, to).file()).isEqualTo(stored.file());
      }
    }
    assertThat(read()).isEqualTo(range(3, 65));
    view.moveTo(0);
    assertThat(read()).isEqualTo(range(0, 65));
    assertThat(view.missed()).isZero();
  }

  @Test
  void shouldContinueAfterBackupsThatWereRemovedAndCountThem() throws IOException {
    open(true);
    Subscriber<String> subscriber = queue.subscriber("a");
    publish(65);
    finishAndWait(subscriber, 60);
    view = River.openReadOnly(own(), backup());
    assertThat(view.poll(3)).hasSize(3);
    for (StoredBlock stored : BackupFiles.scan(backup()).blocks()) {
      if (stored.holds(12) || stored.holds(55)) {
        BackupRewriter.delete(stored);
      }
    }
    List<Long> left =
        range(3, 65).stream()
            .filter(each -> each < 10 || (each >= 20 && each < 50) || each >= 60)
            .toList();
    assertThat(read()).isEqualTo(left);
    assertThat(view.missed()).isEqualTo(20);
  }

  @Test
  void shouldContinueAfterBlocksThatWereRemovedAndCountThem() {
    open(false);
    Subscriber<String> subscriber = queue.subscriber("a");
    publish(35);
    view = River.openReadOnly(own());
    assertThat(view.poll(3)).hasSize(3); // the block is open, and deleted then
    finishAndWait(subscriber, 30);
    publish(10);
    assertThat(read())
        .isEqualTo(Stream.concat(range(3, 10).stream(), range(30, 45).stream()).toList());
    assertThat(view.missed()).isEqualTo(20);
    try (QueueView late = River.openReadOnly(own())) {
      assertThat(late.poll(1)).extracting(StoredMessage::sequence).containsExactly(30L);
      assertThat(late.missed()).isZero();
      late.moveTo(28);
      assertThat(late.poll(1)).extracting(StoredMessage::sequence).containsExactly(30L);
      assertThat(late.missed()).isEqualTo(2);
    }
  }

  @Test
  void shouldLeaveOutWhatWasCancelledOrDeleted() {
    open(false);
    queue.subscriber("a");
    publish(20);
    view = River.openReadOnly(own());
    queue.tryCancel(3);
    queue.delete(5, 15);
    assertThat(read()).containsExactly(0L, 1L, 2L, 4L, 15L, 16L, 17L, 18L, 19L);
    assertThat(view.missed()).isZero();
  }

  @Test
  void shouldLeaveOutADamagedMessageAndCountIt() throws IOException {
    open(false);
    publish(4);
    queue.publisher().publish(Message.of("m4").withKey("the key of the message"));
    publish(10);
    queue.close();
    Path block;
    try (Stream<Path> files = Files.list(own().resolve("log"))) {
      block = files.filter(file -> file.toString().endsWith(".cq4")).sorted().findFirst().get();
    }
    String text = new String(Files.readAllBytes(block), StandardCharsets.ISO_8859_1);
    try (RandomAccessFile file = new RandomAccessFile(block.toFile(), "rw")) {
      file.seek(text.indexOf("the key of"));
      file.write('x');
    }
    view = River.openReadOnly(own());
    List<Long> all = range(0, 15);
    assertThat(read()).isEqualTo(all.stream().filter(sequence -> sequence != 4).toList());
    assertThat(view.missed()).isEqualTo(1);
  }

  @Test
  void shouldRefuseToReadLessThanOneMessage() {
    open(true);
    view = River.openReadOnly(own());
    assertThatThrownBy(() -> view.poll(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("max");
  }

  @Test
  void shouldWriteNothingAndRefuseWhatIsNoQueue() throws IOException {
    open(true);
    Subscriber<String> subscriber = queue.subscriber("a");
    publish(25);
    finishAndWait(subscriber, 20);
    queue.close();
    Map<Path, Long> before = content(directory);
    view = River.openReadOnly(own(), backup());
    assertThat(read()).isEqualTo(range(0, 25));
    assertThat(content(directory)).isEqualTo(before);
    assertThatThrownBy(() -> River.openReadOnly(directory))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("not the directory of a queue");
    assertThatThrownBy(() -> River.openReadOnly(directory.resolve("none")))
        .isInstanceOf(ConfigurationException.class);
  }

  @Test
  void shouldRefuseADirectoryThatIsNoBackupOfTheQueue() throws IOException {
    open(true);
    Subscriber<String> subscriber = queue.subscriber("a");
    publish(25);
    finishAndWait(subscriber, 20);
    Path mine = directory.resolve("mine");
    Files.move(backup(), Files.createDirectories(mine).resolve("orders"));
    for (Path wrong : List.of(own(), mine, directory)) {
      assertThatThrownBy(() -> River.openReadOnly(own(), wrong))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(wrong + " has no backup of the queue in " + own())
          .hasMessageContaining("<backup.directory>/orders is meant");
    }
    MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("others"))
        .open()
        .close();
    Path other = directory.resolve("others/orders");
    assertThatThrownBy(() -> River.openReadOnly(other, mine.resolve("orders")))
        .isInstanceOf(ConfigurationException.class);
    River.openReadOnly(own(), directory.resolve("not made yet")).close();
    River.openReadOnly(own(), Files.createDirectories(directory.resolve("empty"))).close();
    view = River.openReadOnly(own(), mine.resolve("orders"));
    assertThat(read()).isEqualTo(range(0, 25));
  }

  private static Map<Path, Long> content(Path root) throws IOException {
    Map<Path, Long> content = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.toList()) {
        content.put(file, Files.getLastModifiedTime(file).toMillis());
      }
    }
    return content;
  }

  @Test
  void shouldReadByTheNameOfTheQueueBesideItsOwner() {
    open(false);
    publish(25);
    MessageQueue<String> other =
        MessageQueue.openReadOnly("orders", directory.resolve("data"), MessageConverter.utf8());
    try (other) {
      assertThat(other.name()).isEqualTo("orders");
      assertThat(other.state()).isEqualTo(QueueState.RUNNING);
      assertThat(other.converter()).isSameAs(MessageConverter.utf8());
      assertThat(other.read(0, 100)).extracting(Delivery::data).hasSize(25).contains("m24");
      publish(1);
      assertThat(other.read(25, 100)).extracting(Delivery::data).containsExactly("m25");
      assertThat(other.read(3)).get().extracting(Delivery::data).isEqualTo("m3");
      assertThat(other.read(26)).isEmpty();
      assertThatThrownBy(other::publisher)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("queue orders is open to read only");
    }
    assertThat(other.state()).isEqualTo(QueueState.STOPPED);
    assertThatThrownBy(() -> other.read(0, 1)).isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(() -> MessageQueue.openReadOnly("none", directory, MessageConverter.utf8()))
        .isInstanceOf(ConfigurationException.class);
  }
}
