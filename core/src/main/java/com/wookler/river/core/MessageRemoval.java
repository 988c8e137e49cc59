package com.wookler.river.core;

import com.wookler.river.common.Micros;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.removed.Removals;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.AfterLog;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.subscriber.DurableSubscriber;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Removes messages of a queue, so that no subscriber and no reader is given them: one by one, of a
 * key, in ranges, or the oldest.
 *
 * <p>Thread-safe: one removes at a time. The files are written on the flusher, where no thread is
 * interrupted.
 */
final class MessageRemoval implements AfterLog {
  private static final int COPIES_AFTER = 10_000; // messages among which a copy is looked for
  private static final long NOWHERE = -1;

  private final QueueConfig<?> config;
  private final boolean leavesEmpty; // whether blocks leave the log once nothing is left in them
  private final BlockLog log;
  private final Lookup lookup;
  private final Removals removals;
  private final Executor flusher;
  private final SubscriberRegistry<?> subscribers;
  private final ReentrantLock blocks;
  private final Delays delays;
  private final ReentrantLock changing = new ReentrantLock();

  /** What is to be removed, the answer unless a consumer has it, and who has not completed it. */
  private record Target(SequenceRanges sequences, CancelResult result, Pending pending) {
    Target(SequenceRanges sequences, CancelResult result) {
      this(sequences, result, new Pending());
    }
  }

  /** Which places subscribers had not completed when it was looked at them. */
  private static final class Pending {
    private final Map<DurableSubscriber<?>, List<SequenceRanges>> places = new HashMap<>();

    Pending at(long place, List<DurableSubscriber<?>> subscribers) {
      for (DurableSubscriber<?> each : subscribers) {
        places.computeIfAbsent(each, first -> new ArrayList<>()).add(SequenceRanges.of(place));
      }
      return this;
    }

    void add(Pending other) {
      other.places.forEach(
          (each, more) -> places.computeIfAbsent(each, first -> new ArrayList<>()).addAll(more));
    }

    SequenceRanges of(DurableSubscriber<?> subscriber) {
      return SequenceRanges.union(places.getOrDefault(subscriber, List.of()));
    }
  }

  /** Removes under the lock {@code blocks} what makes blocks leave the log. */
  MessageRemoval(
      QueueStorage storage,
      SubscriberRegistry<?> subscribers,
      ReentrantLock blocks,
      Delays delays) {
    this.config = storage.config;
    this.leavesEmpty = config.get(QueueOptions.COMPACT) && storage.backup == null;
    this.log = storage.log;
    this.lookup = storage.lookup;
    this.removals = storage.removals;
    this.flusher = storage.flusher;
    this.subscribers = subscribers;
    this.blocks = blocks;
    this.delays = delays;
  }

  /** See {@link MessageQueue#cancel}. */
  CancelResult cancel(long sequence) {
    changing.lock();
    try {
      long from = log.nextSequence();
      Target target = find(sequence);
      return target == null ? CancelResult.NOT_WAITING : remove(target, from);
    } finally {
      changing.unlock();
    }
  }

  /** What became of several messages, and how many were cancelled. */
  record Cancelled(CancelResult result, int messages) {}

  /** See {@link MessageQueue#cancelByKey}. */
  Cancelled cancelByKey(String key) {
    changing.lock();
    try {
      Set<Long> cancelled = new HashSet<>(); // by where they were published
      List<SequenceRanges> targets = new ArrayList<>();
      Pending pending = new Pending();
      boolean[] waits = {false};
      long first = log.firstSequence();
      long from = log.nextSequence();
      boolean delayed = delays.lowWatermark() < Long.MAX_VALUE; // whether it has had any
      boolean unused =
          lookup.scan(
              delayed ? first : Math.max(first, subscribers.needed()),
              message -> {
                boolean isMeant =
                    key.equals(message.key()) && (delayed || !Terms.isDelayed(message.terms()));
                Target target = isMeant ? target(message) : null;
                if (target != null) { // what is perhaps delivered may have been long ago
                  targets.add(target.sequences);
                  pending.add(target.pending);
                  cancelled.add(message.originalSequence());
                  waits[0] |= target.result == CancelResult.CANCELLED;
                }
              });
      if (delays.waitingBelow(first) > 0) {
        delays.scan(
            message -> {
              if (key.equals(message.key()) && !isRemoved(message)) {
                targets.add(SequenceRanges.of(message.sequence()));
                cancelled.add(message.sequence());
                waits[0] = true;
              }
            });
      }
      CancelResult result =
          remove(
              new Target(
                  SequenceRanges.union(targets),
                  waits[0] ? CancelResult.CANCELLED : CancelResult.NOT_WAITING,
                  pending),
              from);
      return new Cancelled(result, result == CancelResult.NOT_WAITING ? 0 : cancelled.size());
    } finally {
      changing.unlock();
    }
  }

