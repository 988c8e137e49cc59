package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.crash.Scenario.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process without memory. */
@Tag("full")
class HeapTest {
  private static final Logger LOG = LoggerFactory.getLogger(HeapTest.class);
  private static final int ROUNDS = 2;
  private static final int LARGEST = 4 << 20;

  @TempDir Path root;

  @Test
  void shouldLoseNothingWhenTheHeapIsFull() throws Exception {
    Rounds rounds =
        new Rounds(
            new Site(
                Files.createDirectory(root.resolve("tested")),
                Files.createDirectory(root.resolve("ledger"))),
            new Scenario(4, 1, Level.MIXED, LARGEST, true),
            Counts.seed(HeapTest.class));
    HeapFull fault = new HeapFull();
    for (int i = 0; i < ROUNDS; i++) {
      rounds.next(fault);
    }
    rounds.finish();

    LOG.warn("full in {} of {} rounds: {}", fault.full(), ROUNDS, rounds.summary());
    assertThat(fault.full()).isPositive();
    assertThat(rounds.summary().promised()).isPositive();
  }
}
