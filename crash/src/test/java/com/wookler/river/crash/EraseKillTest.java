package com.wookler.river.crash;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.subscriber.Delivery;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kills a process that erases: what was erased stays so, and nothing else is lost or damaged. */
@Tag("full")
class EraseKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(EraseKillTest.class);
  private static final int ROUNDS = Math.max(10, Counts.KILLS / 2);
  private static final Pattern SECRET = Pattern.compile("SECRET-(\\d+)-");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldKeepWhatWasErasedSoAcrossKills() throws Exception {
    Random random = new Random(Counts.seed(EraseKillTest.class));
    Path directory = Files.createDirectory(root.resolve("queues"));
    Path done = Files.createFile(root.resolve("done"));
    long next = 0;
    long erasing = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long before = Files.size(done);
      try (ChildProcess child =
          ChildProcess.start(
              EraseChild.class,
              root.resolve("child-" + round),
              ChildProcess.Launch.PLAIN,
              directory.toString(),
              done.toString(),
              String.valueOf(next),
              String.valueOf(erasing))) {
        Waiting.until(Duration.ofMinutes(1), () -> Files.size(done) > before || !child.isAlive());
        Waiting.alive(Duration.ofMillis(100 + random.nextInt(1_000)), child);
        assertThat(child.kill()).isEqualTo(ChildProcess.KILLED);
      }
      List<String> erased = Files.readAllLines(done);
      erasing = Long.parseLong(erased.get(erased.size() - 1)) + EraseChild.EVERY;
      next = check(directory, erasing);
      erasing += erasing < next ? EraseChild.EVERY : 0; // it was cut off perhaps, and is finished
    }
    LOG.warn("{} messages, {} erased, {} kills", next, erasing / EraseChild.EVERY, ROUNDS);
  }

  /** Returns the next number: of a message, number and sequence are the same. */
  private static long check(Path directory, long cutOff) throws IOException {
    assertThat(secrets(directory)).allMatch(secret -> secret >= cutOff);
    long end;
    try (MessageQueue<String> queue = EraseChild.open(directory)) {
      queue.erase(cutOff);
      end = queue.stats().nextSequence();
      Set<Long> expected = new TreeSet<>();
      for (long number = 0; number < end; number++) {
        if (!EraseChild.isSecret(number) || number > cutOff) {
          expected.add(number);
        }
      }
      Set<Long> read = new TreeSet<>();
      for (Delivery<String> one : queue.read(0, Integer.MAX_VALUE)) {
        assertThat(one.data()).isEqualTo(EraseChild.data(one.sequence()));
        read.add(one.sequence());
      }
      assertThat(read).isEqualTo(expected);
      assertThat(queue.stats().lostEver()).isZero();
    }
    assertThat(secrets(directory)).allMatch(secret -> secret > cutOff);
    return end;
  }

  /** The secrets in all files, in backups where they are compressed. */
  private static Set<Long> secrets(Path directory) throws IOException {
    Set<Long> found = new TreeSet<>();
    try (Stream<Path> all = Files.walk(directory.resolve("data"))) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        add(found, new String(Files.readAllBytes(file), ISO_8859_1));
      }
    }
    for (StoredBlock stored : BackupFiles.scan(directory.resolve("backup/orders")).blocks()) {
      assertThat(BackupFiles.verify(stored.file(), bytes -> {}).damages()).isEmpty();
      ByteArrayOutputStream block = new ByteArrayOutputStream();
      BackupFiles.unpack(stored, block);
      add(found, block.toString(ISO_8859_1));
    }
    return found;
  }

  private static void add(Set<Long> found, String text) {
    for (Matcher secret = SECRET.matcher(text); secret.find(); ) {
      found.add(Long.parseLong(secret.group(1)));
    }
  }
}
