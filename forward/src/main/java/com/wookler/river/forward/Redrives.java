package com.wookler.river.forward;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Interrupts;
import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.Micros;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.counters.AbstractMeasure;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Gauge;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.CounterSet;
import com.wookler.river.core.Constants;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueExtension;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.transfer.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Redrives dead letters of a queue's subscribers in the background, with progress, by filter, to
 * another queue: each letter once, whatever is killed or closed in between. A redrive continues
 * when the queue is opened again. Thread-safe.
 */
public final class Redrives {
  private static final Logger LOG = LoggerFactory.getLogger(Redrives.class);
  private static final Duration INTERVAL = Duration.ofMillis(50);
  private static final int ROUNDS = 16; // then other queues have their turn
  private static final int MOST_OVER = 16; // that are kept

  private final Endpoint from;
  private final Function<String, @Nullable DeadLetters<?>> deadLetters;
  private final Supplier<WorkerPool.Serial> workers;
  private final List<RedriveJob> all = new CopyOnWriteArrayList<>(); // in the order of their starts
  private final AtomicBoolean working = new AtomicBoolean();
  private final AtomicLong redriven = new AtomicLong(); // letters, since it was opened
  private final CounterSet counters = new CounterSet();
  private final BackgroundTask task = new BackgroundTask(new Step());
  private final ReentrantLock changing = new ReentrantLock();

  @GuardedBy("changing")
  private boolean running;

  private volatile WorkerPool.@Nullable Serial worker; // written under the lock
  private volatile boolean stopped;

  /**
   * Returns the redrives of a queue that runs.
   *
   * @throws QueueClosedException it does not run
   */
  public static Redrives of(MessageQueue<?> queue) {
    return queue.part(ForwardPart.class).orElseThrow().redrives();
  }

  Redrives(
      Endpoint from,
      Function<String, @Nullable DeadLetters<?>> deadLetters,
      Supplier<WorkerPool.Serial> workers) {
    this.from = from;
    this.deadLetters = deadLetters;
    this.workers = workers;
    try {
      RedriveFile.all(from.directory()).stream()
          .map(this::read)
          .flatMap(Optional::stream)
          .sorted(Comparator.comparing(RedriveFile::started))
          .forEach(file -> all.add(new RedriveJob(from, deadLetters, file, true)));
    } catch (IOException e) {
      throw new RiverException("queue " + from.queue() + ": cannot read its redrives", e);
    }
  }

  /** Returns the files that keep redrives, in the directory of a queue, open or not. */
  public static List<Path> files(Path queue) throws IOException {
    return RedriveFile.all(queue);
  }

  /**
   * Reads such a file.
   *
   * @throws DamagedException it is not what was written, or another queue's
   */
  public static void verify(Path file, UUID queue) throws IOException {
    RedriveFile unused = RedriveFile.read(file, queue);
  }

