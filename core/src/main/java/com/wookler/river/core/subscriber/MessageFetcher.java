package com.wookler.river.core.subscriber;

import com.wookler.river.ack.Ledger;
import com.wookler.river.common.RateLimit;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.KeyedHash;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.EntryBuffer;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the messages that a subscriber is given next: first those to be delivered again, then new
 * ones, from the backups while its position is before the log, and from the log. Guarded by the
 * subscriber's lock.
 */
final class MessageFetcher<M> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MessageFetcher.class);
  private static final long SECOND = TimeUnit.SECONDS.toMillis(1);
  private static final int FIRST_CAPACITY = 64;
  // how many messages that wait for their keys are read at most before others have the lock
  private static final int READ_AHEAD = 1024;
  // the same, for hidden messages that are passed over, which cost a tenth of that
  private static final int PASS_AHEAD = 8 * READ_AHEAD;

  private final DeliveryOwner<M> owner;
  private final StoredMessage.Maker<MessageDelivery<M>> maker;
  private final BlockLog log;
  private final Ledger ledger;
  private final LogReader reader;
  private final MessageFinder finder;
  private final RemovedMessages removed;
  private final Backlog backlog;
  private final String name;
  private final boolean ackRequired;
  private final boolean skipsExhausted;
  private final boolean passesPostponed;
  private final @Nullable KeyedHash keys; // null in the order of sequences
  private final Expiry expiry;
  private final TimeSource time;
  private @Nullable RateLimit rate; // null: none
  private @Nullable Terms readTerms; // of the message that was read last
  private final String who;
  private final @Nullable PastReader past;
  private final Queue<MessageDelivery<M>> returned = new ArrayDeque<>();
  private int passable = 1; // hidden messages that are passed over at once
  private boolean inPast; // whether its position may lie before the log
  private Stop stop = Stop.END;
  private long taken;

  /** Why a take has delivered nothing. */
  enum Stop {
    END, // every published message was looked at
    FULL, // the window or the limit of messages in flight is reached, until one is completed
    RATE, // the subscriber's rate is reached, for as long as nanosUntilRate says
    STUCK, // the next message has expired and cannot be kept now, until housekeeping tries again
    // many messages wait for their keys, or until they are due; the next take continues after them
    READ_AHEAD
  }

  /** One way to take messages from it. */
  @FunctionalInterface
  interface Taking<M, T> {
    /** Takes; null if there is nothing. */
    @Nullable T from(MessageFetcher<M> fetcher, long nowMillis);
  }

  MessageFetcher(
      DeliveryOwner<M> owner,
      SubscriberConfig config,
      SubscriberContext<M> context,
      Ledger ledger) {
    this.owner = owner;
    this.maker =
        (sequence, micros, data, key, headers, terms) -> {
          readTerms = terms;
          return MessageDelivery.of(owner, sequence, micros, data, key, headers, terms);
        };
    this.expiry = new Expiry(context, config);
    this.log = context.log();
    this.ledger = ledger;
    this.reader = log.reader();
    this.past =
        context.backup() == null ? null : new PastReader(context.backup(), log, context.salvage());
    this.finder = new MessageFinder(context, past);
    this.removed = new RemovedMessages(log, ledger);
    this.backlog = new Backlog(log, ledger, finder);
    this.name = config.name();
    this.who = "Queue " + context.queue() + ", subscriber " + config.name();
    this.inPast = past != null;
    this.ackRequired = config.ackRequired();
    this.keys = config.order() == Order.KEY ? KeyedHash.of(UUID.randomUUID()) : null;
    this.skipsExhausted = keys == null && ackRequired && config.maxDeliveries() > 0;
    this.passesPostponed = keys == null && ledger.recovery().delayed() > 0;
    this.time = context.time();
    this.rate = RateLimit.of(config.maxRate(), config.maxBytesRate(), time, null);
  }

  void reconfigure(SubscriberConfig to) {
    expiry.reconfigure(to);
    rate = RateLimit.of(to.maxRate(), to.maxBytesRate(), time, rate);
  }

  private boolean mayTake() {
    if (rate == null || rate.nanosUntilNext() == 0) {
      return true;
    }
    stop = Stop.RATE;
    return false;
  }

  boolean hasRate() {
    return rate != null;
  }

  /** Returns how long the rate lets nothing be delivered; 0: something may be now. */
  long nanosUntilRate() {
    return rate == null ? 0 : rate.nanosUntilNext();
  }

  /** Notes that a consumer does not get a message, so that it counts in no rate. */
  void uncount(MessageDelivery<M> delivery) {
    if (rate != null) {
      rate.giveBack(delivery.bytes().length);
    }
  }

  /**
   * Delivers up to {@code max} messages; null if it delivers none, as {@link #stop} says. Throws a
   * {@code DamagedMessageException}, and delivers nothing, if the first of them is damaged.
   */
  @Nullable List<Delivery<M>> take(int max, long nowMillis) {
    collectTimedOut(nowMillis);
    Delivery<M> first = mayTake() ? poll(nowMillis) : null;
    if (first == null) {
      return null;
    }
    List<Delivery<M>> taken = max == 1 ? List.of(first) : listFrom(first, max, nowMillis);
    ledger.writeDelivered();
    return taken;
  }

  private List<Delivery<M>> listFrom(Delivery<M> first, int max, long nowMillis) {
    List<Delivery<M>> taken = new ArrayList<>(Math.min(max, FIRST_CAPACITY));
    for (Delivery<M> next = first; next != null; next = pollAfter(nowMillis)) {
      taken.add(next);
      if (taken.size() == max || !mayTake()) {
        break;
      }
    }
    return taken;
  }

  /** Delivers the next message, as {@link #take} does. */
  @Nullable Delivery<M> takeOne(long nowMillis) {
    collectTimedOut(nowMillis);
    Delivery<M> one = mayTake() ? poll(nowMillis) : null;
    if (one != null) {
      ledger.writeDelivered();
    }
    return one;
  }

  /**
   * Delivers up to {@code max} messages, and no more than a chunk has space for; null if it
   * delivers none, as {@link #stop} says. Throws as {@link #take} does.
   */
  @Nullable DeliveryChunk<M> take(DeliveryChunk<M> to, int max, long nowMillis) {
    collectTimedOut(nowMillis);
    to.clear(second(nowMillis));
    int most = Math.min(max, DeliveryChunk.MAX);
    boolean more = mayTake() && addNext(to, nowMillis);
    while (more && to.size() < most && mayTake()) {
      try {
        more = addNext(to, nowMillis);
      } catch (RiverException | InternalError e) {
        break; // what was delivered comes first
      }
    }
    if (to.size() > 0) {
      ledger.writeDelivered();
      return to;
    }
    return null;
  }

  /** Delivers one more into a chunk: what is plain and new without an object of its own. */
  private boolean addNext(DeliveryChunk<M> to, long nowMillis) {
    while (isNextNew(nowMillis)) {
      EntryBuffer buffer = to.buffer();
      EntryBuffer.Added added = addPlain(buffer);
      if (added == EntryBuffer.Added.FULL) {
        return false;
      }
      if (added == EntryBuffer.Added.NONE) {
        break;
      }
      long position = ledger.position();
      if (!expiry.isOver(buffer.micros(), null)) {
        to.add(position, ledger.deliverNext(position, reader.location(), nowMillis));
        taken++;
        return true;
      }
      if (!expiry.keep(to.removeUnadded(position))) {
        break;
      }
      ledger.skip(position + 1);
    }
    MessageDelivery<M> other = poll(nowMillis);
    if (other != null) {
      to.add(other);
    }
    return other != null;
  }

  /** Returns whether the next is a message of the log that no earlier one precedes. */
  private boolean isNextNew(long nowMillis) {
    return !inPast
        && keys == null
        && rate == null
        && returned.isEmpty()
        && !expiry.isStuck()
        && ledger.canDeliver()
        && ledger.nextReady() < 0
        && !log.removed().contains(ledger.position())
        && !(skipsExhausted && ledger.skipExhausted())
        && !(passesPostponed && ledger.skipPostponed(nowMillis));
  }

  private EntryBuffer.Added addPlain(EntryBuffer buffer) {
    reader.moveTo(ledger.position());
    try {
      return reader.next(buffer);
    } catch (DamagedException e) {
      return EntryBuffer.Added.NONE; // the poll that follows meets it again
    }
  }

  /**
   * Takes back what was delivered without acknowledgement and did not reach the consumer; it comes
   * first the next time. A move of the position or a closing drops it: it counts as completed.
   */
  void giveBack(MessageDelivery<M> delivery) {
    returned.add(delivery);
    uncount(delivery);
    taken--;
  }

  private void collectTimedOut(long nowMillis) {
    if (ackRequired) {
      ledger.collectTimedOut(nowMillis);
    }
  }

  /** Delivers one more, and leaves any failure to the next call: what was delivered comes first. */
  private @Nullable Delivery<M> pollAfter(long nowMillis) {
    try {
      return poll(nowMillis);
    } catch (RiverException | InternalError e) {
      return null;
    }
  }

  private @Nullable MessageDelivery<M> poll(long nowMillis) {
    MessageDelivery<M> found = find(nowMillis);
    if (rate != null && found != null) {
      rate.took(found.bytes().length);
    }
    return found;
  }

  private @Nullable MessageDelivery<M> find(long nowMillis) {
    MessageDelivery<M> back = returned.poll();
    while (back != null && removed.has(back.place(), back.terms())) {
      removed.completed();
      back = returned.poll();
    }
    if (back != null) {
      taken++;
      return back;
    }
    if (ackRequired) {
      MessageDelivery<M> again = redeliver(nowMillis);
      if (again != null) {
        return again;
      }
    }
    int left = READ_AHEAD;
    int passes = PASS_AHEAD;
    while (!expiry.isStuck() && ledger.canDeliver()) {
      if (removed.passNext()
          || (skipsExhausted && ledger.skipExhausted())
          || (passesPostponed && ledger.skipPostponed(nowMillis))) {
        continue;
      }
      MessageDelivery<M> before = inPast ? readPast() : null;
      MessageDelivery<M> delivery = before == null && !inPast ? read() : before;
      if (delivery == null) {
        stop = ledger.canDeliver() ? Stop.END : Stop.FULL;
        return null;
      }
      long position = ledger.position();
      if (Terms.isHidden(readTerms)) {
        passes -= passHidden(position, before == null);
        if (passes <= 0) {
          stop = Stop.READ_AHEAD;
          return null;
        }
        continue;
      }
      if (DeadLetter.isForAnother(delivery.headers(), name)) {
        ledger.skip(position + 1);
        continue;
      }
      if (removed.has(position, readTerms)) { // or the delayed message of which it is a copy
        ledger.skip(position + 1);
        removed.completed();
        continue;
      }
      if (expiry.isOver(delivery.publishedMicros(), readTerms)) {
        if (expiry.keep(delivery.stored())) {
          ledger.skip(position + 1);
        }
        continue;
      }
      long location = before == null ? reader.location() : PastReader.LOCATION;
      long tag;
      if (keys == null) {
        tag = ledger.deliverNext(position, location, nowMillis);
      } else {
        tag = ledger.deliver(position, location, keyOf(delivery.key()), nowMillis);
        if (tag == Ledger.NOT_NOW) {
          if (--left == 0) {
            stop = Stop.READ_AHEAD;
            return null;
          }
          continue;
        }
      }
      delivery.delivered(tag, second(nowMillis));
      taken++;
      return delivery;
    }
    stop = expiry.isStuck() ? Stop.STUCK : Stop.FULL;
    return null;
  }

  RemovedMessages removed() {
    return removed;
  }

  /**
   * Passes over a delayed or erased message and those that follow it in the log: of each run of
   * them, twice as many as the time before, so that little is read in vain where the window ends
   * before.
   *
   * @return how many messages it has looked at
   */
  private int passHidden(long position, boolean inLog) {
    long end = position + 1;
    if (inLog) {
      end = reader.passHidden(passable);
    }
    passable = ledger.skip(end) >= end ? Math.min(2 * passable, PASS_AHEAD) : 1;
    return (int) (end - position);
  }

  /** Returns why the last take delivered nothing, if it did not. */
  Stop stop() {
    return stop;
  }

  /** Returns whether it delivers with order by key. */
  boolean isByKey() {
    return keys != null;
  }

  /**
   * Returns the ledger's hash of a key; {@link Ledger#NO_KEY} without one or in the order of
   * sequences. It differs in each run, so that colliding keys cannot be chosen. Any thread.
   */
  long keyOf(@Nullable String key) {
    if (key == null || keys == null) {
      return Ledger.NO_KEY;
    }
    long hash = keys.of(key);
    return hash == Ledger.NO_KEY ? 1 : hash;
  }

  private @Nullable MessageDelivery<M> redeliver(long nowMillis) {
    for (long again = ledger.nextReady(); again >= 0; again = ledger.nextReady()) {
      StoredMessage message = log.removed().contains(again) ? null : readAgain(again);
      if (message == null || removed.has(again, message.terms())) {
        if (ledger.complete(again)) { // what is lost is completed already
          removed.completed();
        }
        continue;
      }
      if (!expiry.isOver(message.publishedMicros(), message.terms())) {
        MessageDelivery<M> delivery = MessageDelivery.of(owner, message);
        delivery.delivered(ledger.redeliver(again, nowMillis), second(nowMillis));
        taken++;
        return delivery;
      }
      if (expiry.isStuck() || !expiry.keep(message)) {
        return null;
      }
      ledger.complete(again);
    }
    return null;
  }

  Expiry expiry() {
    return expiry;
  }

  MessageFinder finder() {
    return finder;
  }

  /** Notes that the position was moved, perhaps to before the log. */
  void moved() {
    returned.clear();
    inPast = past != null;
  }

  /** Returns the message at the ledger's position out of a backup; null once that is in the log. */
  private @Nullable MessageDelivery<M> readPast() {
    PastReader from = Objects.requireNonNull(past);
    while (true) {
      long position = ledger.position();
      long first = log.firstSequence();
      if (position >= first) {
        from.forget();
        inPast = false;
        return null;
      }
      long end;
      try {
        StoredMessage message = from.next(position);
        if (message != null && message.sequence() == position) {
          readTerms = message.terms();
          return MessageDelivery.of(owner, message);
        }
        // what is before it was lost before its block was archived
        end = message == null ? endOfHole(from, position, first) : message.sequence();
      } catch (DamagedException e) {
        end = finder.passOver(position);
        if (end == position) {
          throw e;
        }
      }
      if (ledger.skip(end) < end || !ledger.canDeliver()) {
        return null; // until something below is completed
      }
    }
  }

  private long endOfHole(PastReader from, long position, long first) {
    long end = Math.min(first, log.gaps().endOf(position));
    if (end == position) { // nothing has reported it
      end = Math.min(first, from.sequenceAfter(position).orElse(first));
      LOG.warn(
          "{}: damaged: sequences {} to {} are neither in a backup nor in the log any more",
          who,
          position,
          end - 1);
    }
    return end;
  }

  /** Returns the message, for a further delivery; null if it is lost, which completes it. */
  private @Nullable StoredMessage readAgain(long sequence) {
    try {
      long location = ledger.address(sequence);
      return keys != null && ledger.attempts(sequence) == 0
          ? finder.find(sequence, location) // it waited for its key
          : finder.findDelivered(sequence, location);
    } catch (DamagedException e) {
      if (finder.passOver(sequence) == sequence) {
        throw e;
      }
      ledger.complete(sequence);
      return null;
    }
  }

  /** Returns the message at the ledger's position, skipping what is lost. */
  private @Nullable MessageDelivery<M> read() {
    while (true) {
      long position = ledger.position();
      reader.moveTo(position);
      try {
        return reader.next(maker);
      } catch (DamagedException e) {
        long end = finder.passOver(position);
        if (end == position) {
          throw e;
        }
        if (ledger.skip(end) < end || !ledger.canDeliver()) {
          return null; // until something below is completed
        }
      }
    }
  }

  Backlog backlog() {
    return backlog;
  }

  /** Returns how many messages were delivered so far. */
  long taken() {
    return taken;
  }

  private static int second(long nowMillis) {
    return (int) (nowMillis / SECOND);
  }

  /** Returns whether a further take would find something now. */
  boolean hasMore() {
    return !expiry.isStuck() && hasMoreInLedger();
  }

  private boolean hasMoreInLedger() {
    return !returned.isEmpty()
        || ledger.nextReady() >= 0
        || (ledger.canDeliver() && ledger.position() < log.nextSequence());
  }

  /** Closes the files of a block that is completed. */
  void leave(int block) {
    reader.leave(block);
    finder.leave(block);
  }

  @Override
  public void close() {
    reader.close();
    finder.close();
  }
}
