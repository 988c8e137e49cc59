package com.wookler.river.core.subscriber;

import static java.time.temporal.ChronoUnit.MICROS;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.Ledger;
import com.wookler.river.common.Leases;
import com.wookler.river.common.Waiters;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.common.utils.Require;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.StoredMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The front of a subscriber: {@link Consumers} poll and wait, {@link Poller} takes messages, {@link
 * AckHandler} and {@link ReceiptHandler} acknowledge them, {@link Peeker} looks without taking,
 * {@link Maintenance} does what is due by time, and this class moves, pauses and closes; all over
 * one {@link SubscriberState}. Created by the queue only.
 */
public final class DurableSubscriber<M> implements Subscriber<M>, ForceOrder.AfterExpired {
  private static final long LEAST_USE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final SubscriberContext<M> context;
  private final String name;
  private final BlockLog log;
  private final Consumer<DurableSubscriber<M>> onClose;
  private final SubscriberState<M> state;
  private final DeadLettering<M> deadLettering;
  private final Maintenance<M> maintenance;
  private final DeliveryOwner<M> deliveries;
  private final @Nullable FilterStage<M> filter;
  private final AckHandler<M> ackHandler;
  private final ReceiptHandler<M> receiptHandler;
  private final Receipts receipts;
  private final Peeker<M> peeker;
  private final Consumers<M> own; // those that poll without the name of an owner
  private final Map<String, Consumers<M>> owned; // by their owners
  private final String owner; // who polls here; empty: no name was given
  private final ContinuationOrigin continuationOrigin;
  private final ReentrantLock closing; // taken before the state's

  private final class Owner implements DeliveryOwner<M> {
    @Override
    public String queueName() {
      return context.queue();
    }

    @Override
    public MessageConverter<M> converter() {
      return context.converter();
    }

    @Override
    public Receipts receipts() {
      return receipts;
    }

    @Override
    public ReceiptMemory memory() {
      return state.memory;
    }

    @Override
    public void ack(MessageDelivery<M> delivery) {
      ackHandler.ack(delivery);
    }

    @Override
    public void nack(MessageDelivery<M> delivery, Duration delay) {
      ackHandler.retry(delivery, delay);
    }

    @Override
    public void nack(MessageDelivery<M> delivery) {
      ackHandler.retry(delivery);
    }

    @Override
    public void nack(MessageDelivery<M> delivery, @Nullable Duration delay, String reason) {
      ackHandler.retry(delivery, delay, reason);
    }

    @Override
    public void fail(MessageDelivery<M> delivery, Throwable cause) {
      ackHandler.fail(delivery, cause);
    }

    @Override
    public @Nullable String failure(long place, int attempt) {
      return state.failures.before(place, attempt);
    }

    @Override
    public void reject(MessageDelivery<M> delivery, String reason) {
      ackHandler.reject(delivery, reason);
    }

    @Override
    public void reject(MessageDelivery<M> delivery, String reason, Throwable cause) {
      ackHandler.reject(delivery, reason, cause);
    }

    @Override
    public void release(MessageDelivery<M> delivery) {
      ackHandler.release(delivery);
    }

    @Override
    public <T> boolean ackAndPublish(
        MessageDelivery<M> delivery, ContinuationTarget<T> target, List<Message<T>> messages) {
      Continuation<T> continuation = new Continuation<>(target, messages);
      ackHandler.ackAfter(delivery, () -> continuation.publish(delivery.place()));
      return continuation.stored;
    }

    @Override
    public void extend(MessageDelivery<M> delivery, Duration time) {
      ackHandler.extend(delivery, time);
    }
  }

  /** The messages that continue one of this subscriber's. */
  private final class Continuation<T> {
    private final ContinuationTarget<T> target;
    private final List<Message<T>> messages;
    private boolean stored;

    Continuation(ContinuationTarget<T> target, List<Message<T>> messages) {
      this.target = Objects.requireNonNull(target, "target");
      this.messages = Objects.requireNonNull(messages, "messages");
    }

    /**
     * Publishes them once the log has forced what they continue: its sequence is not used again.
     */
    void publish(long place) {
      if (log.forcedEnd() <= place) {
        log.commits().await(place + 1);
      }
      ForwardOrigin origin = new ForwardOrigin(continuationOrigin.get(), place);
      stored = target.publishContinuation(origin, state.lowWatermark(), messages);
    }
  }

