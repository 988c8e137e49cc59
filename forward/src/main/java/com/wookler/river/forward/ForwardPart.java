package com.wookler.river.forward;

import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.QueueExtension;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.Transfer;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Expiries;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.transfer.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** What a queue transfers to others, and its place among those that take messages. Thread-safe. */
final class ForwardPart implements QueueExtension.Part {
  private final Path directory;
  private final OpenQueues.Slot slot; // others find it once the queue runs
  private final ExpiryTransfers expired;
  private final Forwards forwards;
  private final Redrives redrives;
  private final LetterTransfers dead;

  ForwardPart(QueueExtension.Context queue) {
    Endpoint own = queue.own();
    Settings settings = queue.settings().get();
    directory = own.base().resolve(own.queue());
    slot =
        new OpenQueues.Slot(
            new OpenQueue(
                own.log(),
                queue.target(),
                () -> forwards().transfersTo(), // the slot is found only after that
                () -> queue.settings().get().get(QueueOptions.DURABILITY)));
    expired =
        new ExpiryTransfers(own, () -> queue.settings().get().find(QueueOptions.EXPIRY_QUEUE));
    Expiries expiries = new Expiries(maxAgeMicros(settings), 1, expired);
    dead = new LetterTransfers(own);
    redrives = new Redrives(own, queue.deadLetters(), queue.workers());
    forwards =
        new Forwards(
            new Forward.Source(own, expiries, queue.passOver()),
            configs(settings.get(QueueOptions.FORWARD), queue.given()),
            queue.expiryQueues(),
            settings.get(QueueOptions.FANOUT_ONLY),
            queue.workers()); // one each: a full target delays no other
  }

  /** Returns how to forward to each target, by its name. */
  private static Map<String, ForwardConfig> configs(
      List<String> targets, List<QueueExtension.Setting> given) {
    Map<String, ForwardConfig> all = new LinkedHashMap<>();
    targets.forEach(target -> all.put(target, ForwardConfig.to(target).build()));
    for (QueueExtension.Setting each : given) {
      if (each instanceof ForwardConfig config) {
        all.put(config.target(), config);
      }
    }
    return all;
  }

  private static long maxAgeMicros(Settings settings) {
    Duration age = settings.get(QueueOptions.MAX_AGE);
    return age.isZero() ? Long.MAX_VALUE : TimeUnit.MICROSECONDS.convert(age);
  }

  Forwards forwards() {
    return forwards;
  }

  Redrives redrives() {
    return redrives;
  }

  @Override
  public void refuseCycle(List<String> expiryQueues) {
    forwards.refuseCycle(expiryQueues);
  }

  @Override
  public void start() {
    OpenQueues.add(directory, slot);
    forwards.start();
    redrives.start();
  }

  @Override
  public void stop() {
    try {
      redrives.stop();
      forwards.stop();
    } finally {
      OpenQueues.remove(directory, slot);
    }
  }

  @Override
  public void close() {
    try {
      forwards.close();
    } finally {
      slot.end();
    }
  }

  @Override
  public boolean keep(StoredMessage message, SubscriberConfig subscriber) {
    return expired.keep(message, subscriber);
  }

  @Override
  public void force(String subscriber) {
    expired.force(subscriber);
  }

  @Override
  public List<Transfer> transfers() {
    return forwards.transfers();
  }

  @Override
  public void transfer(String subscriber, DeadLetters<?> letters, String target) {
    dead.transfer(subscriber, letters, target);
  }

  @Override
  public OptionalLong lower(OptionalLong lowWatermark) {
    return forwards.lower(lowWatermark);
  }

  @Override
  public boolean havePassed(long sequence) {
    return forwards.havePassed(sequence);
  }

  @Override
  public void discard(long end) {
    forwards.discard(end);
  }

  @Override
  public long discarded() {
    return forwards.discarded();
  }

  @Override
  public void leave(int block) {
    forwards.leave(block);
  }
}
