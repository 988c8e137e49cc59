package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Device;
import com.wookler.river.core.log.files.LogMarks;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The space of blocks, on a device whose space the test gives. */
@Timeout(120)
class SpaceTest {
  private static final long PLENTY = 1L << 30;
  private static final long FIRST = BlockSpace.FIRST_BYTES;

  @TempDir Path directory;

  private final TightDevice device = new TightDevice(PLENTY);
  private LogFixture log;
  private BlockLog opened;

  private void open(LogFixture fixture) {
    log = fixture.device(device);
    opened = log.open();
  }

  private void open() {
    open(new LogFixture(directory));
  }

  @AfterEach
  void close() {
    log.close();
    assertThat(device.hasWrittenOverSomething()).isFalse();
  }

  private long publishUntilFull() {
    for (int size = 64; size > 0; size /= 8) {
      try {
        while (true) {
          log.batch(size);
        }
      } catch (QueueFullException e) {
        shouldRefuse(size);
      }
    }
    return opened.nextSequence();
  }

  private void shouldRefuse() {
    shouldRefuse(1);
  }

  private void shouldRefuse(int messages) {
    long next = opened.nextSequence();
    assertThatThrownBy(() -> log.batch(messages)).isInstanceOf(QueueFullException.class);
    assertThat(opened.nextSequence()).isEqualTo(next);
    assertThat(opened.failure()).isEmpty();
  }

  private void shouldReadAll() {
    LogReader reader = log.reader();
    for (long sequence = 0; sequence < opened.nextSequence(); sequence++) {
      assertThat(LogFixture.text(reader.next())).isEqualTo("m" + sequence);
    }
    assertThat(reader.next()).isNull();
  }

  @Test
  void shouldRefuseWithoutSpaceAndGoOnWithIt() {
    open();
    device.space(0);
    long end = publishUntilFull();
    assertThat(end).isPositive();
    shouldRefuse();
    assertThat(opened.shortage().orElseThrow().number()).isEqualTo(1);
    device.space(PLENTY);
    log.batch(50);
    assertThat(opened.nextSequence()).isEqualTo(end + 50);
    log.time().advance(Duration.ofMinutes(1));
    device.space(0);
    publishUntilFull();
    assertThat(opened.shortage().orElseThrow().number()).isEqualTo(2);
    shouldReadAll();
    opened = log.reopen();
    shouldReadAll();
  }

  /** A large message that is refused again and again, while small ones go through. */
  @Test
  void shouldSayOnceAMinuteThatItIsFullNowAndThen() {
    open();
    try (CapturedLog captured = new CapturedLog(Volume.class)) {
      for (int second = 0; second < 119; second++) {
        device.space(0);
        publishUntilFull();
        device.space(PLENTY);
        log.batch(64);
        log.time().advance(Duration.ofSeconds(1));
      }
      device.space(0);
      publishUntilFull();
      List<String> warnings = captured.takeWarnings();
      assertThat(warnings).hasSize(2);
      assertThat(warnings.get(1)).contains("queue orders", "refused ");
    }
    assertThat(opened.shortage().orElseThrow().number()).isEqualTo(2);
    log.time().advance(Duration.ofMinutes(1));
    shouldRefuse();
    assertThat(opened.shortage().orElseThrow().number()).as("what lasts is told").isEqualTo(3);
  }

  @Test
  void shouldFailWhenItsMarksCannotBeForced() {
    AtomicBoolean broken = new AtomicBoolean();
    log =
        new LogFixture(directory)
            .device(
                new Device() {
                  @Override
                  public void forceMarks(MappedByteBuffer view, int from, int length)
                      throws IOException {
                    if (broken.get()) {
                      throw new IOException("the device is broken");
                    }
                  }
                });
    opened = log.open();
    log.publish(1);
    opened.force();
    broken.set(true);
    log.publish(1);
    opened.forceNow();
    assertThat(opened.failure()).isPresent();
    assertThatThrownBy(() -> log.publish(1))
        .isInstanceOf(QueueFailedException.class)
        .hasMessageContaining(LogMarks.NAME);
  }

  @Test
  void shouldLeaveTheReserve() {
    open(new LogFixture(directory).reserve(10 * FIRST));
    device.space(12 * FIRST);
    publishUntilFull();
    assertThat(device.free(directory)).isBetween(10 * FIRST, 11 * FIRST);
    shouldRefuse();
  }