  private Optional<RedriveFile> read(Path file) {
    try {
      return Optional.of(RedriveFile.read(file, from.identity()));
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Queue {}: {} cannot be read, so that this redrive does not continue; start it anew: of"
              + " what it moved last, up to {} letters may then come twice: {}",
          from.queue(),
          file,
          RedriveJob.STEP,
          e.getMessage());
      return Optional.empty();
    }
  }

  /** Continues what was not over. */
  void start() {
    changing.lock();
    try {
      running = true;
      figure("redrives", Gauge.class, () -> all.stream().filter(each -> !each.isOver()).count());
      figure("redriven", Count.class, redriven::get);
      if (!all.stream().allMatch(RedriveJob::isOver)) {
        startTask();
      }
    } finally {
      changing.unlock();
    }
  }

  private void figure(String name, Class<? extends AbstractMeasure> type, LongSupplier value) {
    Map<String, String> labels = Map.of(Constants.MONITOR_LABEL_QUEUE, from.queue());
    counters.derived(Constants.MONITOR_NAMESPACE, name, labels, type, value);
  }

  @GuardedBy("changing")
  private void startTask() {
    if (worker == null) {
      worker = workers.get();
    }
    task.start();
  }

  /**
   * Starts to redrive the letters that are here now; it is kept on disk, and continues until it is
   * done or cancelled. Letters that are redriven by hand or purged meanwhile it does not move.
   *
   * @return its beginning, with the id
   * @throws ConfigurationException the subscriber or the target is not open, the target is this
   *     queue, a redrive of these letters is not over, or the filter is none
   */
  public RedriveStatus start(Redrive redrive) {
    if (redrive.filter() != null) {
      FilterExpression unused = FilterExpression.parse(redrive.filter());
    }
    if (redrive.target() != null && redrive.target().equalsIgnoreCase(from.queue())) {
      throw new ConfigurationException(
          "queue %s: the redrive is to the queue itself, whose other subscribers would have the"
                  .formatted(from.queue())
              + " messages twice; without a target it is for the subscriber "
              + redrive.subscriber()
              + " only");
    } else if (redrive.target() != null) {
      QueueExtension.checkOther(from.queue(), "the redrive", redrive.target());
    }
    return Interrupts.deferred(
        () -> {
          changing.lock();
          try {
            return started(redrive);
          } finally {
            changing.unlock();
          }
        });
  }

  @GuardedBy("changing")
  private RedriveStatus started(Redrive redrive) {
    if (!running || stopped) {
      throw new QueueClosedException("queue " + from.queue() + " is closed");
    }
    String who = "queue " + from.queue() + ", subscriber " + redrive.subscriber();
    DeadLetters<?> letters = deadLetters.apply(redrive.subscriber());
    if (letters == null) {
      throw new ConfigurationException(who + " is not open: nothing can be redriven");
    }
    for (RedriveJob each : all) {
      if (!each.isOver() && each.file().redrive().subscriber().equals(redrive.subscriber())) {
        throw new ConfigurationException(
            who + ": redrive " + each.file().id() + " is not over; cancel it, or wait");
      }
    }
    long total = letters.size();
    long end = letters.forcedEnd();
    RedriveFile file =
        RedriveFile.start(redrive, Micros.toInstant(from.time().epochMicros()), total, end);
    RedriveJob job = new RedriveJob(from, deadLetters, file, false);
    if (!job.isTargetOpen()) {
      throw new ConfigurationException(
          who + ": the queue " + redrive.target() + " is not open: nothing can be redriven to it");
    }
    job.begin();
    all.add(job);
    forgetOld();
    startTask();
    return job.status();
  }

  @GuardedBy("changing")
  private void forgetOld() {
    List<RedriveJob> over = all.stream().filter(RedriveJob::isOver).toList();
    for (RedriveJob each : over.subList(0, Math.max(0, over.size() - MOST_OVER))) {
      try {
        Files.deleteIfExists(each.file().file(from.directory()));
        all.remove(each);
      } catch (IOException e) {
        LOG.warn("Queue {}: cannot delete the file of an earlier redrive", from.queue(), e);
      }
    }
  }

  /** Returns the redrives that are not over, and the last ones that are, in their order. */
  public List<RedriveStatus> list() {
    return all.stream().map(RedriveJob::status).toList();
  }

  /** Returns a redrive by its id; empty if it is not known. */
  public Optional<RedriveStatus> find(String id) {
    return job(id).map(RedriveJob::status);
  }

  private Optional<RedriveJob> job(String id) {
    return all.stream().filter(each -> each.file().id().toString().equals(id)).findFirst();
  }

  /**
   * Cancels a redrive: no further letter is moved, and what was moved stays so. One that a crash
   * has interrupted first completes its last step. Returns whether it was there and not over.
   */
  public boolean cancel(String id) {
    Optional<RedriveJob> job = job(id);
    return job.isPresent() && Interrupts.deferred(job.get()::cancel);
  }

  private void run() {
    boolean more = false;
    try {
      for (int i = 0; i < ROUNDS && (more || i == 0) && !stopped; i++) {
        more = false;
        for (RedriveJob each : all) {
          long before = each.file().moved();
          more |= !stopped && each.step();
          redriven.addAndGet(each.file().moved() - before);
        }
      }
    } catch (RuntimeException e) {
      LOG.warn("Queue {}: cannot redrive; trying again", from.queue(), e);
    } finally {
      working.set(false); // the task continues
    }
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
    WorkerPool.Serial own = worker;
    if (own != null) {
      own.drain();
    }
    counters.close();
  }

  private final class Step implements ManagedTask {
    @Override
    public String name() {
      return "REDRIVE-" + from.queue();
    }

    @Override
    public Duration interval() {
      return INTERVAL;
    }

    @Override
    public boolean step() {
      WorkerPool.Serial own = worker;
      if (own != null
          && !all.stream().allMatch(RedriveJob::isOver)
          && working.compareAndSet(false, true)) {
        own.execute(Redrives.this::run);
      }
      return false;
    }
  }
}
