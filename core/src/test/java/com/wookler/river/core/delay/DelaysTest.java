package com.wookler.river.core.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DelaysTest {
  private static final long SECOND = 1_000_000;
  private static final long NUMBER = 0x5EA1_0000_1234_5678L;

  @TempDir Path base;

  @Test
  void shouldSayInALineAMinuteThatWhatIsDueCannotBeReadNow() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.publish(NUMBER, SECOND);
      log.run();
      log.flush();
      log.damageInFiles(NUMBER); // so that it is looked for where it came from
      log.unreadable(true);
      try (CapturedLog said = new CapturedLog(Delays.class);
          Delays delays = Delays.open(log.context(), Runnable::run)) {
        delays.start();
        log.advance(2);
        for (int second = 1; second <= 10; second++) {
          awaitTries(log, second);
          log.advance(1);
        }
        assertThat(said.warnings())
            .singleElement()
            .asString()
            .contains("delayed messages wait", "cannot be read now");
        assertThat(said.hasStackTrace()).isFalse();
        log.advance(60);
        awaitTries(log, log.originalsAsked.get() + 1);
        await().until(() -> said.warnings().size() == 2);
        delays.stop();
      }
    }
  }

  @Test
  void shouldLeaveNothingOfAStateThatCannotBeWritten() throws IOException {
    Path directory = Files.createDirectory(base.resolve("delayed"));
    Files.createDirectory(directory.resolve("state-1.tmp")); // in the way of the second file
    UUID queue = UUID.randomUUID();

    assertThatThrownBy(() -> StoreOpening.create(directory, queue, 0))
        .isInstanceOf(IOException.class);
    assertThat(StoreOpening.exists(directory)).isFalse();
    StoreOpening.create(directory, queue, 0);
    assertThat(TimerState.look(directory, queue).faults()).isEmpty();
  }

  @Test
  void shouldDeliverOnOtherVolumesWhileADeviceHangs() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(memory), "SKIPPED: there is no second volume");
    Path other = Files.createTempDirectory(memory, "river-delay");
    assumeFalse(Files.getFileStore(other).equals(Files.getFileStore(base)), "SKIPPED: one volume");
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
    CountDownLatch hangs = new CountDownLatch(1);
    List<Path> volumes = List.of(base.resolve("a"), base.resolve("b"), base.resolve("c"), other);
    List<DelayedLog> logs = new ArrayList<>();
    List<Delays> delays = new ArrayList<>();
    try {
      for (Path volume : volumes) {
        DelayedLog log = new DelayedLog(volume, DelayLimits.DEFAULT, time);
        logs.add(log);
        log.publish(NUMBER, SECOND);
        log.run();
        log.flush();
        if (!volume.equals(other)) {
          log.damageInFiles(NUMBER); // so that it is looked for where it came from
          log.hang(hangs);
        }
        delays.add(Delays.open(log.context(), Runnable::run));
      }
      delays.subList(0, 3).forEach(Delays::start);
      time.advance(Duration.ofSeconds(2));
      await().until(() -> logs.stream().mapToInt(log -> log.originalsAsked.get()).sum() == 2);
      delays.get(3).start();
      await().until(() -> logs.get(3).delivered() == 1);
    } finally {
      hangs.countDown();
      delays.forEach(Delays::stop);
      delays.forEach(Delays::close);
      logs.forEach(DelayedLog::close);
      deleteTree(other);
    }
  }

  private static void deleteTree(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static void awaitTries(DelayedLog log, int tries) {
    await().until(() -> log.originalsAsked.get() >= tries);
  }
}
