package com.wookler.river.forward;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Interrupts;
import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueExtension;
import com.wookler.river.core.Transfer;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.QueueClosedException;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards the messages of a queue to others, and keeps in its log what these have not got, also
 * those that are no longer configured.
 *
 * <p>Targets are configured, by {@code queue.forward} and {@link ForwardConfig}, or added while the
 * queue runs, and then kept on disk until they are removed. Thread-safe.
 */
public final class Forwards {
  private static final Logger LOG = LoggerFactory.getLogger(Forwards.class);
  private static final Duration INTERVAL = Duration.ofMillis(20);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Held while targets are checked and added, so that two queues cannot make a cycle. */
  private static final ReentrantLock CYCLES = new ReentrantLock();

  private final Forward.Source source;
  private final Endpoint from;
  private final Map<String, ForwardConfig> configured;
  private final Supplier<List<String>> expiryQueues;
  private final boolean only; // the queue is for them alone, without subscribers
  private final Path positions;
  private final Supplier<WorkerPool.Serial> workers;
  private final List<Forward> all = new CopyOnWriteArrayList<>(); // changed under the lock
  private final BackgroundTask task = new BackgroundTask(new Step());
  private final ReentrantLock changing = new ReentrantLock(); // taken before CYCLES

  @GuardedBy("changing")
  private boolean running;

  private volatile boolean stopped; // written under the lock

  /**
   * Returns the forwards of a queue that runs.
   *
   * @throws QueueClosedException it does not run
   */
  public static Forwards of(MessageQueue<?> queue) {
    return queue.part(ForwardPart.class).orElseThrow().forwards();
  }

  /**
   * Looks up how far it has forwarded; a new target begins where its settings say. {@code
   * expiryQueues} returns those of the queue and its subscribers, and {@code workers} makes serial
   * executors on the workers, of which each target has one.
   */
  Forwards(
      Forward.Source source,
      Map<String, ForwardConfig> configured,
      Supplier<List<String>> expiryQueues,
      boolean only,
      Supplier<WorkerPool.Serial> workers) {
    this.source = source;
    this.from = source.queue();
    this.configured = Map.copyOf(configured);
    this.expiryQueues = expiryQueues;
    this.only = only;
    this.positions = source.positions();
    this.workers = workers;
    try {
      Set<String> queues = new LinkedHashSet<>(configured.keySet());
      queues.addAll(ForwardPosition.targets(positions));
      for (String target : queues) {
        all.add(opened(target));
      }
    } catch (IOException e) {
      close();
      throw cannot("read how far it has forwarded", e);
    }
  }

  private RiverException cannot(String doing, IOException cause) {
    return new RiverException("queue " + from.queue() + ": cannot " + doing, cause);
  }

  private Forward opened(String target) throws IOException {
    ForwardConfig config = configured.get(target);
    ForwardPosition at = known(target);
    if (config != null) {
      if (at == null || at.options() != null) {
        at = at == null ? begin(config, null) : at.with(null);
        at.write(positions, from.identity(), target);
      }
      return new Forward(source, config, at, workers.get(), "");
    }
    Map<String, String> options = at == null ? null : at.options();
    String idle = "queue.forward does not name it";
    ForwardPosition kept = at == null ? unknown() : at;
    try {
      if (options != null) {
        config = ForwardConfig.to(target).settings(ForwardOptions.TABLE.restore(options)).build();
        return new Forward(source, config, kept, workers.get(), "");
      }
    } catch (RiverException | IllegalArgumentException e) {
      idle = "its settings cannot be read: " + e.getMessage();
    }
    LOG.warn(
        "Queue {}: nothing is forwarded to {}: {}; what that has not got stays, from sequence {} on."
            + " Forwards.remove gives it up",
        from.queue(),
        target,
        idle,
        kept.position());
    return new Forward(source, ForwardConfig.to(target).build(), kept, null, idle);
  }

  /** Returns what is known of a target; null if it is new. */
  private @Nullable ForwardPosition known(String target) throws IOException {
    if (!Files.exists(ForwardPosition.file(positions, target))) {
      return null;
    }
    try {
      return ForwardPosition.read(positions, from.identity(), target);
    } catch (DamagedException e) {
      LOG.warn("Queue {}: {}; the queue {} says what it has", from.queue(), e.getMessage(), target);
      return unknown();
    }
  }

  /** Returns the position of a target that is asked for what it has. */
  private ForwardPosition unknown() {
    return new ForwardPosition(from.log().firstSequence(), true, null);
  }