  /** See {@link MessageQueue#replace}; {@code publish} appends what takes its place, for good. */
  ReplaceResult replace(long sequence, LongSupplier publish) {
    changing.lock();
    try {
      long from = log.nextSequence();
      Target target = find(sequence);
      if (target == null) {
        return new ReplaceResult(CancelResult.NOT_WAITING, NOWHERE);
      }
      onFlusher(() -> removals.replacing(sequence));
      long published;
      try {
        published = publish.getAsLong();
      } catch (Throwable e) {
        if (log.failure().isEmpty()) { // else it may be stored, as the next opening finds out
          onFlusher(() -> removals.kept(sequence));
        }
        throw e;
      }
      return new ReplaceResult(remove(target, from), published);
    } finally {
      changing.unlock();
    }
  }

  /** See {@link MessageQueue#delete}. */
  long delete(long from, long end) {
    changing.lock();
    try {
      long first = Math.max(from, lookup.first());
      long before = log.removed().count(first, end);
      return removeThere(SequenceRanges.between(from, end)).count(first, end) - before;
    } finally {
      changing.unlock();
    }
  }

  /** Removes what there may be of these: below all blocks, delayed messages only. Returns them. */
  private SequenceRanges removeThere(SequenceRanges sequences) {
    changing.lock();
    try {
      long next = log.nextSequence();
      long first = lookup.first();
      SequenceRanges there = sequences.within(delays.waitingBelow(first) > 0 ? 0 : first, next);
      CancelResult unused = remove(new Target(there, CancelResult.CANCELLED), next);
      return there;
    } finally {
      changing.unlock();
    }
  }

  /**
   * Deletes messages, whether they wait or not, and returns where each may be, with those of the
   * asked sequences that mean it: where it was published, and where a delayed one was appended
   * again, which all messages are searched for, once.
   */
  NavigableMap<Long, Set<Long>> deletePlaces(Collection<Long> sequences) {
    NavigableMap<Long, Set<Long>> places = new TreeMap<>();
    NavigableMap<Long, Set<Long>> delayed = new TreeMap<>(); // by where they were published
    for (long sequence : sequences) {
      StoredMessage message = readOrDamaged(sequence);
      long original = message == null ? sequence : message.originalSequence();
      boolean isDelayed =
          message == null || original != sequence || Terms.isHidden(message.terms());
      asked(isDelayed ? delayed : places, isDelayed ? original : sequence).add(sequence);
    }
    SequenceRanges unused = removeThere(union(places.keySet(), delayed.keySet()));
    if (delays.lowWatermark() == Long.MAX_VALUE) { // it has had none
      delayed.values().forEach(all -> all.forEach(each -> asked(places, each).add(each)));
    } else if (!delayed.isEmpty()) {
      findCopies(delayed, places);
      unused = removeThere(union(places.keySet(), delayed.keySet())); // the copies, too
      delayed.forEach((original, all) -> asked(places, original).addAll(all));
    }
    return places;
  }

  private static Set<Long> asked(Map<Long, Set<Long>> places, long place) {
    return places.computeIfAbsent(place, first -> new HashSet<>());
  }

  private static SequenceRanges union(Set<Long> some, Set<Long> others) {
    return SequenceRanges.of(
        Stream.concat(some.stream(), others.stream()).mapToLong(Long::longValue).toArray());
  }

  /** Adds where delayed messages were appended again; after they were deleted. */
  private void findCopies(NavigableMap<Long, Set<Long>> delayed, Map<Long, Set<Long>> places) {
    long unusedWaiting = delays.waiting(); // takes their lock: what was due before is appended
    boolean unusedDamage =
        lookup.scan(
            delayed.firstKey() + 1,
            found -> {
              Set<Long> meant = delayed.get(found.originalSequence());
              if (meant != null && found.sequence() != found.originalSequence()) {
                asked(places, found.sequence()).addAll(meant);
              }
            });
  }

