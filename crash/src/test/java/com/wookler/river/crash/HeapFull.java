package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;

/** So little heap for such large messages that it is full again and again. */
final class HeapFull implements Fault {
  private static final Duration TRIED = Duration.ofSeconds(10);
  private static final Duration BEYOND = Duration.ofMillis(500);

  private int full;

  @Override
  public ChildProcess.Launch launch(Site site, int round, SplittableRandom random) {
    return ChildProcess.Launch.with("-Xmx64m", "-XX:+UseSerialGC");
  }

  @Override
  public End end(ChildProcess child, Site site, int round, SplittableRandom random)
      throws IOException, InterruptedException {
    // with so little heap even the start may fail; the process is killed then, as always
    Waiting.until(TRIED, () -> child.output().contains("OutOfMemoryError") || !child.isAlive());
    child.awaitEnd(BEYOND);
    full += child.output().contains("OutOfMemoryError") ? 1 : 0;
    child.kill();
    return End.killed(TimeSource.system().nanoTime());
  }

  /** In how many rounds it was. */
  int full() {
    return full;
  }
}
