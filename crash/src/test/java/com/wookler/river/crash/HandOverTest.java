package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL while a subscriber hands over to a database. */
@Tag("full")
class HandOverTest {
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldHandOverEachMessageOnceAcrossKills() throws Exception {
    SplittableRandom random = new SplittableRandom(Counts.seed(HandOverTest.class));
    Path data = Files.createDirectory(root.resolve("data"));
    int kills = Math.max(1, Counts.KILLS / 3);
    for (int round = 0; round < kills; round++) {
      try (ChildProcess child = start(data, round, "run")) {
        Waiting.file(root.resolve("begun" + round), child);
        Waiting.alive(Duration.ofMillis(random.nextInt(200)), child);
        assertThat(child.kill()).isEqualTo(ChildProcess.KILLED);
      }
    }
    try (ChildProcess child = start(data, kills, "finish")) {
      assertThat(child.awaitEnd(Duration.ofSeconds(60))).as(child.output()).isTrue();
      assertThat(child.exitValue()).as(child.output()).isZero();
    }

    long published;
    try (MessageQueue<String> queue = HandOverChild.open(data)) {
      published = queue.stats().nextSequence();
      assertThat(queue.subscriber("billing").stats().lag()).isZero();
    }
    try (Connection connection = DriverManager.getConnection(HandOverChild.url(data));
        Statement statement = connection.createStatement();
        ResultSet taken =
            statement.executeQuery(
                "select count(*), count(distinct sequence), max(sequence),"
                    + " count(distinct data) from taken"
                    + " where data = concat('message ', sequence)")) {
      taken.next();
      assertThat(taken.getLong(1)).isEqualTo(published).isPositive();
      assertThat(taken.getLong(2)).isEqualTo(published);
      assertThat(taken.getLong(3)).isEqualTo(published - 1);
      assertThat(taken.getLong(4)).isEqualTo(published);
    }
  }

  private ChildProcess start(Path data, int round, String how) throws Exception {
    return ChildProcess.start(
        HandOverChild.class,
        root.resolve("output" + round),
        ChildProcess.Launch.PLAIN,
        data.toString(),
        root.resolve("begun" + round).toString(),
        how);
  }
}
