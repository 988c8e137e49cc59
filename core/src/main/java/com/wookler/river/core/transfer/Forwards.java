package com.wookler.river.core.transfer;

import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.subscriber.Expiries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards the messages of a queue to others, and keeps in its log what these have not got, also
 * those that are no longer configured. Thread-safe.
 */
public final class Forwards implements ManagedTask, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Forwards.class);
  private static final Duration INTERVAL = Duration.ofMillis(20);

  private final Endpoint from;
  private final Targets targets;
  private final Path positions;
  private final List<Forward> all = new CopyOnWriteArrayList<>();
  private @Nullable SharedTaskManager tasks; // of the opening and the closing thread

  /** The configured targets; {@code only}: the queue is for them alone, without subscribers. */
  public record Targets(List<String> names, boolean only) {}

  /**
   * Looks up how far it has forwarded; a new target begins with the oldest message of the log.
   * {@code workers} are serial executors on the workers, one for each configured target.
   */
  public Forwards(
      Endpoint from,
      Targets targets,
      Expiries expiries,
      LongUnaryOperator passOver,
      Supplier<WorkerPool.Serial> workers) {
    Forward.Source source = new Forward.Source(from, expiries, passOver);
    this.from = from;
    this.targets = targets;
    this.positions = source.positions();
    try {
      Set<String> queues = new LinkedHashSet<>(targets.names());
      queues.addAll(ForwardPosition.targets(positions));
      for (String target : queues) {
        boolean configured = targets.names().contains(target);
        Forward forward =
            new Forward(source, target, position(target), configured ? workers.get() : null);
        all.add(forward);
        if (!configured) {
          LOG.warn(
              "Queue {}: queue.forward does not name {} any more; what that has not got stays, from"
                  + " sequence {} on. MessageQueue.removeForward gives it up",
              from.queue(),
              target,
              forward.lowWatermark());
        }
      }
    } catch (IOException e) {
      close();
      throw new RiverException(
          "queue " + from.queue() + ": cannot read how far it has forwarded", e);
    }
  }

  private long position(String target) throws IOException {
    if (Files.exists(ForwardPosition.file(positions, target))) {
      try {
        return ForwardPosition.read(positions, from.identity(), target);
      } catch (DamagedException e) {
        LOG.warn(
            "Queue {}: {}; the queue {} says what it has", from.queue(), e.getMessage(), target);
      }
    }
    long first = from.log().firstSequence();
    ForwardPosition.write(positions, from.identity(), target, first);
    return first;
  }

  /** Begins to forward, unless it would come back; the queue is known to others by now. */
  public void start() {
    if (targets.names().isEmpty()) {
      return;
    }
    refuseCycles(targets.names(), new ArrayList<>(List.of(from.queue())));
    SharedTaskManager share = SharedTaskManager.acquire();
    tasks = share;
    share.manager().add(this);
  }

  /** Refuses cycles of the queues that are open: the last one of a cycle finds it. */
  private void refuseCycles(List<String> queues, List<String> way) {
    for (String to : queues) {
      if (to.equals(from.queue())) {
        throw new ConfigurationException(
            "queue %s: what it forwards comes back to it, through %s → %s"
                .formatted(from.queue(), String.join(" → ", way), to));
      }
      if (!way.contains(to)) {
        List<String> onwards = new ArrayList<>();
        OpenQueues.use(from.base().resolve(to), queue -> onwards.addAll(queue.forwardsTo()));
        way.add(to);
        refuseCycles(onwards, way);
        way.remove(way.size() - 1);
      }
    }
  }

  @Override
  public String name() {
    return "FORWARD-" + from.queue();
  }

  @Override
  public Duration interval() {
    return INTERVAL;
  }

  @Override
  public boolean step() {
    all.forEach(Forward::start);
    return false;
  }

  /** Returns the lowest of this sequence and those that have still to be forwarded. */
  public OptionalLong lower(OptionalLong lowWatermark) {
    if (all.isEmpty() || (lowWatermark.isEmpty() && !targets.only())) {
      return lowWatermark; // without subscribers everything stays, unless it only forwards
    }
    long lowest = lowWatermark.orElse(Long.MAX_VALUE);
    for (Forward forward : all) {
      lowest = Math.min(lowest, forward.lowWatermark());
    }
    return OptionalLong.of(lowest);
  }

  /** Returns whether all below this sequence is forwarded. */
  public boolean havePassed(long sequence) {
    return all.stream().allMatch(forward -> forward.lowWatermark() >= sequence);
  }

  /** Discards what is below a sequence. */
  public void discard(long end) {
    all.forEach(forward -> forward.discard(end));
  }

  /** Returns how many messages were discarded since the queue was opened. */
  public long discarded() {
    return all.stream().mapToLong(Forward::discarded).sum();
  }

  /** Refuses subscribers of a queue that is there for forwarding alone. */
  public void refuseSubscribers(String who) {
    if (targets.only()) {
      throw new ConfigurationException(
          "queue %s has queue.fanout.only: %s cannot subscribe to it; subscribe to %s"
              .formatted(from.queue(), who, String.join(", ", targets.names())));
    }
  }

  /** Returns the names of the configured targets. */
  public List<String> queues() {
    return targets.names();
  }

  /** Returns how far it has forwarded to each target. */
  public List<ForwardStats> stats() {
    return all.stream().map(Forward::stats).toList();
  }

  /** Discards what a former target has not got, and returns whether there was such a target. */
  public boolean remove(String target) {
    if (targets.names().contains(target)) {
      throw new ConfigurationException(
          "queue " + from.queue() + " forwards to " + target + ": take it out of queue.forward");
    }
    for (Forward forward : all) {
      if (forward.target().equals(target)) {
        forward.close();
        all.remove(forward);
        try {
          Files.deleteIfExists(ForwardPosition.file(positions, target));
        } catch (IOException e) {
          throw new RiverException(
              "queue " + from.queue() + ": cannot remove the forward to " + target, e);
        }
        return true;
      }
    }
    return false;
  }

  /** Closes a block that leaves the log. */
  public void leave(int block) {
    all.forEach(forward -> forward.leave(block));
  }

  /** Ends the background work. */
  public void stop() {
    SharedTaskManager share = tasks;
    if (share != null) {
      share.manager().remove(this);
      share.close();
      tasks = null;
    }
    all.forEach(Forward::stop);
  }

  @Override
  public void close() {
    all.forEach(Forward::close);
  }
}
