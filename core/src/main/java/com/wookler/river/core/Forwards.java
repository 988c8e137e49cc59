package com.wookler.river.core;

import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.TaskShare;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.forward.ForwardPosition;
import com.wookler.river.core.message.DamagedMessageException;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues to which a queue forwards, and those to which it did and is not done: what they have
 * not got stays in its log. Thread-safe.
 */
final class Forwards implements ManagedTask, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Forwards.class);
  private static final Duration INTERVAL = Duration.ofMillis(20);
  private static final int ROUNDS = 32; // then other queues have their turn

  private final QueueConfig<?> config;
  private final Path directory;
  private final List<Forward> all = new CopyOnWriteArrayList<>();
  private final List<Line> lines = new ArrayList<>(); // of those that are configured
  private @Nullable TaskShare tasks; // of the opening and the closing thread
  private volatile boolean stopped;

  /** Says where a log goes on behind what is lost; the same sequence where it cannot. */
  @FunctionalInterface
  interface PassOver {
    long from(long sequence);
  }

  /** A forward, and where its work is done. */
  private record Line(Forward forward, WorkerPool.Serial worker, AtomicBoolean working) {}

  /** Looks up how far it has forwarded; a new one begins with the oldest message of the log. */
  Forwards(Forward.Source source, Supplier<WorkerPool.Serial> workers) {
    this.config = source.config();
    this.directory = source.directory().forwards();
    try {
      Set<String> targets = new LinkedHashSet<>(config.get(QueueOptions.FORWARD));
      targets.addAll(ForwardPosition.targets(directory));
      for (String target : targets) {
        Forward forward = new Forward(source, target, position(source, target));
        all.add(forward);
        if (config.get(QueueOptions.FORWARD).contains(target)) {
          lines.add(new Line(forward, workers.get(), new AtomicBoolean()));
        } else {
          forward.rests("queue.forward does not name it");
          LOG.warn(
              "Queue {}: queue.forward does not name {} any more; what that has not got stays, from"
                  + " sequence {} on. MessageQueue.removeForward gives it up",
              config.name(),
              target,
              forward.floor());
        }
      }
    } catch (IOException e) {
      close();
      throw new RiverException(
          "queue " + config.name() + ": cannot read how far it has forwarded", e);
    }
  }

  private long position(Forward.Source source, String target) throws IOException {
    long first = source.log().firstSequence();
    if (Files.exists(ForwardPosition.file(directory, target))) {
      try {
        return ForwardPosition.read(directory, source.directory().identity(), target);
      } catch (DamagedMessageException e) {
        LOG.warn(
            "Queue {}: {}; the queue {} says what it has", config.name(), e.getMessage(), target);
      }
    }
    ForwardPosition.write(directory, source.directory().identity(), target, first);
    return first;
  }

  /**
   * Begins to forward; the queue is known to others by now.
   *
   * @throws ConfigurationException what it forwards would come back to it
   */
  void start() {
    if (lines.isEmpty()) {
      return;
    }
    refuseCycles(config.get(QueueOptions.FORWARD), new ArrayList<>(List.of(config.name())));
    TaskShare share = TaskShare.acquire();
    tasks = share;
    share.manager().add(this);
  }

  /** Of the queues that are open: the last one of a circle finds it. */
  private void refuseCycles(List<String> queues, List<String> way) {
    for (String to : queues) {
      if (to.equals(config.name())) {
        throw new ConfigurationException(
            "queue "
                + config.name()
                + ": what it forwards comes back to it, through "
                + String.join(" → ", way)
                + " → "
                + to);
      }
      if (!way.contains(to)) {
        List<String> onwards = new ArrayList<>();
        OpenQueues.use(config.directory().resolve(to), queue -> onwards.addAll(queue.forwardsTo()));
        way.add(to);
        refuseCycles(onwards, way);
        way.remove(way.size() - 1);
      }
    }
  }

  @Override
  public String name() {
    return "FORWARD-" + config.name();
  }

  @Override
  public Duration interval() {
    return INTERVAL;
  }

  @Override
  public boolean step() {
    for (Line line : lines) {
      if (line.forward().isDue() && line.working().compareAndSet(false, true)) {
        line.worker().execute(() -> work(line));
      }
    }
    return false;
  }

  private void work(Line line) {
    boolean more = true;
    try {
      for (int i = 0; i < ROUNDS && more; i++) {
        more = !stopped && line.forward().work();
      }
    } catch (RuntimeException e) {
      more = false;
      LOG.warn("Queue {}: cannot forward to {}", config.name(), line.forward().target(), e);
    } finally {
      line.working().set(more);
    }
    if (more) {
      line.worker().execute(() -> work(line));
    }
  }

  /** The lowest of this sequence and those that have still to be forwarded. */
  OptionalLong lower(OptionalLong floor) {
    if (all.isEmpty() || (floor.isEmpty() && !config.get(QueueOptions.FANOUT_ONLY))) {
      return floor; // without subscribers everything stays, unless the queue is there for nobody
    }
    long lowest = floor.orElse(Long.MAX_VALUE);
    for (Forward forward : all) {
      lowest = Math.min(lowest, forward.floor());
    }
    return OptionalLong.of(lowest);
  }

  /** Whether all below this sequence is forwarded. */
  boolean havePassed(long sequence) {
    return all.stream().allMatch(forward -> forward.floor() >= sequence);
  }

  /** Gives up what is below a sequence. */
  void discard(long end) {
    all.forEach(forward -> forward.discard(end));
  }

  /** Messages that were given up since the queue was opened. */
  long discarded() {
    return all.stream().mapToLong(Forward::discarded).sum();
  }

  /**
   * Refuses subscribers of a queue that has none.
   *
   * @throws ConfigurationException it is there for forwarding alone
   */
  void refuseSubscribers(String who) {
    if (config.get(QueueOptions.FANOUT_ONLY)) {
      throw new ConfigurationException(
          "queue "
              + config.name()
              + " has queue.fanout.only: "
              + who
              + " cannot subscribe to it; subscribe to "
              + String.join(", ", config.get(QueueOptions.FORWARD)));
    }
  }

  List<String> queues() {
    return config.get(QueueOptions.FORWARD);
  }

  List<ForwardStats> stats() {
    return all.stream().map(Forward::stats).toList();
  }

  /** Gives up what a queue has not got that is not forwarded to any more. */
  boolean remove(String target) {
    if (config.get(QueueOptions.FORWARD).contains(target)) {
      throw new ConfigurationException(
          "queue " + config.name() + " forwards to " + target + ": take it out of queue.forward");
    }
    for (Forward forward : all) {
      if (forward.target().equals(target)) {
        forward.close();
        all.remove(forward);
        try {
          Files.deleteIfExists(ForwardPosition.file(directory, target));
        } catch (IOException e) {
          throw new RiverException(
              "queue " + config.name() + ": cannot remove the forward to " + target, e);
        }
        return true;
      }
    }
    return false;
  }

  /** Lets go of a block that leaves the log. */
  void leave(int block) {
    all.forEach(forward -> forward.leave(block));
  }

  /** Ends what goes on by itself. */
  void stop() {
    stopped = true;
    TaskShare share = tasks;
    if (share != null) {
      share.manager().remove(this);
      share.close();
      tasks = null;
    }
    lines.forEach(line -> line.worker().drain());
  }

  @Override
  public void close() {
    all.forEach(Forward::close);
  }
}