  /**
   * Opens it with a ledger of its own, closed with it. {@code onClose} is called once, after it was
   * closed, without a lock; it must close the dead letters and call {@link #end}.
   */
  public DurableSubscriber(
      SubscriberContext<M> context,
      SubscriberConfig config,
      Ledger ledger,
      SubscriberCounters counters,
      DeadLetterStore<M> deadLetters,
      ContinuationOrigin continuationOrigin,
      Consumer<DurableSubscriber<M>> onClose) {
    this.owner = "";
    this.owned = new ConcurrentHashMap<>();
    this.closing = new ReentrantLock();
    this.deliveries = new Owner();
    this.context = context;
    this.name = config.name();
    this.log = context.log();
    this.onClose = onClose;
    this.continuationOrigin = continuationOrigin;
    this.state = new SubscriberState<>(deliveries, context, config, ledger, counters);
    this.deadLettering = new DeadLettering<>(state, deadLetters);
    this.maintenance = new Maintenance<>(state, deadLettering, context.log());
    this.ackHandler = new AckHandler<>(deliveries, state, deadLettering);
    this.filter =
        config.filter() == null
            ? null
            : new FilterStage<>(state.errors, ackHandler, config.filter());
    this.receipts =
        new Receipts(context.identity(), config.name(), UUID.randomUUID().getMostSignificantBits());
    this.receiptHandler = new ReceiptHandler<>(state, deadLettering, receipts);
    this.peeker = new Peeker<>(state, context, filter);
    this.own = newConsumers("");
  }