  private ForwardPosition begin(ForwardConfig config, @Nullable Map<String, String> options) {
    try (LogReader lookup = from.log().reader()) {
      long start = Positions.resolve(config.start(), from.log(), null, lookup);
      return new ForwardPosition(start, false, options);
    }
  }

  /** Begins to forward, unless it would come back; the queue is known to others by now. */
  void start() {
    changing.lock();
    try {
      running = true;
      refuseCycle(transfersTo());
      if (!targets().isEmpty()) {
        task.start();
      }
    } finally {
      changing.unlock();
    }
  }

  /** Returns the names of the queues to which it forwards. */
  List<String> targets() {
    return all.stream().filter(Forward::isActive).map(Forward::target).toList();
  }

  /** Returns the names of the queues to which it forwards, or that take what expires. */
  List<String> transfersTo() {
    return Stream.concat(targets().stream(), expiryQueues.get().stream()).distinct().toList();
  }

  /** Refuses queues to which messages are to be transferred, if they would come back. */
  void refuseCycle(List<String> queues) {
    CYCLES.lock();
    try {
      refuseCycles(queues, new ArrayList<>(List.of(from.queue())));
    } finally {
      CYCLES.unlock();
    }
  }

  /** Refuses cycles of the queues that are open: the last one of a cycle finds it. */
  private void refuseCycles(List<String> queues, List<String> way) {
    for (String to : queues) {
      if (to.equals(from.queue())) {
        throw new ConfigurationException(
            "queue %s: what it forwards, or what expires in it, comes back to it, through %s → %s"
                .formatted(from.queue(), String.join(" → ", way), to));
      }
      if (!way.contains(to)) {
        List<String> onwards = new ArrayList<>();
        OpenQueues.use(from.base().resolve(to), queue -> onwards.addAll(queue.transfersTo().get()));
        way.add(to);
        refuseCycles(onwards, way);
        way.remove(way.size() - 1);
      }
    }
  }

  /**
   * Forwards to one more queue, from where the settings say, until {@link #remove}; it is on the
   * device when this returns. A target that has been left out of {@code queue.forward} continues
   * where it was. What the target has of this queue it does not get again.
   *
   * @throws ConfigurationException the queue forwards to it already, or what it forwards would come
   *     back, or it is no queue's name
   */
  public void add(ForwardConfig config) {
    QueueExtension.checkOther(from.queue(), "the forward", config.target());
    Interrupts.deferred(
        () -> {
          changing.lock();
          try {
            ensureRunning();
            added(config);
          } finally {
            changing.unlock();
          }
          return true;
        });
  }

  @GuardedBy("changing")
  private void added(ForwardConfig config) {
    Forward before = null;
    for (Forward each : all) {
      if (each.target().equalsIgnoreCase(config.target())) {
        if (each.isActive() || !each.target().equals(config.target())) {
          throw new ConfigurationException(
              "queue %s forwards to %s already".formatted(from.queue(), each.target()));
        }
        before = each;
      }
    }
    CYCLES.lock();
    try {
      refuseCycles(List.of(config.target()), new ArrayList<>(List.of(from.queue())));
      Map<String, String> options = ForwardOptions.texts(config);
      ForwardPosition at =
          before == null ? begin(config, options) : before.position().with(options);
      at.write(positions, from.identity(), config.target());
      all.add(new Forward(source, config, at, workers.get(), "")); // first: what it needs stays
      if (before != null) {
        all.remove(before);
        before.close(false);
      }
    } catch (IOException e) {
      throw cannot("keep the forward to " + config.target(), e);
    } finally {
      CYCLES.unlock();
    }
    task.start();
    LOG.info("Queue {}: it forwards {} now", from.queue(), config);
  }

  @GuardedBy("changing")
  private void ensureRunning() {
    if (!running || stopped) {
      throw closed();
    }
  }

  private QueueClosedException closed() {
    return new QueueClosedException("queue " + from.queue() + " is closed");
  }

  /**
   * Gives an added target other settings but for the start, which count for what was not passed
   * yet; they are on the device when this returns. What one filter refused another does not bring
   * back, but after a kill for up to a second before it.
   *
   * @throws ConfigurationException the target was not added
   */
  public void change(ForwardConfig config) {
    Interrupts.deferred(
        () -> {
          changing.lock();
          try {
            ensureRunning();
            change(find(config.target(), "change it there"), config);
          } finally {
            changing.unlock();
          }
          return true;
        });
  }

