package com.wookler.river.core.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.crash.Journal.Entry;
import com.wookler.river.core.crash.Journal.Kind;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that is killed: publishes with 4 threads, consumes with 3, and writes into its
 * journals what it was promised. It never ends by itself; an error ends it with {@link #FAILED}.
 */
final class CrashChild {
  static final int FAILED = 9;

  private static final Logger LOG = LoggerFactory.getLogger(CrashChild.class);
  private static final Duration WAIT = Duration.ofMillis(50);
  private static final long MAX_LAG = 5_000;
  private static final int CHECK_LAG_EVERY = 16;
  private static final int BATCH = 40;
  private static final int LEAVE_ONE_OF = 200;
  private static final int FORCE_ONE_OF = 50;

  private final CrashSite site;
  private final int round;
  private final long seed;
  private final MessageQueue<byte[]> queue;
  private final Subscriber<byte[]> billing;
  private final Subscriber<byte[]> audit;

  private CrashChild(CrashSite site, int round, long seed) {
    this.site = site;
    this.round = round;
    this.seed = seed;
    this.queue = site.open(round);
    this.billing = queue.subscriber(CrashSite.billing());
    this.audit = queue.subscriber(CrashSite.audit());
  }

  /** Arguments: root directory, round, seed. */
  public static void main(String[] args) throws IOException {
    CrashSite site = new CrashSite(Path.of(args[0]));
    int round = Integer.parseInt(args[1]);
    try {
      new CrashChild(site, round, Long.parseLong(args[2])).start();
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

  private interface Body {
    void run() throws Exception;
  }

  private static void run(String name, Body body) {
    new MonitoredThread(
            name,
            () -> {
              try {
                body.run();
              } catch (Throwable e) {
                fail(name, e);
              }
            })
        .start();
  }

  private void start() throws IOException {
    Journal billed = new Journal(site.billing(round));
    Journal audited = new Journal(site.audit(round));
    for (int i = 0; i < CrashSite.PUBLISHERS; i++) {
      int publisher = i;
      Journal journal = new Journal(site.published(round, publisher));
      run("publisher-" + publisher, () -> publish(publisher, journal));
    }
    for (int i = 0; i < CrashSite.BILLING_CONSUMERS; i++) {
      SplittableRandom random = new SplittableRandom(seed + 100 + i);
      run("billing-" + i, () -> bill(random, billed));
    }
    run("audit", () -> audit(audited));
  }

  private void publish(int publisher, Journal journal) {
    SplittableRandom random = new SplittableRandom(seed + publisher);
    long number = 0;
    for (int i = 0; ; i++) {
      if (i % CHECK_LAG_EVERY == 0) {
        awaitConsumers();
      }
      int count = random.nextInt(4) == 0 ? 1 + random.nextInt(BATCH) : 1;
      journal.append(Kind.INTENT, number, count, 0);
      long first;
      if (count == 1) {
        byte[] content = Content.of(Content.id(round, publisher, number));
        first = publish(Message.of(content), random.nextInt(FORCE_ONE_OF));
      } else {
        List<byte[]> batch = new ArrayList<>();
        for (int j = 0; j < count; j++) {
          batch.add(Content.of(Content.id(round, publisher, number + j)));
        }
        first = queue.publisher().publishAll(batch);
      }
      journal.append(Kind.PUBLISHED, number, count, first);
      number += count;
    }
  }

  /** At one level or the other, waiting for it or for its future. */
  private long publish(Message<byte[]> message, int choice) {
    return switch (choice) {
      case 0 -> queue.publisher().publish(message, Durability.DISK);
      case 1 -> queue.publisher().publishAsync(message, Durability.DISK).join();
      default -> queue.publisher().publish(message);
    };
  }

  private void awaitConsumers() {
    while (billing.stats().lag() > MAX_LAG || audit.stats().lag() > MAX_LAG) {
      TimeSource.system().park(this, TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private void bill(SplittableRandom random, Journal journal) throws InterruptedException {
    while (true) {
      List<Delivery<byte[]>> deliveries = billing.batch(1 + random.nextInt(100), WAIT);
      if (deliveries.isEmpty()) {
        continue;
      }
      journal.append(delivered(deliveries));
      List<Delivery<byte[]>> due = new ArrayList<>();
      for (Delivery<byte[]> delivery : deliveries) {
        if (delivery.attempt() > 1 || random.nextInt(LEAVE_ONE_OF) > 0) {
          due.add(delivery);
        }
      }
      journal.append(entries(Kind.ACKING, due));
      try {
        if (random.nextBoolean()) {
          billing.ack(due);
          journal.append(entries(Kind.ACKED, due));
        } else {
          for (Delivery<byte[]> delivery : due) {
            delivery.ack();
            journal.append(Kind.ACKED, delivery.sequence(), delivery.attempt(), 0);
          }
        }
      } catch (StaleReceiptException e) {
        // one took too long on a busy machine: nothing is promised for the rest of them
      }
    }
  }

  private void audit(Journal journal) throws InterruptedException {
    while (true) {
      List<Delivery<byte[]>> deliveries = audit.batch(CrashSite.AUDIT_BATCH, WAIT);
      if (!deliveries.isEmpty()) {
        journal.append(delivered(deliveries));
      }
    }
  }

  static List<Entry> delivered(List<Delivery<byte[]>> deliveries) {
    List<Entry> entries = new ArrayList<>();
    for (Delivery<byte[]> delivery : deliveries) {
      long id = Content.check(delivery.data(), delivery.sequence());
      entries.add(new Entry(Kind.DELIVERED, delivery.sequence(), delivery.attempt(), id));
    }
    return entries;
  }

  static List<Entry> entries(Kind kind, List<Delivery<byte[]>> deliveries) {
    List<Entry> entries = new ArrayList<>();
    for (Delivery<byte[]> delivery : deliveries) {
      entries.add(new Entry(kind, delivery.sequence(), delivery.attempt(), 0));
    }
    return entries;
  }
}
