package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.GroupCommit;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.testing.Aside;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Which thread forces for those that wait, and who comes after it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupCommitLeaderTest {
  @TempDir Path directory;

  private final HeldDevice device = new HeldDevice();
  private LogFixture log;
  private BlockLog opened;

  @BeforeEach
  void open() {
    log = new LogFixture(directory).device(device);
    opened = log.open();
    opened.force();
    device.forget();
  }

  @AfterEach
  void close() {
    device.letAll();
    log.close();
  }

  /** A thread that waits until all below a sequence is on the device. */
  private static final class Waiting {
    final FutureTask<Boolean> result;
    final MonitoredThread thread;

    Waiting(GroupCommit commits, long end) {
      result =
          new FutureTask<>(
              () -> {
                commits.await(end);
                return Thread.currentThread().isInterrupted();
              });
      thread = new MonitoredThread("publisher", result);
      thread.start();
    }

    void awaitParked() {
      await().until(() -> thread.getState() == Thread.State.WAITING);
    }
  }

  private Waiting publish() {
    log.publish(1);
    return new Waiting(opened.commits(), opened.nextSequence());
  }

  @Test
  void shouldForceOnTheThreadThatWaits() throws Exception {
    Waiting alone = publish();
    assertThat(alone.result.get()).isFalse();
    assertThat(device.threads()).containsExactly(alone.thread);
    assertThat(opened.forcedEnd()).isEqualTo(1);
  }

  @Test
  void shouldHaveOneThatWaitedForceForAllThatCameMeanwhile() throws Exception {
    device.hold();
    Waiting first = publish();
    device.awaitBegun();
    List<Waiting> followers = List.of(publish(), publish(), publish());
    followers.forEach(Waiting::awaitParked);
    device.let(1);
    assertThat(first.result.get()).isFalse();
    device.awaitBegun();
    assertThat(followers).noneMatch(follower -> follower.result.isDone());
    device.let(1);
    for (Waiting follower : followers) {
      assertThat(follower.result.get()).isFalse();
    }
    assertThat(device.threads()).hasSize(2).startsWith(first.thread);
    assertThat(followers).extracting(follower -> follower.thread).contains(lastLeader());
  }

  private MonitoredThread lastLeader() {
    List<Thread> threads = device.threads();
    return (MonitoredThread) threads.get(threads.size() - 1);
  }

  @Test
  void shouldLeaveFuturesToAPoolThread() throws Exception {
    device.hold();
    Waiting first = publish();
    device.awaitBegun();
    log.publish(1);
    CompletableFuture<Long> future = opened.commits().future(1, 2);
    device.let(1);
    assertThat(first.result.get()).isFalse();
    device.awaitBegun();
    assertThat(future).isNotDone();
    device.letAll();
    assertThat(future.get()).isEqualTo(1);
    assertThat(lastLeader().getName()).startsWith("RIVER-");
  }

  @Test
  void shouldHaveAThreadLeadAfterAPoolThread() throws Exception {
    device.hold();
    log.publish(1);
    CompletableFuture<Long> future = opened.commits().future(0, 1);
    device.awaitBegun();
    Waiting next = publish();
    next.awaitParked();
    device.letAll();
    assertThat(future.get()).isZero();
    assertThat(next.result.get()).isFalse();
    assertThat(lastLeader()).isSameAs(next.thread);
  }

  @Test
  void shouldForceThoughTheLeaderIsInterruptedBeforeAndMeanwhile() throws Exception {
    device.hold();
    AtomicBoolean kept = new AtomicBoolean();
    log.publish(1);
    MonitoredThread leader =
        new MonitoredThread(
            "publisher",
            () -> {
              Thread.currentThread().interrupt();
              opened.commits().await(1);
              kept.set(Thread.currentThread().isInterrupted());
            });
    leader.start();
    device.awaitBegun();
    leader.interrupt();
    Waiting follower = publish();
    follower.awaitParked();
    device.letAll();
    leader.join();
    assertThat(kept).isTrue();
    assertThat(follower.result.get()).isFalse();
    assertThat(device.threads()).containsExactly(leader, follower.thread);
    assertThat(publish().result.get()).isFalse(); // no channel was closed
    assertThat(opened.failure()).isEmpty();
  }

  @Test
  void shouldForceByAChannelOnThePoolOnly() throws Exception {
    log.shut();
    opened = log.recycleAt(3).open();
    opened.force();
    device.forget();
    log.batch(3); // closes block 1: it is forced whole, by a channel
    AtomicBoolean kept = new AtomicBoolean();
    MonitoredThread publisher =
        new MonitoredThread(
            "publisher",
            () -> {
              Thread.currentThread().interrupt();
              opened.commits().await(3);
              kept.set(Thread.currentThread().isInterrupted());
            });
    publisher.start();
    publisher.join();
    assertThat(kept).isTrue();
    assertThat(opened.forcedEnd()).isGreaterThanOrEqualTo(3);
    assertThat(device.threads()).isNotEmpty().doesNotContain(publisher);
    assertThat(opened.failure()).isEmpty();
  }

  @Test
  void shouldFailTheLeaderItsFollowersAndTheNextGroupWhenItsForceFails() throws Exception {
    device.hold();
    Waiting leader = publish();
    device.awaitBegun();
    List<Waiting> followers = List.of(publish(), publish());
    followers.forEach(Waiting::awaitParked);
    device.breakOnce(); // the next force would succeed
    device.letAll();
    List<Waiting> all = new ArrayList<>(followers);
    all.add(leader);
    for (Waiting each : all) {
      assertThatThrownBy(each.result::get)
          .hasCauseInstanceOf(QueueFailedException.class)
          .hasMessageContaining("the device is broken");
    }
    assertThat(device.threads()).containsExactly(leader.thread);
    assertThat(opened.forcedEnd()).isZero();
  }

  @Test
  void shouldEndTheForceOfALeaderBeforeItIsClosed() throws Exception {
    device.hold();
    Waiting leader = publish();
    device.awaitBegun();
    Waiting follower = publish();
    follower.awaitParked();
    Future<?> closing = Aside.run(log::shut);
    await().until(opened::isStopped);
    assertThat(closing.isDone()).isFalse();
    device.letAll();
    closing.get();
    assertThat(leader.result.get()).isFalse();
    assertThat(follower.result.get()).isFalse();
    assertThat(opened.forcedEnd()).isEqualTo(2);
  }

  /** A target that takes nothing, and throws what no target may throw. */
  private static final class Broken implements GroupCommit.Target {
    @Override
    public long forcedEnd() {
      return 0;
    }

    @Override
    public void force() {
      throw new AssertionError("no memory");
    }

    @Override
    public RuntimeException notForced() {
      return new IllegalStateException("not forced");
    }
  }

  @Test
  void shouldHaveAnotherLeadAfterAnErrorOfTheLeader() {
    WorkerPool pool = WorkerPool.acquire("flusher", 1);
    try {
      Broken target = new Broken();
      GroupCommit commits = new GroupCommit(target, target::force, pool.serial("test"));
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> commits.await(1)).isInstanceOf(AssertionError.class);
        CompletableFuture<Long> future = commits.future(0, 1);
        assertThatThrownBy(future::get)
            .isInstanceOf(ExecutionException.class)
            .hasMessageContaining("not forced");
      }
      commits.end();
    } finally {
      pool.release();
    }
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void shouldForceForVirtualThreadsOnThePool() throws Exception {
    log.publish(1);
    FutureTask<Void> virtual = new FutureTask<>(() -> opened.commits().await(1), null);
    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, virtual);
    virtual.get();
    assertThat(opened.forcedEnd()).isEqualTo(1);
    assertThat(lastLeader().getName()).startsWith("RIVER-");
  }
}