  private void change(@Nullable Forward forward, ForwardConfig config) {
    if (forward == null || !forward.isActive()) {
      throw new ConfigurationException(
          "queue %s does not forward to %s; add it".formatted(from.queue(), config.target()));
    }
    try {
      forward.become(config.startingAt(forward.config().start()));
    } catch (IOException e) {
      throw cannot("keep the forward to " + config.target(), e);
    }
  }

  /** Returns the forward to a target that is not configured; null if there is none. */
  private @Nullable Forward find(String target, String instead) {
    if (configured.containsKey(target)) {
      throw new ConfigurationException(
          "queue.forward of queue %s names %s: %s".formatted(from.queue(), target, instead));
    }
    return all.stream().filter(each -> each.target().equals(target)).findFirst().orElse(null);
  }

  /** Returns how it forwards to each target, configured or added. */
  public List<ForwardConfig> configs() {
    return all.stream().filter(Forward::isActive).map(Forward::config).toList();
  }

  /** Returns whether a target is configured, so that it cannot be changed or removed here. */
  public boolean isConfigured(String target) {
    return configured.containsKey(target);
  }

  /**
   * Waits until targets hold all messages up to one that they are to have, as durable as their own
   * publishes are ({@code queue.durability}); has forced what is to be forced for that. A delayed
   * message counts where it was published: its copy is forwarded when it is due.
   *
   * @param targets their names; none: all that are configured or added now
   * @return whether they do; false after the timeout, or if the thread is interrupted, whose flag
   *     stays set
   * @throws ConfigurationException the queue does not forward to one of them
   * @throws QueueClosedException the queue is closed meanwhile
   */
  public boolean await(long sequence, Duration timeout, String... targets) {
    hurry(sequence, targets);
    long started = from.time().nanoTime();
    long longest = TimeUnit.NANOSECONDS.convert(timeout); // saturated
    while (!hold(sequence, targets)) {
      long left = longest - (from.time().nanoTime() - started);
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      from.time().park(this, Math.min(left, LOOK_NANOS));
    }
    return true;
  }

  /** Has what is up to a message forced and forwarded soon; see {@link #await}. */
  public void hurry(long sequence, String... targets) {
    chosen(targets).forEach(each -> each.hurry(sequence));
  }

  /** Returns whether targets hold all messages up to one now; see {@link #await}. */
  public boolean hold(long sequence, String... targets) {
    boolean all = true;
    for (Forward each : chosen(targets)) {
      all &= each.holds(sequence); // has each of them continue
    }
    if (stopped && !all) {
      throw closed();
    }
    return all;
  }

  private List<Forward> chosen(String... targets) {
    List<String> names = List.of(targets);
    List<Forward> active = all.stream().filter(Forward::isActive).toList();
    for (String name : names) {
      if (active.stream().noneMatch(each -> each.target().equals(name))) {
        throw new ConfigurationException(
            "queue %s does not forward to %s".formatted(from.queue(), name));
      }
    }
    return names.isEmpty()
        ? active
        : active.stream().filter(each -> names.contains(each.target())).toList();
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

  /** Returns the same in the form of all transfers of a queue. */
  List<Transfer> transfers() {
    return all.stream().<Transfer>map(each -> each::transferStats).toList();
  }

  /**
   * Ends a forward that was added, or to a target that is no longer configured, and gives up what
   * that has not got; it is on the device when this returns. Returns whether there was one.
   *
   * @throws ConfigurationException {@code queue.forward} names it
   */
  public boolean remove(String target) {
    Objects.requireNonNull(target, "target");
    return Interrupts.deferred(
        () -> {
          changing.lock();
          try {
            ensureRunning();
            return removed(target);
          } finally {
            changing.unlock();
          }
        });
  }

  @GuardedBy("changing")
  private boolean removed(String target) {
    Forward forward = find(target, "take it out there");
    if (forward == null) {
      return false;
    }
    forward.close(false);
    all.remove(forward);
    try {
      if (Files.deleteIfExists(ForwardPosition.file(positions, target))) {
        DurableFiles.forceDirectory(positions);
      }
    } catch (IOException e) {
      throw cannot("remove the forward to " + target, e);
    }
    return true;
  }

  /** Closes a block that leaves the log. */
  void leave(int block) {
    all.forEach(forward -> forward.leave(block));
  }

  /** Ends the background work. */
  void stop() {
    changing.lock();
    try {
      stopped = true;
      task.stop();
    } finally {
      changing.unlock();
    }
    all.forEach(Forward::stop);
  }

  void close() {
    all.forEach(each -> each.close(true));
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
