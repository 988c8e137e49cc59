package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;

/** SIGSTOP for longer than the ack timeout, then SIGCONT; several times, then SIGKILL. */
final class Pause implements Fault {
  private static final int PAUSES = 3;

  @Override
  public End end(ChildProcess child, Site site, int round, SplittableRandom random)
      throws IOException, InterruptedException {
    Waiting.file(site.ready(round), child);
    for (int i = 0; i < PAUSES; i++) {
      Waiting.alive(Duration.ofMillis(random.nextInt(300)), child);
      Shell.run("kill", "-STOP", Long.toString(child.pid()));
      Waiting.alive(Scenario.ACK_TIMEOUT.plusMillis(20 + random.nextInt(300)), child);
      Shell.run("kill", "-CONT", Long.toString(child.pid()));
    }
    Waiting.alive(Scenario.ACK_TIMEOUT, child);
    child.kill();
    return End.killed(TimeSource.system().nanoTime());
  }
}
