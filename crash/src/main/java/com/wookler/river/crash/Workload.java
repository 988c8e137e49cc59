package com.wookler.river.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that is ended: publishes and consumes with many threads, and writes into its journals
 * what it was promised. It never ends by itself; an error that the scenario does not expect ends it
 * with {@link #FAILED}.
 */
final class Workload {
  static final int FAILED = 9;

  private static final Logger LOG = LoggerFactory.getLogger(Workload.class);
  private static final int CONSUMERS = 2; // of a subscriber with acknowledgement
  private static final long PAUSE_NANOS = 5_000_000;
  private static final long MAX_LAG = 5_000;

  private final Site site;
  private final Scenario scenario;
  private final int round;
  private final long seed;
  private final MessageQueue<byte[]> queue;
  private final List<Subscriber<byte[]>> subscribers = new ArrayList<>();

  private Workload(Site site, Scenario scenario, int round, long seed) {
    this.site = site;
    this.scenario = scenario;
    this.round = round;
    this.seed = seed;
    this.queue = scenario.open(site, round);
    for (int i = 0; i < scenario.subscribers(); i++) {
      subscribers.add(queue.subscriber(Scenario.subscriber(i)));
    }
  }

  static List<String> arguments(Site site, Scenario scenario, int round, long seed) {
    List<String> arguments = new ArrayList<>();
    arguments.add(site.tested().toString());
    arguments.add(site.ledger().toString());
    arguments.add(Integer.toString(round));
    arguments.add(Long.toString(seed));
    arguments.addAll(scenario.arguments());
    return arguments;
  }

  /** Arguments as {@link #arguments} makes them. */
  public static void main(String[] args) throws IOException {
    Site site = new Site(Path.of(args[0]), Path.of(args[1]));
    int round = Integer.parseInt(args[2]);
    Scenario scenario = Scenario.of(Arrays.asList(args).subList(4, args.length));
    try {
      Files.createFile(site.opening(round));
      long started = TimeSource.system().nanoTime();
      Workload workload = new Workload(site, scenario, round, Long.parseLong(args[3]));
      Openings.note(site.opened(round), started);
      workload.start();
      Files.createFile(site.ready(round));
    } catch (Throwable e) {
      fail("start", e);
    }
    ChildProcess.endWithParent();
  }

  private static void fail(String who, Throwable e) {
    LOG.error("{} failed", who, e);
    Runtime.getRuntime().halt(FAILED);
  }

  /** One of the process's threads. */
  interface Work {
    /** Does a little. */
    void step() throws Exception;
  }

  private void start() {
    for (int i = 0; i < scenario.publishers(); i++) {
      run("publisher-" + i, publishing(i));
    }
    for (int i = 0; i < subscribers.size(); i++) {
      Subscriber<byte[]> subscriber = subscribers.get(i);
      Journal journal = new Journal(site.subscribed(round, i));
      Consuming consuming = new Consuming(subscriber, journal, scenario);
      if (!Scenario.acknowledges(i)) {
        run(subscriber.name(), consuming::takePlain);
      } else {
        for (int j = 0; j < CONSUMERS; j++) {
          SplittableRandom random = new SplittableRandom(seed + 100L * i + j + 100);
          run(subscriber.name() + "-" + j, () -> consuming.takeAndAck(random));
        }
      }
    }
  }

  private Work publishing(int publisher) {
    Publishing publishing =
        new Publishing(
            queue.publisher(),
            new Journal(site.published(round, publisher)),
            scenario,
            number -> Content.id(round, publisher, number),
            new SplittableRandom(seed + publisher));
    return () -> {
      awaitConsumers();
      publishing.some();
    };
  }

  private void awaitConsumers() {
    for (Subscriber<byte[]> subscriber : subscribers) {
      while (subscriber.stats().lag() > MAX_LAG) {
        TimeSource.system().park(this, PAUSE_NANOS);
        if (scenario.faulty()) {
          return; // it may never get on
        }
      }
    }
  }

  private void run(String name, Work work) {
    new MonitoredThread(
            name,
            () -> {
              while (true) {
                try {
                  work.step();
                } catch (Throwable e) {
                  if (!scenario.faulty()) {
                    fail(name, e);
                  }
                  LOG.warn("{} failed, as may be here", name, e);
                  TimeSource.system().park(this, PAUSE_NANOS);
                }
              }
            })
        .start();
  }
}