  /** See {@link MessageQueue#trim}. */
  long trim(Trim trim) {
    changing.lock();
    blocks.lock();
    try {
      long first = log.firstSequence();
      long end = Math.min(endOf(trim), log.nextSequence());
      long from = log.nextSequence(); // before it is looked at what is delayed
      SequenceRanges range = trimmed(first, end);
      long left = range.size() - log.removed().count(first, end);
      write(range); // before a block of it is backed up
      Copies missed = copiesFrom(from, each -> each < end);
      subscribers.discard(end, true);
      boolean unused = withdraw(range, missed.places, new Pending());
      return left + missed.originals.stream().filter(each -> !range.contains(each)).count();
    } finally {
      blocks.unlock();
      changing.unlock();
    }
  }

  /** Returns what is to be trimmed: of what has left the log only what is delayed and waits. */
  private SequenceRanges trimmed(long first, long end) {
    List<SequenceRanges> parts = new ArrayList<>();
    parts.add(SequenceRanges.between(first, end));
    long below = Math.min(first, end);
    if (delays.waitingBelow(below) > 0) {
      delays.scan(
          message -> {
            if (message.sequence() < below && !isRemoved(message)) {
              parts.add(SequenceRanges.of(message.sequence()));
            }
          });
    }
    return SequenceRanges.union(parts);
  }

  private long endOf(Trim trim) {
    if (trim.age != null) {
      long since = log.times().since(config.time().epochMicros() - Micros.of(trim.age));
      return lookup.sequenceAt(since).orElse(log.nextSequence());
    }
    if (trim.bytes >= 0) {
      return log.endOfAllBut(trim.bytes);
    }
    return trim.messages >= 0 ? log.nextSequence() - trim.messages : trim.before;
  }

  /** Returns what is to be removed of a message; null if no subscriber is to get it any more. */
  private @Nullable Target find(long sequence) {
    if (sequence < 0 || sequence >= log.nextSequence() || log.removed().contains(sequence)) {
      return null;
    }
    StoredMessage message = readOrDamaged(sequence);
    if (message != null) {
      return target(message);
    }
    return sequence < log.firstSequence() && delays.lowWatermark() < Long.MAX_VALUE
        ? delayed(sequence)
        : null;
  }

  /** Returns what is to be removed of a message that is in files only, or has a copy. */
  private @Nullable Target delayed(long sequence) {
    boolean[] waits = {false};
    if (delays.waitingBelow(log.firstSequence()) > 0) {
      delays.scan(each -> waits[0] |= each.sequence() == sequence);
    }
    if (waits[0]) {
      return waiting(sequence);
    }
    long from = Math.max(log.firstSequence(), subscribers.needed());
    SequenceRanges copy = copiesFrom(from, each -> each == sequence).places;
    return copy.isEmpty() ? null : target(sequence, copy.start(0));
  }

  /** Returns one message, null if it is nowhere; of a damaged one only its sequence is known. */
  private @Nullable StoredMessage readOrDamaged(long sequence) {
    try {
      return lookup.readNear(sequence);
    } catch (DamagedException e) {
      return new StoredMessage(sequence, 0, new byte[0], null, Map.of(), null);
    }
  }

  private static Target waiting(long sequence) {
    return new Target(SequenceRanges.of(sequence), CancelResult.CANCELLED);
  }

  private @Nullable Target target(StoredMessage message) {
    long sequence = message.originalSequence();
    long place = message.sequence();
    Terms terms = message.terms();
    if (isRemoved(message)) {
      return null;
    }
    if (terms == null || !Terms.isDelayed(terms)) {
      return target(sequence, place);
    }
    if (log.times().ageOf(message.publishedMicros()) < terms.delayMicros()) {
      return waiting(sequence);
    }
    OptionalLong copy = copyOf(sequence, terms.dueAt(message.publishedMicros()));
    return copy.isPresent()
        ? target(sequence, copy.getAsLong())
        : new Target(SequenceRanges.of(sequence), CancelResult.IN_FLIGHT);
  }

