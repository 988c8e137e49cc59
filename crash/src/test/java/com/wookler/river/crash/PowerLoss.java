package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Cuts the power of the file system while the process goes on, which is killed soon after, and lets
 * another one recover; sometimes that is killed too, or its power cut.
 */
final class PowerLoss implements Fault {
  private final LoopDevice device;
  private final ChildProcess.Launch launch;

  PowerLoss(LoopDevice device, Path... front) {
    this.device = device;
    ChildProcess.Launch fast =
        ChildProcess.Launch.with("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    for (Path classes : front) {
      fast = fast.behind(classes);
    }
    this.launch = fast;
  }

  @Override
  public ChildProcess.Launch launch(Site site, int round, SplittableRandom random) {
    return with(Forces.option(site, round));
  }

  private ChildProcess.Launch with(String option) {
    List<String> options = new ArrayList<>(launch.jvmOptions());
    options.add(option);
    return new ChildProcess.Launch(options, launch.front(), launch.environment());
  }

  @Override
  public End end(ChildProcess child, Site site, int round, SplittableRandom random)
      throws IOException, InterruptedException {
    Waiting.file(site.ready(round), child);
    double skewed = random.nextDouble() * random.nextDouble();
    Waiting.alive(Duration.ofNanos((long) (20_000_000 + skewed * 1_500_000_000)), child);
    BrokenPromise.unless(
        !child.output().contains("was told"), "an error before the cut:\n%s", child.output());
    long before = TimeSource.system().nanoTime();
    device.cut();
    child.awaitEnd(Duration.ofMillis(random.nextInt(50)));
    child.kill();
    device.restore();
    recover(site, round, random);
    return Forces.cut(site, round, before);
  }

  private void recover(Site site, int round, SplittableRandom random)
      throws IOException, InterruptedException {
    if (random.nextInt(3) == 0) {
      try (ChildProcess first = start(site, round, "first")) {
        boolean cut = random.nextBoolean();
        Waiting.until(Duration.ofMillis(200 + random.nextInt(600)), () -> !first.isAlive());
        if (cut) {
          device.cut();
        }
        first.kill();
        if (cut) {
          device.restore();
        }
      }
    }
    try (ChildProcess second = start(site, round, "second")) {
      if (!second.awaitEnd(Waiting.RESUMED)) {
        throw new BrokenPromise(
            "recovery takes more than " + Waiting.RESUMED + ": " + Shell.threads(second));
      }
      BrokenPromise.unless(
          second.exitValue() == 0, "recovery failed, it said:\n%s", second.output());
    }
  }

  private ChildProcess start(Site site, int round, String name) throws IOException {
    return ChildProcess.start(
        Recover.class,
        site.ledger().resolve("recovery-" + round + "-" + name),
        with(Forces.option(site, 0)),
        Workload.arguments(site, Scenario.DEFAULT, round, 0));
  }
}
