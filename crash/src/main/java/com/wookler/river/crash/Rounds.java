package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** Rounds on one directory: each starts a process, ends it, and compares. */
final class Rounds {
  private static final int LOOK_UPS = 100;
  private static final int LATEST = 20_000;

  private final Site site;
  private final Scenario scenario;
  private final Check check;
  private final Openings openings = new Openings();
  private final SplittableRandom random;
  private final long seed;
  private int round;

  Rounds(Site site, Scenario scenario, long seed) {
    this.site = site;
    this.scenario = scenario;
    this.check = new Check(site, scenario);
    this.random = new SplittableRandom(seed);
    this.seed = seed;
  }

  /** One more. */
  void next(Fault fault) {
    round++;
    SplittableRandom chance = random.split();
    String output = "";
    try (ChildProcess child =
        ChildProcess.start(
            Workload.class,
            site.output(round),
            fault.launch(site, round, chance),
            Workload.arguments(site, scenario, round, chance.nextLong()))) {
      End end = fault.end(child, site, round, chance);
      output = child.output();
      openings.add(site.opened(round));
      openings.add(site.recovered(round));
      check.round(round, end);
      clean();
    } catch (Throwable e) {
      throw new BrokenRound(round, seed, site, output, e);
    }
  }

  /** Says how to repeat it. */
  static final class BrokenRound extends RuntimeException {
    private static final long serialVersionUID = 1;

    BrokenRound(int round, long seed, Site site, String output, Throwable cause) {
      super(
          "round "
              + round
              + " of seed "
              + seed
              + " in "
              + site.tested()
              + ": "
              + cause.getMessage()
              + (output.isEmpty() ? "" : "\nthe process said:\n" + output),
          cause);
    }
  }

  /** The journals were compared. */
  private void clean() throws IOException {
    for (int i = 0; i < scenario.publishers(); i++) {
      Files.deleteIfExists(site.published(round, i));
    }
    for (int i = 0; i < scenario.subscribers(); i++) {
      Files.deleteIfExists(site.subscribed(round, i));
    }
    for (Path file : new Path[] {site.opening(round), site.ready(round), site.output(round)}) {
      Files.deleteIfExists(file);
    }
  }

  /** A last opening that nothing ends: all that is left is delivered, and then nothing more. */
  void finish() {
    round++;
    try {
      scenario.open(site, 0).close(); // it may finish what was being published
      check.contents().update();
      long started = TimeSource.system().nanoTime();
      try (MessageQueue<byte[]> queue = scenario.open(site, 0)) {
        BrokenPromise.unless(
            queue.stats().nextSequence() >= check.contents().end(),
            "the next sequence is %d, there are %d",
            queue.stats().nextSequence(),
            check.contents().end());
        drain(queue);
        check.subscribers(round, End.killed(0));
        check.delivered();
        awaitArchived(queue);
        lookUp(queue);
      }
      long took = TimeSource.system().nanoTime() - started;
      BrokenPromise.unless(
          took < Waiting.RESUMED.toNanos() * 2, "delivering what was left took %d ns", took);
      check.contents().update();
      expectNothingMore();
    } catch (Throwable e) {
      throw new BrokenRound(round, seed, site, "", e);
    }
  }

  private void drain(MessageQueue<byte[]> queue) throws InterruptedException {
    for (int i = 0; i < scenario.subscribers(); i++) {
      Subscriber<byte[]> subscriber = queue.subscriber(Scenario.subscriber(i));
      Journal journal = new Journal(site.subscribed(round, i));
      new Consuming(subscriber, journal, scenario).drain(Scenario.acknowledges(i));
      BrokenPromise.unless(
          subscriber.stats().lag() == 0, "%s: %s", subscriber.name(), subscriber.stats());
    }
  }

  private static void awaitArchived(MessageQueue<byte[]> queue) throws IOException {
    BrokenPromise.unless(
        Waiting.until(Waiting.RESUMED, () -> queue.stats().blocks() == 1),
        "all was delivered, but %s",
        queue.stats());
  }

  /** Messages that can be looked up, in the log or in a backup, spread over the latest. */
  private void lookUp(MessageQueue<byte[]> queue) {
    Contents contents = check.contents();
    long from = Math.max(0, contents.end() - LATEST);
    long step = 1 + (contents.end() - from) / LOOK_UPS;
    for (long sequence = from; sequence < contents.end(); sequence += step) {
      long id = contents.id(sequence);
      if (id != 0) {
        Delivery<byte[]> found = queue.read(sequence).orElseThrow();
        BrokenPromise.unless(
            Content.check(found, scenario.largest()) == id, "sequence %d is looked up", sequence);
      }
    }
  }

  private void expectNothingMore() throws InterruptedException {
    try (MessageQueue<byte[]> queue = scenario.open(site, 0)) {
      for (int i = 0; i < scenario.subscribers(); i++) {
        Subscriber<byte[]> subscriber = queue.subscriber(Scenario.subscriber(i));
        Delivery<byte[]> more = subscriber.next();
        BrokenPromise.unless(
            more == null, "%s: all was taken, but %s", subscriber.name(), String.valueOf(more));
      }
    }
  }

  /**
   * How long it took to open the queue, after the start of each round and after losses of power.
   */
  Openings openings() {
    return openings;
  }

  /** What came out of it so far. */
  Summary summary() {
    return check.summary();
  }
}