  @Test
  void shouldOpenWithoutSpaceAndStartWhenThereIsSome() {
    device.space(FIRST - 1);
    open();
    shouldRefuse();
    shouldRefuse();
    assertThat(log.reader().next()).isNull();
    log.shut();
    opened = log.open();
    opened.force();
    device.space(PLENTY);
    log.publish(3);
    opened.force();
    shouldReadAll();
  }

  @Test
  void shouldStoreTheMessageThatFillsABlockAlthoughTheNextCannotStart() {
    open(new LogFixture(directory).recycleAt(5));
    device.space(0);
    log.publish(5);
    shouldRefuse();
    opened.relieve(OptionalLong::empty);
    shouldRefuse();
    shouldReadAll();
    opened.force(); // seals the first
    device.space(FIRST);
    opened.relieve(OptionalLong::empty);
    log.publish(4);
    assertThat(opened.blocks()).isEqualTo(2);
    shouldReadAll();
    opened = log.reopen();
    shouldReadAll();
  }

  @Test
  void shouldTakeUpABlockWhoseNextNeverStarted() {
    open(new LogFixture(directory).recycleAt(5));
    device.space(0);
    log.publish(5);
    opened = log.reopen();
    shouldReadAll();
    device.space(PLENTY);
    log.publish(5);
    shouldReadAll();
  }

  @Test
  void shouldRecycleWhatIsFinishedWhileItIsFull() throws Exception {
    open();
    while (opened.bytes() < 600 << 10) {
      log.batch(50); // until the next block's first bytes are made
    }
    log.awaitMaking();
    device.space(0);
    long end = publishUntilFull();
    opened.relieve(() -> OptionalLong.of(end - 1));
    assertThat(opened.blocks()).isEqualTo(1);
    opened.relieve(() -> OptionalLong.of(end));
    assertThat(opened.blocks()).isEqualTo(2);
    opened.force();
    assertThat(opened.oldestSealed()).isPresent();
    log.publish(1); // into the first bytes of the next
    shouldReadAll();
  }

  /** Full before anything was made of the next block, or because that was made too late. */
  @Test
  void shouldRecycleItsOnlyBlockIntoTheReserve() {
    open(new LogFixture(directory).reserve(10 * FIRST));
    device.space(11 * FIRST);
    long end = publishUntilFull();
    assertThat(opened.bytes()).isLessThan(512 << 10);
    opened.relieve(() -> OptionalLong.of(end - 1));
    assertThat(opened.blocks()).isEqualTo(1);
    opened.relieve(() -> OptionalLong.of(end));
    assertThat(opened.blocks()).isEqualTo(2);
    assertThat(device.free(directory)).isBetween(9 * FIRST, 10 * FIRST);
    long next = publishUntilFull(); // into the first bytes of the next
    assertThat(next).isGreaterThan(end);
    opened.relieve(() -> OptionalLong.of(next));
    assertThat(opened.blocks()).as("the reserve is not used up by more").isEqualTo(2);
    shouldReadAll();
  }

  @Test
  void shouldFailWhenZerosCannotBeWritten() {
    open();
    device.breakDown();
    assertThatThrownBy(() -> log.publish(100_000)).isInstanceOf(QueueFailedException.class);
    assertThat(opened.failure()).isPresent();
    shouldReadAll();
  }

  @Test
  void shouldGoOnAfterAFileCouldNotBeOpened() {
    open();
    device.noDescriptors(true);
    assertThatThrownBy(
            () -> {
              while (true) {
                log.batch(64);
              }
            })
        .isInstanceOf(RiverException.class)
        .isNotInstanceOf(QueueFailedException.class)
        .hasMessageContaining("nothing was stored");
    long end = opened.nextSequence();
    assertThat(opened.failure()).isEmpty();
    device.noDescriptors(false);
    log.batch(64);
    assertThat(opened.nextSequence()).isEqualTo(end + 64);
    shouldReadAll();
  }

  @Test
  void shouldWriteZerosOverNothingWhilePublishersAreQuick() throws Exception {
    open(new LogFixture(directory).recycle(block -> block.bytes() > 700_000));
    List<Thread> publishers = new ArrayList<>();
    Object one = new Object();
    for (int i = 0; i < 3; i++) {
      publishers.add(
          new MonitoredThread(
              "publisher",
              () -> {
                for (int batch = 0; batch < 500; batch++) {
                  synchronized (one) {
                    log.batch(1 + batch % 200);
                  }
                }
              }));
    }
    publishers.forEach(Thread::start);
    for (Thread publisher : publishers) {
      publisher.join();
    }
    shouldReadAll();
  }
}
