package com.wookler.river.forward;

import com.wookler.river.common.Interrupts;
import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.subscriber.Positions;
import com.wookler.river.core.transfer.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards the messages of a queue to others, and keeps in its log what these have not got, also
 * those that are no longer configured. Thread-safe.
 */
public final class Forwards {
  private static final Logger LOG = LoggerFactory.getLogger(Forwards.class);
  private static final Duration INTERVAL = Duration.ofMillis(20);

  private final Endpoint from;
  private final Set<String> targets;
  private final boolean only; // the queue is for them alone, without subscribers
  private final Path positions;
  private final List<Forward> all = new CopyOnWriteArrayList<>();
  private final ManagedTask step = new Step();
  private @Nullable SharedTaskManager tasks; // of the opening and the closing thread

  /**
   * Returns the forwards of a queue that runs.
   *
   * @throws com.wookler.river.core.message.QueueClosedException it does not run
   */
  public static Forwards of(MessageQueue<?> queue) {
    return queue.part(ForwardPart.class).orElseThrow().forwards();
  }

  /**
   * Looks up how far it has forwarded; a new target begins where its settings say. {@code workers}
   * are serial executors on the workers, one for each configured target.
   */
  Forwards(
      Forward.Source source,
      Map<String, ForwardConfig> targets,
      boolean only,
      Supplier<WorkerPool.Serial> workers) {
    this.from = source.queue();
    this.targets = targets.keySet();
    this.only = only;
    this.positions = source.positions();
    try {
      Set<String> queues = new LinkedHashSet<>(targets.keySet());
      queues.addAll(ForwardPosition.targets(positions));
      for (String target : queues) {
        ForwardConfig given = targets.get(target);
        boolean configured = given != null;
        ForwardConfig config = given == null ? ForwardConfig.to(target).build() : given;
        Forward forward =
            new Forward(source, config, position(config), configured ? workers.get() : null);
        all.add(forward);
        if (!configured) {
          LOG.warn(
              "Queue {}: queue.forward does not name {} any more; what that has not got stays, from"
                  + " sequence {} on. Forwards.remove gives it up",
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

  private ForwardPosition position(ForwardConfig config) throws IOException {
    String target = config.target();
    if (Files.exists(ForwardPosition.file(positions, target))) {
      try {
        return ForwardPosition.read(positions, from.identity(), target);
      } catch (DamagedException e) {
        LOG.warn(
            "Queue {}: {}; the queue {} says what it has", from.queue(), e.getMessage(), target);
      }
    }
    try (LogReader lookup = from.log().reader()) {
      long start = Positions.resolve(config.start(), from.log(), null, lookup);
      ForwardPosition begin = new ForwardPosition(start, false);
      begin.write(positions, from.identity(), target);
      return begin;
    }
  }

  /** Begins to forward, unless it would come back; the queue is known to others by now. */
  void start() {
    if (targets.isEmpty()) {
      return;
    }
    refuseCycles(List.copyOf(targets), new ArrayList<>(List.of(from.queue())));
    SharedTaskManager share = SharedTaskManager.acquire();
    tasks = share;
    share.manager().add(step);
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

  /** Returns the lowest of this sequence and those that have still to be forwarded. */
  OptionalLong lower(OptionalLong lowWatermark) {
    if (all.isEmpty() || (lowWatermark.isEmpty() && !only)) {
      return lowWatermark; // without subscribers everything stays, unless it only forwards
    }
    long lowest = lowWatermark.orElse(Long.MAX_VALUE);
    for (Forward forward : all) {
      lowest = Math.min(lowest, forward.lowWatermark());
    }
    return OptionalLong.of(lowest);
  }

  /** Returns whether all below this sequence is forwarded. */
  boolean havePassed(long sequence) {
    return all.stream().allMatch(forward -> forward.lowWatermark() >= sequence);
  }

  /** Discards what is below a sequence. */
  void discard(long end) {
    all.forEach(forward -> forward.discard(end));
  }

  /** Returns how many messages were discarded since the queue was opened. */
  long discarded() {
    return all.stream().mapToLong(Forward::discarded).sum();
  }

  /** Returns how far it has forwarded, also to targets that are no longer configured. */
  public List<ForwardStats> stats() {
    return all.stream().map(Forward::stats).toList();
  }

  /**
   * Discards what a target that is no longer configured has not got, and returns whether there was
   * such a target.
   *
   * @throws ConfigurationException {@code queue.forward} still names it
   */
  public boolean remove(String target) {
    Objects.requireNonNull(target, "target");
    return Interrupts.deferred(() -> removed(target));
  }

  private boolean removed(String target) {
    if (targets.contains(target)) {
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
  void leave(int block) {
    all.forEach(forward -> forward.leave(block));
  }

  /** Ends the background work. */
  void stop() {
    SharedTaskManager share = tasks;
    if (share != null) {
      share.manager().remove(step);
      share.close();
      tasks = null;
    }
    all.forEach(Forward::stop);
  }

  void close() {
    all.forEach(Forward::close);
  }

  /** Has the forwards continue, every 20 ms. */
  private final class Step implements ManagedTask {
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
  }
}
