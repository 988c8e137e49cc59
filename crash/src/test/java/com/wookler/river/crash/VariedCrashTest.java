package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.crash.Journal.Entry;
import com.wookler.river.crash.Journal.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills a process, or cuts its power, that publishes messages with keys, delayed and forwarded
 * ones, and gives some back for later. A quarter of {@code -Driver.crash.rounds}, {@code
 * -Driver.crash.losses} of each kind.
 */
@Tag("full")
class VariedCrashTest {
  private static final Logger LOG = LoggerFactory.getLogger(VariedCrashTest.class);
  private static final int KILLS = Math.max(2, Counts.KILLS / 4);
  private static final int LEAST_MILLIS = 200;
  private static final int MOST_MILLIS = 1_200;

  @TempDir Path root;

  private final Map<Long, Long> promised = new HashMap<>(); // and how long they are delayed
  private final Set<Long> delivered = new HashSet<>();
  private final Map<Long, Entry> givenBack = new HashMap<>(); // by key, and not delivered since

  @Test
  void shouldKeepKeysDelaysAndForwardsAcrossKills() throws Exception {
    SplittableRandom random = new SplittableRandom(Counts.seed(VariedCrashTest.class));
    Path base = root.resolve("data");
    for (int round = 1; round <= KILLS; round++) {
      try (ChildProcess child = start(base, round, random)) {
        assertThat(child.kill()).as(child.output()).isEqualTo(ChildProcess.KILLED);
      }
      compare(round, End.killed(TimeSource.system().nanoTime()));
    }
    finish(base);
    LOG.warn("{} kills: {} messages promised", KILLS, promised.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void shouldKeepKeysDelaysAndForwardsWhenThePowerFails(String type) throws Exception {
    LoopDevice.assume(type);
    SplittableRandom random = new SplittableRandom(Counts.seed(VariedCrashTest.class));
    try (LoopDevice device = LoopDevice.make(type, Files.createDirectory(root.resolve("device")))) {
      Path base = device.mount().resolve("data");
      for (int round = 1; round <= Counts.POWER_LOSSES; round++) {
        long at;
        Path published = published(round);
        try (ChildProcess child = start(base, round, random)) {
          Waiting.until(Waiting.RESUMED, () -> hasPromised(published) || !child.isAlive());
          at = TimeSource.system().nanoTime();
          device.cut();
          child.awaitEnd(Duration.ofMillis(random.nextInt(50)));
          child.kill();
        }
        device.restore();
        compare(round, new End(true, 0, 0, at));
      }
      finish(base);
    }
    LOG.warn("{}: {} losses: {} messages promised", type, Counts.POWER_LOSSES, promised.size());
  }

  /** Whether one at DISK has returned, which on a busy machine takes its time. */
  private static boolean hasPromised(Path published) throws IOException {
    return Journal.read(published).stream().anyMatch(entry -> entry.c() == 1);
  }

  /** One that has worked for a while. */
  private ChildProcess start(Path base, int round, SplittableRandom random) throws Exception {
    ChildProcess child =
        ChildProcess.start(
            VariedChild.class,
            root.resolve("output-" + round),
            ChildProcess.Launch.with("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            base.toString(),
            published(round).toString(),
            taken(round).toString(),
            Integer.toString(round),
            root.resolve("ready-" + round).toString());
    try {
      Waiting.file(root.resolve("ready-" + round), child);
      Waiting.alive(Duration.ofMillis(random.nextInt(LEAST_MILLIS, MOST_MILLIS)), child);
    } catch (Throwable e) {
      child.close();
      throw e;
    }
    return child;
  }

  private Path published(int round) {
    return root.resolve("published-" + round);
  }

  private Path taken(int round) {
    return root.resolve("taken-" + round);
  }

  /** What a round has promised: at a kill all, at a loss of power all up to the last at DISK. */
  private void compare(int round, End end) throws IOException {
    Map<Long, Long> since = new HashMap<>();
    for (Entry entry : Journal.read(published(round))) {
      if (entry.nanos() > end.at()) {
        break;
      }
      since.put(entry.a(), entry.b());
      if (!end.power() || entry.c() == 1) {
        promised.putAll(since);
        since.clear();
      }
    }
    expectOrderOfKeys(round);
    if (end.power()) {
      givenBack.clear(); // which may have been lost
    }
  }

  /** Of each key one at a time, in the order of the log; and none before it is due again. */
  private void expectOrderOfKeys(int round) throws IOException {
    Map<Long, Entry> last = new HashMap<>();
    for (Entry entry : Journal.read(taken(round))) {
      long key = entry.c() % VariedChild.KEYS;
      Entry before = last.get(key);
      if (entry.kind() == Kind.NACKED) {
        if (before != null && before.kind() == Kind.NACKING && before.a() == entry.a()) {
          givenBack.put(key, before);
        } // else it came again before that was noted
        continue;
      }
      last.put(key, entry);
      if (entry.kind() != Kind.DELIVERED) {
        assertThat(before).isNotNull();
        assertThat(entry.a()).as("decided in between: %s", before).isEqualTo(before.a());
        continue;
      }
      delivered.add(entry.c());
      expectInTime(entry, givenBack.remove(key));
      if (before != null) {
        expectInOrder(entry, before);
      }
    }
  }

  private static void expectInOrder(Entry entry, Entry before) {
    if (before.kind() == Kind.NACKING) {
      assertThat(entry.a()).as("%s came before %s again", entry, before).isEqualTo(before.a());
    } else {
      assertThat(before.kind())
          .as("%s came before the end of %s", entry, before)
          .isEqualTo(Kind.ACKING);
      assertThat(entry.a()).as("%s came behind %s", entry, before).isGreaterThan(before.a());
    }
  }

  private static void expectInTime(Entry entry, @Nullable Entry givenBack) {
    if (givenBack != null) {
      long millis = TimeUnit.NANOSECONDS.toMillis(entry.nanos() - givenBack.nanos());
      assertThat(entry.a()).as("%s came before %s", entry, givenBack).isEqualTo(givenBack.a());
      assertThat(entry.b()).as("attempt of %s", entry).isEqualTo(2);
      assertThat(millis)
          .as("%s came too early, of %s", entry, givenBack)
          .isGreaterThanOrEqualTo(givenBack.b() - VariedChild.CLOCKS_DIFFER_MILLIS);
    }
  }

  private void finish(Path base) throws Exception {
    assertThat(promised).isNotEmpty();
    try (MessageQueue<String> target = VariedChild.target(base);
        MessageQueue<String> source = VariedChild.source(base)) {
      takeTheRest(source);
      expectOrderOfKeys(0);
      assertThat(delivered).containsAll(promised.keySet());
      List<Long> inOrder = expectEachOnce(source);
      await()
          .atMost(Waiting.RESUMED)
          .untilAsserted(
              () ->
                  assertThat(messages(target).stream().map(VariedChild::id))
                      .containsExactlyElementsOf(inOrder));
    }
  }

  private void takeTheRest(MessageQueue<String> source) throws InterruptedException {
    Journal journal = new Journal(taken(0));
    Subscriber<String> billing = VariedChild.billing(source);
    while (source.stats().delayed() > 0 || billing.stats().lag() > 0) {
      Delivery<String> next = billing.next(Duration.ofMillis(100));
      if (next != null) {
        VariedChild.take(next, journal);
      }
    }
  }

  /** Each promised one is there, and a copy of each that was delayed; in the order of delivery. */
  private List<Long> expectEachOnce(MessageQueue<String> source) {
    Map<Long, Integer> times = new HashMap<>();
    List<Long> inOrder = new ArrayList<>();
    for (Delivery<String> message : messages(source)) {
      long id = VariedChild.id(message);
      int time = times.merge(id, 1, Integer::sum);
      boolean delayed = VariedChild.delay(message) > 0;
      assertThat(time).as("%s", message).isLessThanOrEqualTo(delayed ? 2 : 1);
      if (!delayed || message.place() != message.sequence()) {
        inOrder.add(id);
      }
    }
    promised.forEach(
        (id, delay) ->
            assertThat(times).as("delayed by %s", delay).containsEntry(id, delay > 0 ? 2 : 1));
    return inOrder;
  }

  /** All of log and backup; what a loss of power has taken leaves gaps. */
  private static List<Delivery<String>> messages(MessageQueue<String> queue) {
    List<Delivery<String>> all = new ArrayList<>();
    long end = queue.stats().nextSequence();
    for (long at = 0; at < end; ) {
      List<Delivery<String>> some = queue.read(at, 1_000);
      all.addAll(some);
      at = some.isEmpty() ? at + 1 : some.get(some.size() - 1).place() + 1;
    }
    return all;
  }
}
