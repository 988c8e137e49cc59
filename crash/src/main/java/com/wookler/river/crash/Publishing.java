package com.wookler.river.crash;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.crash.Journal.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.LongUnaryOperator;

/** One publishing thread: alone or in batches, at one level or the other, waiting or not. */
final class Publishing {
  private static final int STEPS = 16;
  private static final int BATCH = 40;
  private static final int FORCE_ONE_OF = 50;
  private static final int UNDER_WAY = 32;

  private final Publisher<byte[]> publisher;
  private final Journal journal;
  private final Scenario scenario;
  private final LongUnaryOperator ids;
  private final SplittableRandom random;
  private final Semaphore underWay = new Semaphore(UNDER_WAY);
  private long number;

  Publishing(
      Publisher<byte[]> publisher,
      Journal journal,
      Scenario scenario,
      LongUnaryOperator ids,
      SplittableRandom random) {
    this.publisher = publisher;
    this.journal = journal;
    this.scenario = scenario;
    this.ids = ids;
    this.random = random;
  }

  /** A few publishes. */
  void some() {
    for (int i = 0; i < STEPS; i++) {
      int count = random.nextInt(4) == 0 ? 1 + random.nextInt(BATCH) : 1;
      List<Message<byte[]>> batch = new ArrayList<>(count);
      for (int j = 0; j < count; j++) {
        batch.add(Content.message(ids.applyAsLong(number + j), scenario.largest()));
      }
      Durability level = level();
      long first = number;
      number += count;
      journal.append(Kind.INTENT, first, count, level == Durability.DISK ? 1 : 0);
      if (random.nextInt(3) == 0) {
        publishAsync(batch, level, first);
      } else {
        publish(batch, level, first);
      }
    }
  }

  private Durability level() {
    return switch (scenario.level()) {
      case MEMORY -> Durability.MEMORY;
      case DISK -> Durability.DISK;
      case MIXED -> random.nextInt(FORCE_ONE_OF) == 0 ? Durability.DISK : Durability.MEMORY;
    };
  }

  private void publish(List<Message<byte[]>> batch, Durability level, long first) {
    PublishResult result;
    try {
      result =
          batch.size() == 1 ? publisher.put(batch.get(0), level) : publisher.putAll(batch, level);
    } catch (Throwable e) {
      journal.append(failed(e), first, batch.size(), 0);
      throw e;
    }
    journal.append(Kind.PUBLISHED, first, batch.size(), result.sequence());
  }

  private void publishAsync(List<Message<byte[]>> batch, Durability level, long first) {
    underWay.acquireUninterruptibly();
    try {
      CompletableFuture<?> unused =
          publisher
              .putAsync(batch, level)
              .whenComplete(
                  (result, e) -> {
                    if (e == null) {
                      journal.append(Kind.PUBLISHED, first, batch.size(), result.sequence());
                    } else {
                      journal.append(failed(e), first, batch.size(), 0);
                    }
                    underWay.release();
                  });
    } catch (Throwable e) {
      journal.append(failed(e), first, batch.size(), 0);
      underWay.release();
      throw e;
    }
  }

  /** These say that nothing was stored; after any other it is there or not. */
  private static Kind failed(Throwable e) {
    return e instanceof QueueClosedException
            || e instanceof QueueFullException
            || e instanceof MessageTooLargeException
        ? Kind.REFUSED
        : Kind.FAILED;
  }
}
