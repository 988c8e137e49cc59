package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.testing.Aside;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Publishes that wait for the device, on a device that the test holds. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupCommitTest {
  private static final int PUBLISHERS = 64;

  @TempDir Path directory;

  private final HeldDevice device = new HeldDevice();
  private final Object appending = new Object();
  private final List<Thread> publishers = new ArrayList<>();
  private LogFixture log;
  private BlockLog opened;

  @BeforeEach
  void open() {
    log = new LogFixture(directory).device(device);
    opened = log.open();
    opened.force(); // its first block has been forced
    device.forget();
  }

  @AfterEach
  void close() {
    device.letAll();
    device.letDirectory();
    log.close();
  }

  /** Appends a message on this thread and waits for the device on another. */
  private Future<Long> publishElsewhere() {
    FutureTask<Long> publish =
        new FutureTask<>(
            () -> {
              long end;
              synchronized (appending) {
                log.publish(1);
                end = opened.nextSequence();
              }
              opened.commits().await(end);
              return opened.forcedEnd() - end;
            });
    MonitoredThread publisher = new MonitoredThread("publisher", publish);
    publishers.add(publisher);
    publisher.start();
    return publish;
  }

  private CompletableFuture<Long> publishAsync() {
    long sequence = opened.nextSequence();
    log.publish(1);
    return opened.commits().future(sequence, sequence + 1);
  }

  private void awaitAppended(int messages) {
    await().until(() -> opened.nextSequence() == messages);
  }

  @Test
  void shouldReturnWhenTheMessageIsOnTheDevice() throws Exception {
    device.hold();
    Future<Long> publish = publishElsewhere();
    device.awaitBegun();
    assertThat(opened.forcedEnd()).isZero();
    assertThat(publish.isDone()).isFalse();
    device.letAll();
    assertThat(publish.get()).isNotNegative();
    assertThat(device.forced()).startsWith("b00000001.cq4");
  }

  @Test
  void shouldServeAllThatWaitWithOneForce() throws Exception {
    device.hold();
    List<Future<Long>> publishes = new ArrayList<>();
    publishes.add(publishElsewhere());
    device.awaitBegun();
    for (int i = 1; i < PUBLISHERS; i++) {
      publishes.add(publishElsewhere());
    }
    awaitAppended(PUBLISHERS);
    await()
        .until(() -> publishers.stream().allMatch(each -> each.getState() == Thread.State.WAITING));
    device.let(2);
    for (Future<Long> publish : publishes) {
      assertThat(publish.get()).isNotNegative();
    }
    assertThat(device.forced()).containsExactly("b00000001.cq4", "b00000001.cq4");
  }

  @Test
  void shouldLeaveWhatComesDuringAForceToTheNext() throws Exception {
    device.hold();
    CompletableFuture<Long> first = publishAsync();
    device.awaitBegun();
    CompletableFuture<Long> second = publishAsync();
    device.let(1);
    assertThat(first.get()).isZero();
    device.awaitBegun();
    assertThat(second).isNotDone();
    device.let(1);
    assertThat(second.get()).isEqualTo(1);
  }

  @Test
  void shouldCompleteInTheOrderOfTheCalls() throws Exception {
    ConcurrentLinkedQueue<Long> completed = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Void>> seen = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      seen.add(publishAsync().thenAccept(completed::add));
    }
    CompletableFuture.allOf(seen.toArray(CompletableFuture[]::new)).get();
    assertThat(List.copyOf(completed)).hasSize(2_000).isSorted();
  }

  @Test
  void shouldForceOnWhileAUsersCallbackBlocks() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    device.hold();
    CompletableFuture<Void> blocked =
        publishAsync()
            .thenRun(
                () -> {
                  entered.countDown();
                  try {
                    left.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                });
    device.letAll();
    entered.await();
    assertThat(publishElsewhere().get()).isNotNegative();
    CompletableFuture<Long> behind = publishAsync();
    await().until(() -> opened.forcedEnd() == 3);
    assertThat(behind).isNotDone();
    left.countDown();
    blocked.get();
    assertThat(behind.get()).isEqualTo(2);
  }

  @Test
  void shouldForceTheBlockBeforeARollToo() throws Exception {
    log.shut();
    opened = log.recycleAt(3).open();
    log.publish(2);
    opened.force();
    device.forget();
    device.hold();
    log.batch(3); // its first block is closed behind it
    CompletableFuture<Long> next = publishAsync();
    device.letAll();
    assertThat(next.get()).isEqualTo(5);
    assertThat(device.forced()).containsSubsequence("b00000001.cq4", "b00000002.cq4", "directory");
  }

  @Test
  void shouldWaitForTheDirectoryOfANewBlockToo() throws Exception {
    log.shut();
    opened = log.recycleAt(3).open();
    log.publish(2);
    opened.force();
    device.forget();
    device.holdDirectory();
    log.publish(1); // block 2 comes to be
    CompletableFuture<Long> first = publishAsync();
    device.awaitDirectoryBegun();
    assertThat(device.forced()).contains("b00000002.cq4").doesNotContain("directory");
    assertThat(first).isNotDone();
    device.letDirectory();
    assertThat(first.get()).isEqualTo(3);
    assertThat(device.forced()).contains("directory");
  }

  @Test
  void shouldForceEachBlockWhenItComesToBeThoughNobodyWaits() throws IOException {
    log.shut();
    opened = log.recycleAt(3).open();
    Files.write(directory.resolve("b00000003.precreated.tmp"), new byte[1 << 20]);
    Files.write(directory.resolve("b00000004.precreated.tmp"), new byte[100_000]);
    for (int block = 2; block <= 4; block++) { // not made ahead, made ahead, made in part
      device.forget();
      log.publish(3);
      String file = "b0000000" + block + ".cq4";
      await()
          .untilAsserted(() -> assertThat(device.forced()).containsSubsequence(file, "directory"));
    }
  }

  @Test
  void shouldForceTheFirstBlockBeforeItsFirstMessage() throws IOException {
    log.shut();
    for (String file : log.files()) {
      Files.delete(directory.resolve(file));
    }
    device.forget();
    opened = log.open();
    await().until(() -> device.forced().contains("directory"));
    assertThat(device.forced()).containsExactly("b00000001.cq4", "directory");
    assertThat(opened.nextSequence()).isZero();
  }

  @Test
  void shouldSealABlockThatWasForcedBeforeItWasClosed() throws Exception {
    log.shut();
    opened = log.recycleAt(3).open();
    log.publish(2);
    opened.commits().await(2);
    log.publish(1);
    opened.force();
    assertThat(log.seal(1)).exists();
    assertThat(opened.oldestSealed()).isPresent();
  }

  @Test
  void shouldKeepWhatIsNotForcedFromBeingTakenOut() {
    log.shut();
    opened = log.recycleAt(3).open();
    device.hold();
    log.publish(3);
    assertThat(opened.blocks()).isEqualTo(2);
    assertThat(opened.oldestSealed()).isEmpty();
    device.letAll();
    opened.force();
    assertThat(opened.oldestSealed()).isPresent();
  }

  @Test
  void shouldFailAllThatWaitWhenTheForceFails() throws Exception {
    device.hold();
    List<Future<Long>> publishes = new ArrayList<>();
    publishes.add(publishElsewhere());
    device.awaitBegun();
    for (int i = 1; i < 8; i++) {
      publishes.add(publishElsewhere());
    }
    awaitAppended(8);
    CompletableFuture<Long> async = publishAsync();
    device.breakOnce();
    device.letAll();
    for (Future<Long> publish : publishes) {
      assertThatThrownBy(publish::get).hasCauseInstanceOf(QueueFailedException.class);
    }
    assertThatThrownBy(async::get)
        .hasCauseInstanceOf(QueueFailedException.class)
        .hasMessageContaining("the device is broken");
    assertThat(opened.failure())
        .hasValueSatisfying(e -> assertThat(e).hasMessageContaining("broken"));
    assertThatThrownBy(() -> log.publish(1)).isInstanceOf(QueueFailedException.class);
    assertThat(log.reader().next()).isNotNull();
  }

  @Test
  void shouldNeverTrustAForceAfterOneThatFailed() throws Exception {
    device.hold();
    log.publish(1);
    Future<?> background = Aside.run(opened::forceNow);
    device.awaitBegun();
    CompletableFuture<Long> waits = opened.commits().future(0, 1);
    device.breakOnce();
    device.letAll();
    background.get();
    assertThatThrownBy(waits::get).isInstanceOf(ExecutionException.class);
    opened.forceNow();
    assertThat(opened.forcedEnd()).isZero();
  }

  @Test
  void shouldAnswerThoseThatWaitWhenItIsClosed() throws Exception {
    device.hold();
    List<Future<Long>> publishes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      publishes.add(publishElsewhere());
    }
    awaitAppended(8);
    CompletableFuture<Long> async = publishAsync();
    Future<?> closing = Aside.run(log::shut);
    device.awaitBegun();
    device.letAll();
    closing.get();
    for (Future<Long> publish : publishes) {
      assertThat(publish.get()).isNotNegative();
    }
    assertThat(async.get()).isEqualTo(8);
    opened.commits().await(9); // who comes late, with what was appended before the close
  }

  @Test
  void shouldWaitOnWhenInterruptedAndKeepTheFlag() throws Exception {
    device.hold();
    AtomicBoolean flag = new AtomicBoolean();
    log.publish(1);
    MonitoredThread publisher =
        new MonitoredThread(
            "publisher",
            () -> {
              opened.commits().await(1);
              flag.set(Thread.currentThread().isInterrupted());
            });
    publisher.start();
    device.awaitBegun();
    publisher.interrupt();
    await().until(() -> !publisher.isInterrupted()); // it has taken the flag down to wait on
    assertThat(publisher.isAlive()).isTrue();
    device.letAll();
    publisher.join();
    assertThat(flag).isTrue();
    assertThat(opened.forcedEnd()).isEqualTo(1);
  }

  @Test
  void shouldNotHoldUpThoseThatDoNotWait() throws Exception {
    device.hold();
    CompletableFuture<Long> first = publishAsync();
    device.awaitBegun();
    log.publish(100);
    assertThat(opened.nextSequence()).isEqualTo(101);
    assertThat(first).isNotDone();
    device.letAll();
    assertThat(first.get()).isZero();
  }
}