  /** Makes the same subscriber for polls by an owner; closing it only releases the lease. */
  private DurableSubscriber(DurableSubscriber<M> of, String owner) {
    this.owner = owner;
    this.context = of.context;
    this.name = of.name;
    this.log = of.log;
    this.onClose = of.onClose;
    this.continuationOrigin = of.continuationOrigin;
    this.state = of.state;
    this.deadLettering = of.deadLettering;
    this.maintenance = of.maintenance;
    this.deliveries = of.deliveries;
    this.filter = of.filter;
    this.ackHandler = of.ackHandler;
    this.receiptHandler = of.receiptHandler;
    this.receipts = of.receipts;
    this.peeker = of.peeker;
    this.own = of.own;
    this.owned = of.owned;
    this.closing = of.closing;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String origin() {
    return context.queue() + "-" + context.identity();
  }

  @Override
  public SubscriberConfig config() {
    return state.config;
  }

  /** Takes other settings, which differ in options that may change, unless it was closed. */
  public void reconfigure(SubscriberConfig to) {
    state.reconfigure(to);
  }

  /** Takes the status of the queue; consumers that wait look again. */
  public void become(QueueStatus status) {
    state.become(status);
    state.line.wakeAll();
  }

  /** The counters that it writes, for the queue to take them out of the report. */
  public SubscriberCounters counters() {
    return state.counters;
  }

  /**
   * Returns the consumers that poll here, for one call; without leases owners are all the same.
   * They are not forgotten before that call has ended.
   */
  private Consumers<M> consumers() {
    if (owner.isEmpty() || state.leases == null) {
      return own;
    }
    Consumers<M> found =
        owned.compute(owner, (by, has) -> (has == null ? newConsumers(by) : has).began());
    if (!state.isOpen()) {
      found.close(); // those that were closed with the subscriber may lack this one
    }
    return found;
  }

  private Consumers<M> newConsumers(String of) {
    Waiters.Line line = of.isEmpty() ? state.line : log.arrivals().line();
    Poller<M> poller = new Poller<>(state, deadLettering, filter, of, line);
    return new Consumers<>(deliveries, state, poller, line, ackHandler, !of.isEmpty());
  }

  @Override
  public Subscriber<M> consumer(String by) {
    if (Objects.requireNonNull(by, "owner").isEmpty()) {
      throw new IllegalArgumentException("the name of an owner is empty");
    }
    return new DurableSubscriber<>(this, by);
  }

  @Override
  public @Nullable Lease lease() {
    state.lock.lock();
    try {
      state.ensureOpen();
      Leases leases = state.leases;
      String has = leases == null ? null : leases.owner();
      return leases == null || has == null
          ? null
          : new Lease(has, Duration.ofNanos(leases.nanosLeft()));
    } finally {
      state.lock.unlock();
    }
  }

  @Override
  public boolean renewLease() {
    return consumers().renewLease();
  }

  @Override
  public void releaseLease() {
    state.lock.lock();
    try {
      if (state.leases == null || !state.leases.release(owner)) {
        return;
      }
    } finally {
      state.lock.unlock();
    }
    own.wake();
    owned.values().forEach(Consumers::wake);
  }

  @Override
  public @Nullable Delivery<M> next() {
    return consumers().next();
  }

  @Override
  public @Nullable Delivery<M> next(Duration timeout) throws InterruptedException {
    return consumers().next(timeout);
  }

  @Override
  public List<Delivery<M>> batch(int max, Duration timeout) throws InterruptedException {
    return consumers().batch(max, timeout);
  }

  @Override
  public int consume(int max, Duration timeout, ViewHandler handler) throws InterruptedException {
    return consumers().consume(max, timeout, handler);
  }

  @Override
  public CompletableFuture<List<Delivery<M>>> batchAsync(int max, Duration timeout) {
    return batchAsync(max, timeout, AsyncWaiters.FUTURES);
  }

  @Override
  public CompletableFuture<List<Delivery<M>>> batchAsync(
      int max, Duration timeout, Executor completer) {
    return consumers().batchAsync(max, timeout, completer);
  }

  @Override
  public List<Settled> settle(Collection<String> texts, Settlement action) {
    return receiptHandler.settle(
        Objects.requireNonNull(texts, "receipts"), Objects.requireNonNull(action, "action"));
  }

  @Override
  public <T> Settled ackAndPublish(
      String receipt, ContinuationTarget<T> target, List<Message<T>> messages) {
    Continuation<T> continuation = new Continuation<>(target, messages);
    return receiptHandler.ackAfter(
        Objects.requireNonNull(receipt, "receipt"), ackHandler, continuation::publish);
  }

  @Override
  public List<Delivery<M>> peek(int max) {
    return peek(max, Long.MAX_VALUE);
  }

  @Override
  public List<Delivery<M>> peek(int max, long maxBytes) {
    return peeker.peek(Require.positive(max, "max"), maxBytes);
  }

  /**
   * Returns messages that wait for a delivery, from a sequence on, as far as {@link #complete}
   * reaches; for a subscriber without filter and order by key.
   *
   * @param maxBytes of data after which no further one is read
   */
  public List<StoredMessage> waiting(long from, int max, long maxBytes) {
    return peeker.waiting(from, max, maxBytes);
  }

  /** Completes messages that wait for a delivery. */
  public void complete(Collection<Long> places) {
    boolean unused =
        state.changeIfOpen(
            () -> {
              places.forEach(this::complete);
              return true;
            });
  }

  @SuppressWarnings("GuardedBy") // called under the lock
  private void complete(long place) {
    state.ledger.complete(place);
  }

  @Override
  public void ack(Delivery<M> delivery) {
    ackHandler.ack(ackHandler.own(delivery));
  }

  @Override
  public void ackUpTo(Delivery<M> delivery) {
    ackHandler.ackUpTo(ackHandler.own(delivery));
  }

  @Override
  public void ack(Collection<Delivery<M>> deliveries) {
    ackHandler.ack(deliveries);
  }

  @Override
  public void seek(Position position) {
    Objects.requireNonNull(position, "position");
    context.removal().lock();
    try (LogReader lookup = log.reader()) {
      if (!isOpen()) { // before the log is read, which the queue closes after its subscribers
        throw state.errors.closed();
      }
      deadLettering.settleAll();
      state.moveTo(Positions.resolve(position, log, context.backup(), lookup));
      continuationOrigin.moved();
    } finally {
      context.removal().unlock();
    }
    state.announceToAll();
  }

  @Override
  public long purge() {
    long lag;
    context.removal().lock();
    try {
      lag = lag();
      deadLettering.settleAll();
      state.moveTo(log.nextSequence());
    } finally {
      context.removal().unlock();
    }
    state.announceToAll(); // what was published meanwhile woke no consumer if it was full
    return lag;
  }

  private long lag() {
    state.lock.lock();
    try {
      state.ensureOpen();
      state.discards.overLimits();
      return state.fetcher.backlog().lag();
    } finally {
      state.lock.unlock();
    }
  }

  @Override
  public void pause() {
    state.pause(true);
  }

  @Override
  public void resume() {
    state.pause(false);
    state.line.wakeAll();
  }

  @Override
  public DeadLetters<M> deadLetters() {
    return deadLettering.store().letters();
  }

  public DeadLetterStore<M> deadLetterStore() {
    return deadLettering.store();
  }

  /** Does what is due by time though no consumer polls; called by housekeeping. */
  public void runMaintenance() {
    deadLettering.dropLettersOverLimits();
    boolean mayBeDue = maintenance.run();
    own.runMaintenance(mayBeDue);
    if (!owned.isEmpty()) {
      owned.values().forEach(consumers -> consumers.runMaintenance(mayBeDue));
      forgetOwners();
    }
  }

  /**
   * Returns for how many nanoseconds {@link #runMaintenance} has nothing to do without a change.
   */
  public long nanosUntilDue() {
    return maintenance.nanosUntilDue();
  }

  /** Forgets the owners that neither have the lease nor have polled for as long as one lasts. */
  private void forgetOwners() {
    long nanos = Math.max(LEAST_USE_NANOS, 2 * config().lease().toNanos());
    for (String by : owned.keySet()) {
      owned.computeIfPresent( // no poll of this owner begins meanwhile
          by,
          (same, consumers) -> {
            if (consumers.isInUse(nanos)) {
              return consumers;
            }
            consumers.close();
            return null;
          });
    }
  }

  /** Returns how often something could be due, so that it was looked at; for tests. */
  long maintenanceRuns() {
    return maintenance.times();
  }

  @Override
  public boolean isFinished(long sequence) {
    state.lock.lock();
    try {
      state.ensureOpen();
      return state.ledger.isCompleted(sequence);
    } finally {
      state.lock.unlock();
    }
  }

  @Override
  public SubscriberStats stats() {
    state.lock.lock();
    try {
      state.ensureOpen();
      state.discards.overLimits();
      Ledger ledger = state.ledger;
      int letters = deadLettering.unfinished(); // once: a message with a letter is dead, and no lag
      return new SubscriberStats(
          Math.max(0, state.fetcher.backlog().lag() - letters),
          ledger.count(EntryState.IN_FLIGHT),
          ledger.lowWatermark(),
          age(state.fetcher.backlog().oldestMicros()),
          (int) (ledger.position() - ledger.lowWatermark()),
          (int) ledger.unfinished(),
          ledger.count(EntryState.WAITING),
          state.fetcher.taken() - state.acknowledgements.filtered(),
          state.acknowledgements.acked(),
          ledger.redelivered(),
          state.acknowledgements.dead() + letters,
          state.acknowledgements.deadDropped(),
          state.acknowledgements.filtered(),
          state.fetcher.expiry().expired(),
          state.discards.count(),
          state.fetcher.removed().count(),
          state.isPaused());
    } finally {
      state.lock.unlock();
    }
  }

  private Duration age(long micros) {
    return micros == Long.MAX_VALUE
        ? Duration.ZERO
        : Duration.of(Math.max(0, state.times.ageOf(micros)), MICROS);
  }

  /** Returns a number that each poll and each acknowledgement raises. */
  public long uses() {
    return state.uses();
  }

  /** Returns whether a consumer waits for messages, or has one whose time is not over. */
  public boolean isInUse() {
    return own.haveWaiters()
        || owned.values().stream().anyMatch(Consumers::haveWaiters)
        || state.hasInFlight();
  }

  /** Returns whether no caller has begun to close it. */
  public boolean isOpen() {
    return state.isOpen();
  }

  /** Returns the lowest sequence that it still needs; also after it was closed. */
  public long lowWatermark() {
    return state.lowWatermark();
  }

  /** Completes everything below a sequence, at most the log's end: the queue discards it. */
  public void discard(long end) {
    state.discards.below(end);
  }

  /** Returns whether it has not completed a message; also after it was closed. */
  public boolean isPending(long sequence) {
    return state.isPending(sequence);
  }

  /**
   * Stops delivering what was removed; returns whether a consumer has one of these messages, or has
   * had one since they were {@code pending}.
   */
  public boolean withdraw(SequenceRanges removed, SequenceRanges pending) {
    return state.withdraw(removed, pending);
  }

  /** Returns how many messages were discarded since it was opened; any thread. */
  public long discarded() {
    return state.discards.count();
  }

  /** Closes the files of a block that it has completed, so that they can be removed. */
  public void leave(int block) {
    state.leave(block);
  }

  @Override
  public boolean isUnforced() {
    return state.force.isUnforced();
  }

  /** Runs a task while nothing changes the files of its ledger; consumers wait for it. */
  public void whileStill(Runnable task) {
    state.lock.lock();
    try {
      state.ledger.whileStill(task);
    } finally {
      state.lock.unlock();
    }
  }

  @Override
  public void force() {
    long completed = deadLettering.completedEnd();
    state.force.forceAll();
    deadLettering.forced(completed);
  }

  @Override
  public void close() {
    if (!owner.isEmpty()) {
      releaseLease();
      return;
    }
    closing.lock(); // the caller that closes second must find it closed when this returns
    try {
      if (state.close()) {
        own.close();
        owned.values().forEach(Consumers::close);
        onClose.accept(this);
      }
    } finally {
      closing.unlock();
    }
  }

  /** Ends the ledger of a closed subscriber; the last that is done to it. */
  public void end() {
    state.end();
  }
}
