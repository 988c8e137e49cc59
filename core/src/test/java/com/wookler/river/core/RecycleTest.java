package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.log.BlockInfo;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a block ends: by messages, bytes, time, a user's strategy, and the cap. */
@Timeout(120)
class RecycleTest {
  /** What a block's file holds beside its messages: it does not count. */
  private static final long INDEX_BYTES = 65_860;

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<byte[]> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<byte[]> builder() {
    return MessageQueue.builder("orders", MessageConverter.bytes())
        .directory(directory)
        .maxMessageBytes(64 << 10)
        .blockBytes(1 << 20)
        .timeSource(time);
  }

  private void open(RecycleStrategy strategy) {
    queue = builder().recycle(strategy).open();
  }

  private void publish(int messages, int bytes) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish(new byte[bytes]);
    }
  }

  private void publishBatch(int messages) {
    queue.publisher().publishAll(Collections.nCopies(messages, new byte[10]));
  }

  /** The closed blocks as their seals say; those are written by the force. */
  private List<Seal> seals() {
    queue.force();
    try (Stream<Path> files = Files.list(directory.resolve("orders/log"))) {
      List<Seal> seals = new ArrayList<>();
      for (Path file : files.filter(f -> f.toString().endsWith(".seal")).sorted().toList()) {
        seals.add(Seal.read(file));
      }
      return seals;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<Long> sizes() {
    return seals().stream().map(Seal::messages).toList();
  }

  private void shouldReadAll(int messages) {
    Subscriber<byte[]> audit = queue.subscriber("audit");
    for (int i = 0; i < messages; i++) {
      assertThat(audit.next().sequence()).isEqualTo(i);
    }
    assertThat(audit.next()).isNull();
  }

  @Test
  void shouldCloseABlockAtExactlyItsNumberOfMessages() {
    open(SizeBasedRecycle.ofMessages(7));
    publish(7 * 5 + 3, 10);
    assertThat(sizes()).containsExactly(7L, 7L, 7L, 7L, 7L);
    assertThat(seals()).extracting(Seal::block).containsExactly(1, 2, 3, 4, 5);
    assertThat(seals()).extracting(Seal::firstSequence).containsExactly(0L, 7L, 14L, 21L, 28L);
    assertThat(queue.stats().blocks()).isEqualTo(6);
    shouldReadAll(38);
  }

  @Test
  void shouldGiveEachMessageItsOwnBlockIfAskedTo() {
    open(SizeBasedRecycle.ofMessages(1));
    publish(20, 10);
    assertThat(sizes()).hasSize(20).containsOnly(1L);
    shouldReadAll(20);
  }

  @Test
  void shouldNeverSplitABatch() {
    open(SizeBasedRecycle.ofMessages(10));
    publish(8, 10);
    publishBatch(5);
    publishBatch(25);
    publish(9, 10);
    publishBatch(1);
    assertThat(sizes()).containsExactly(13L, 25L, 10L);
    shouldReadAll(48);
  }

  @Test
  void shouldCloseABlockOnceItHasItsBytes() {
    open(SizeBasedRecycle.ofBytes(100_000));
    publish(1_000, 1_000);
    List<Seal> seals = seals();
    assertThat(seals).isNotEmpty();
    for (Seal seal : seals) {
      assertThat(seal.bytes() - INDEX_BYTES).isBetween(100_000L, 104_000L);
    }
    shouldReadAll(1_000);
  }

  @Test
  void shouldCapEveryStrategyByTheBytesOfABlock() {
    open(block -> false);
    publish(250, 10_000);
    List<Seal> seals = seals();
    assertThat(seals).hasSize(2);
    for (Seal seal : seals) {
      assertThat(seal.bytes()).isBetween(1L << 20, (1L << 20) + 11_000);
    }
    shouldReadAll(250);
  }

  @Test
  void shouldRefuseABatchThatCouldNotBeMapped() {
    open(SizeBasedRecycle.ofMessages(10));
    publish(3, 10);
    List<byte[]> batch = Collections.nCopies(80, new byte[64 << 10]);
    assertThatThrownBy(() -> queue.publisher().publishAll(batch))
        .isInstanceOf(MessageTooLargeException.class)
        .hasMessageContaining("orders");
    assertThat(queue.stats().nextSequence()).isEqualTo(3);
    publishBatch(2);
    shouldReadAll(5);
  }

  @Test
  void shouldRecycleAnIdleQueueByTimeWithoutAPublish() {
    open(TimeBasedRecycle.every(Duration.ofMinutes(10)));
    publish(3, 10);
    time.advance(Duration.ofMinutes(10).minusMillis(1));
    publish(1, 10);
    assertThat(queue.stats().blocks()).isEqualTo(1);
    time.advance(Duration.ofMillis(1));
    await().until(() -> queue.stats().blocks() == 2);
    await().untilAsserted(() -> assertThat(sizes()).containsExactly(4L));
    publish(2, 10);
    shouldReadAll(6);
  }

  @Test
  void shouldCountTheAgeFromTheFirstMessage() {
    open(TimeBasedRecycle.every(Duration.ofMinutes(10)));
    time.advance(Duration.ofHours(1));
    publish(1, 10);
    publish(1, 10);
    assertThat(sizes()).isEmpty();
    time.advance(Duration.ofMinutes(10));
    publish(1, 10);
    publish(1, 10);
    await().untilAsserted(() -> assertThat(sizes().get(0)).isBetween(2L, 3L));
    shouldReadAll(4);
  }

  @Test
  void shouldSealWhatWasRecycledAfterAllOfItWasForced() {
    open(TimeBasedRecycle.every(Duration.ofMinutes(10)));
    publish(3, 10);
    queue.force();
    time.advance(Duration.ofMinutes(10));
    await().until(() -> queue.stats().blocks() == 2);
    await().until(() -> Files.exists(directory.resolve("orders/log/b00000001.seal")));
  }

  @Test
  void shouldNeverMakeAnEmptyBlock() {
    AtomicInteger asked = new AtomicInteger();
    open(
        block -> {
          asked.incrementAndGet();
          return true;
        });
    for (int hour = 0; hour < 5; hour++) {
      time.advance(Duration.ofHours(1));
      queue.force(); // lets housekeeping's pace pass without sleeping
    }
    assertThat(asked).hasValue(0);
    publish(3, 10);
    assertThat(sizes()).containsExactly(1L, 1L, 1L);
    queue.close();
    open(block -> true);
    queue.close();
    open(block -> true);
    assertThat(queue.stats().blocks()).isEqualTo(4);
    assertThat(sizes()).containsExactly(1L, 1L, 1L);
    publish(1, 10);
    assertThat(sizes()).containsExactly(1L, 1L, 1L, 1L);
    shouldReadAll(4);
  }

  @Test
  void shouldShowAStrategyWhatTheBlockHolds() {
    List<String> seen = new ArrayList<>();
    open(
        block -> {
          seen.add(block.number() + ":" + block.firstSequence() + ":" + block.messages());
          assertThat(block.bytes()).isPositive();
          return block.messages() >= 2;
        });
    publish(3, 10);
    publishBatch(4);
    assertThat(seen).startsWith("1:0:1", "1:0:2", "2:2:1", "2:2:5");
  }

  @Test
  void shouldGoOnWhenAStrategyThrows() {
    AtomicInteger calls = new AtomicInteger();
    open(
        block -> {
          if (calls.incrementAndGet() <= 5) {
            throw new IllegalStateException("thrown by the test's strategy");
          }
          return block.messages() >= 4;
        });
    publish(40, 10);
    assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    assertThat(seals()).isNotEmpty();
    shouldReadAll(40);
  }

  @Test
  void shouldKeepExactSizesAcrossAReopening() {
    open(SizeBasedRecycle.ofMessages(10));
    publish(4, 10);
    queue.close();
    open(SizeBasedRecycle.ofMessages(10));
    publish(5, 10);
    queue.close();
    open(SizeBasedRecycle.ofMessages(10));
    publish(13, 10);
    assertThat(sizes()).containsExactly(10L, 10L);
    shouldReadAll(22);
  }

  /** What a user may write. */
  public static final class EveryNth implements RecycleStrategy, Configurable {
    private long nth;

    @Override
    public void configure(ConfigNode node) {
      node.allowParams(List.of("every"));
      nth = node.number("every", 3);
    }

    @Override
    public boolean isDue(BlockInfo block) {
      return block.messages() >= nth;
    }
  }

  private MessageQueue<byte[]> fromXml(String recycle) throws IOException {
    Path file = directory.resolve("queue.xml");
    Files.writeString(
        file,
        """
        <river>
          <queue name="orders">
            <params>
              <param name="queue.message.converter" value="%s"/>
              <param name="queue.directory" value="%s"/>
            </params>
            %s
          </queue>
        </river>
        """
            .formatted(BytesConverter.class.getName(), directory, recycle));
    MessageQueue<byte[]> made = new MessageQueue<>();
    made.configure(ConfigParser.parse(file).at("queue"));
    made.start();
    return made;
  }

  /** Bytes as they are. */
  public static final class BytesConverter implements MessageConverter<byte[]> {
    @Override
    public byte[] toBytes(byte[] data) {
      return data;
    }

    @Override
    public byte[] fromBytes(byte[] bytes) {
      return bytes;
    }
  }

  private static String recycle(Class<?> type, String params) {
    return "<recycle class=\"" + type.getName() + "\"><params>" + params + "</params></recycle>";
  }

  private static String param(String name, String value) {
    return "<param name=\"" + name + "\" value=\"" + value + "\"/>";
  }

  @Test
  void shouldTakeAUsersStrategyFromXml() throws IOException {
    queue = fromXml(recycle(EveryNth.class, param("every", "4")));
    publish(10, 10);
    assertThat(sizes()).containsExactly(4L, 4L);
  }

  @Test
  void shouldTakeTheBuiltInStrategiesFromXml() throws IOException {
    queue = fromXml(recycle(SizeBasedRecycle.class, param("recycle.size", "5")));
    publish(12, 10);
    assertThat(sizes()).containsExactly(5L, 5L);
    queue.close();
    queue = fromXml(recycle(SizeBasedRecycle.class, param("recycle.bytes", "256 KB")));
    publish(100, 10_000);
    assertThat(seals().get(2).bytes() - INDEX_BYTES).isBetween(256L << 10, (256L << 10) + 11_000);
    queue.close();
    queue =
        fromXml(
            recycle(
                SizeBasedRecycle.class,
                param("recycle.size", "20") + param("recycle.bytes", "100KB")));
    int before = seals().size();
    publish(21, 10);
    assertThat(seals().size()).isGreaterThan(before);
    queue.close();
    queue = fromXml(recycle(TimeBasedRecycle.class, param("recycle.time", "300ms")));
    publish(1, 10);
    int blocks = queue.stats().blocks();
    await().until(() -> queue.stats().blocks() > blocks);
  }

  @Test
  void shouldCloseABlockByWhicheverOfTwoStrategiesIsDueFirst() {
    open(SizeBasedRecycle.ofMessages(5).or(TimeBasedRecycle.every(Duration.ofMinutes(1))));

    publish(7, 10);
    time.advance(Duration.ofMinutes(1));
    await().until(() -> queue.stats().blocks() == 3);

    assertThat(sizes()).containsExactly(5L, 2L);
  }

  @Test
  void shouldTakeBothBuiltInStrategiesFromOneElement() throws IOException {
    String both = param("recycle.size", "5") + param("recycle.time", "300ms");
    for (Class<?> type : List.of(SizeBasedRecycle.class, TimeBasedRecycle.class)) {
      queue = fromXml(recycle(type, both));
      int blocks = queue.stats().blocks();
      publish(6, 10); // five by their number, then one by its age
      await().until(() -> queue.stats().blocks() >= blocks + 2);
      queue.close();
    }
    shouldRefuseInARunningDirectory(
        recycle(SizeBasedRecycle.class, param("recycle.size", "5") + param("recycle.time", "0")));
  }

  private void shouldRefuseInARunningDirectory(String recycle) {
    assertThatThrownBy(() -> fromXml(recycle))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.xml:")
        .hasMessageContaining("recycle.time");
  }

  @Test
  void shouldNameWhatIsWrongWithAStrategy() {
    shouldRefuse(recycle(SizeBasedRecycle.class, ""), "recycle.size");
    shouldRefuse(recycle(SizeBasedRecycle.class, param("recycle.size", "0")), "recycle.size");
    shouldRefuse(recycle(SizeBasedRecycle.class, param("recycle.size", "many")), "many");
    shouldRefuse(recycle(SizeBasedRecycle.class, param("recycle.bytes", "-1")), "recycle.bytes");
    shouldRefuse(recycle(SizeBasedRecycle.class, param("recycle.sizes", "1")), "recycle.size");
    shouldRefuse(recycle(TimeBasedRecycle.class, ""), "recycle.time");
    shouldRefuse(recycle(TimeBasedRecycle.class, param("recycle.time", "0ss")), "recycle.time");
    shouldRefuse(recycle(TimeBasedRecycle.class, param("recycle.time", "soon")), "soon");
    shouldRefuse(recycle(String.class, ""), "java.lang.String");
    shouldRefuse("<recycle class=\"no.such.Strategy\"/>", "no.such.Strategy");
    shouldRefuse("<recycle/>", "class");
    assertThatThrownBy(() -> SizeBasedRecycle.ofMessages(0))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> SizeBasedRecycle.ofBytes(0))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> TimeBasedRecycle.every(Duration.ZERO))
        .isInstanceOf(ConfigurationException.class);
  }

  private void shouldRefuse(String recycle, String naming) {
    assertThatThrownBy(() -> fromXml(recycle))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.xml:")
        .hasMessageContaining(naming);
    assertThat(directory.resolve("orders")).doesNotExist();
  }

  @Test
  void shouldDeliverBatchesInOrderAcrossBlocks() throws InterruptedException {
    open(SizeBasedRecycle.ofMessages(6));
    for (int batch = 1; batch <= 12; batch++) {
      publishBatch(batch);
    }
    Subscriber<byte[]> audit = queue.subscriber("audit");
    List<Delivery<byte[]>> all = audit.batch(1_000, Duration.ZERO);
    assertThat(all.stream().map(Delivery::sequence).toList())
        .isEqualTo(IntStream.range(0, 78).mapToObj(i -> (long) i).toList());
  }
}