  private @Nullable Target target(long sequence, long place) {
    Pending pending = new Pending().at(place, subscribers.pendingAt(place)); // before all are asked
    return subscribers.isPending(place)
        ? new Target(SequenceRanges.of(sequence, place), CancelResult.CANCELLED, pending)
        : null;
  }

  private void write(SequenceRanges sequences) {
    boolean forced = config.get(QueueOptions.DURABILITY) == Durability.DISK;
    onFlusher(() -> removals.remove(sequences, forced));
  }

  /** Removes what was found since the log ended here. */
  private CancelResult remove(Target target, long from) {
    write(target.sequences);
    SequenceRanges copies = copiesFrom(from, target.sequences::contains).places;
    return withdraw(target.sequences, copies, target.pending)
        ? CancelResult.IN_FLIGHT
        : target.result;
  }

  /** Stops delivering what was removed, and copies; returns whether a consumer has or had one. */
  private boolean withdraw(SequenceRanges removed, SequenceRanges copies, Pending pending) {
    if (copies.isEmpty()) {
      return subscribers.withdraw(removed, pending::of);
    }
    write(copies);
    return subscribers.withdraw( // of a copy all have had their turn since it was looked at them
        SequenceRanges.union(List.of(removed, copies)),
        each -> SequenceRanges.union(List.of(pending.of(each), copies)));
  }

  /** Re-enqueued copies: where they are, and of which messages. */
  private record Copies(SequenceRanges places, Set<Long> originals) {}

  /**
   * Finds what was delayed, and was re-enqueued since the log ended here: to be asked after it was
   * removed, since when no copy is made of it.
   */
  private Copies copiesFrom(long from, LongPredicate isMeant) {
    Set<Long> originals = new HashSet<>();
    List<SequenceRanges> places = new ArrayList<>();
    if (delays.lowWatermark() < Long.MAX_VALUE) { // it has had any
      long unusedCount = delays.waiting(); // after the copy that is being made just now
      boolean unused =
          lookup.scan(
              from,
              message -> {
                long original = message.originalSequence();
                if (original != message.sequence() && isMeant.test(original)) {
                  places.add(SequenceRanges.of(message.sequence()));
                  originals.add(original);
                }
              });
    }
    return new Copies(SequenceRanges.union(places), originals);
  }

  private void onFlusher(Runnable task) {
    try {
      CompletableFuture.runAsync(task, flusher).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + config.name() + " is closed", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RiverException known
          ? known
          : new RiverException("queue " + config.name() + ": cannot remove messages", e);
    }
  }

  /** Reads messages in a row that were not removed, until one is missing. */
  List<StoredMessage> read(long from, int max) {
    List<StoredMessage> found = new ArrayList<>();
    long next = from;
    while (found.size() < max) {
      List<StoredMessage> more = lookup.read(log.removed().endOf(next), max - found.size());
      if (more.isEmpty()) {
        long there = leavesEmpty && next >= 0 ? lookup.nextFrom(next).orElse(next) : next;
        if (there == next) {
          break;
        }
        next = there;
        continue;
      }
      next = more.get(more.size() - 1).sequence() + 1;
      more.stream().filter(message -> !isRemoved(message)).forEach(found::add);
    }
    return found;
  }

  /** Returns whether a message was removed or erased, or the delayed one of which it is a copy. */
  boolean isRemoved(StoredMessage message) {
    return message.isIn(log.removed()) || Terms.isErased(message.terms());
  }

  /** Finds the re-enqueued copy of a message that was due at a time. */
  private OptionalLong copyOf(long sequence, long dueAt) {
    long from = lookup.sequenceAt(dueAt).orElse(log.nextSequence());
    return lookup.read(from, COPIES_AFTER).stream()
        .filter(message -> message.originalSequence() == sequence)
        .mapToLong(StoredMessage::sequence)
        .filter(place -> place != sequence)
        .findFirst();
  }

  /** Has what is in no block any more forgotten. */
  void forget() {
    if (delays.waitingBelow(log.firstSequence()) == 0) { // these are in files of their own
      removals.left(lookup.first());
    }
  }

  @Override
  public boolean isDirty() {
    return removals.isDirty();
  }

  @Override
  public void capture() {}

  @Override
  public void flush() {
    removals.flush();
  }

  @Override
  public void postpone() {} // the files may be ahead of the log
}
