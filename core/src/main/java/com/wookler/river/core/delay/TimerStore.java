package com.wookler.river.core.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of waiting messages: a run of {@link Bucket}s in the order of their keys. Only what is
 * due next is in memory; when less than half of what may be there is left, the next file is taken
 * in, and divided before if it is large. So a message is written again a few times at most, however
 * many there are and however long they wait.
 *
 * <p>Confined to the flusher once it is open, but for the index, which the lock of {@link Timers}
 * guards.
 */
final class TimerStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TimerStore.class);
  private static final long KEPT_BYTES = 1 << 20; // of a file of which all is done
  private static final int BUFFER_BYTES = 256 << 10;

  private final DelayContext context;
  private final DelayLimits limits;
  private final ReentrantLock lock;
  private final List<Bucket> buckets;
  private final Rebuilt into;
  private int near; // so many of them are in the index

  /** Files that the last state does not name, and those that the one before it did not either. */
  private List<BucketFile> leaving = new ArrayList<>();

  private List<BucketFile> left = new ArrayList<>();

  private TimerState written;
  private long safeCollected; // of the state before it
  private long nextNumber;
  private Key doneForGood; // what a file need not hold any more
  private boolean changed; // since the state was written

  @GuardedBy("lock")
  private final NearIndex index;

  private boolean rebuilt; // messages that are in no file now, since it was asked

  /** Takes messages that are in no file any more, and wait in the log or a backup. */
  interface Rebuilt {
    void waits(Map<Long, Long> times);

    /** Returns when a message that was published at this stored time is due. */
    long dueAt(Terms terms, long publishedMicros);

    /** Returns those that wait and are in no file. */
    Set<Long> waiting();
  }

  /** Reads messages that are in no file yet. */
  interface Source {
    /** One as the record of this file; null if it is lost, which was reported. */
    byte @Nullable [] record(long time, long sequence, long place, BucketFile into);
  }

  TimerStore(
      DelayContext context,
      DelayLimits limits,
      ReentrantLock lock,
      NearIndex index,
      Rebuilt into,
      StoreOpening.Opened opened) {
    this.into = into;
    this.index = index;
    this.context = context;
    this.limits = limits;
    this.lock = lock;
    this.buckets = new ArrayList<>(opened.buckets());
    this.written = opened.state();
    this.safeCollected = opened.safeCollected();
    this.nextNumber = opened.state().nextNumber();
    this.doneForGood = opened.state().done();
    this.changed = opened.repaired();
    cover();
  }

  TimerState written() {
    return written;
  }

  /** Blocks of the log may go up to here: whatever becomes of the last state, nothing is lost. */
  long safeCollected() {
    return safeCollected;
  }

  /** Returns whether a state has to be written for what was done in the files. */
  boolean isChanged() {
    return changed || !leaving.isEmpty() || !left.isEmpty();
  }

  private void cover() {
    lock.lock();
    try {
      long far = 0;
      for (Bucket bucket : buckets.subList(near, buckets.size())) {
        far += bucket.records;
      }
      if (near == buckets.size()) {
        index.cover(Key.LAST, 0);
      } else {
        index.cover(near == 0 ? Key.FIRST : buckets.get(near).from, far);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes files in until there is something that is not done.
   *
   * @param done says that nothing more is to be done for a message
   */
  void begin(Key behind, DueHeap.Condition done) throws IOException {
    while (near < buckets.size() && isEmpty()) {
      takeIn(() -> behind, done);
    }
  }

  private boolean isEmpty() {
    lock.lock();
    try {
      return index.heap.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Writes messages to the files they belong to, and onto the device. Nothing has changed if it
   * fails.
   *
   * @param waiting sorted; their places are what the source knows, and offsets afterwards, -1 of
   *     lost ones
   */
  void write(DueHeap waiting, Source source) throws IOException {
    if (waiting.isEmpty()) {
      return;
    }
    ensureBucket();
    for (Bucket bucket : buckets) {
      bucket.newBytes = bucket.bytes;
      bucket.newRecords = bucket.records;
    }
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    Bucket at = bucketOf(waiting.time(0), waiting.sequence(0));
    for (int i = 0; i < waiting.size(); i++) {
      long sequence = waiting.sequence(i);
      Bucket bucket = bucketOf(waiting.time(i), sequence);
      byte[] record = source.record(waiting.time(i), sequence, waiting.place(i), bucket.file);
      if (record == null) {
        waiting.place(i, -1);
        continue;
      }
      if (!bucket.equals(at)) {
        flush(at, buffer);
        at.file.force();
        at = bucket;
      }
      if (record.length > buffer.remaining()) {
        flush(bucket, buffer);
        buffer = record.length > buffer.capacity() ? ByteBuffer.allocate(record.length) : buffer;
      }
      waiting.place(i, bucket.newBytes + buffer.position());
      buffer.put(record);
      bucket.newRecords++;
    }
    flush(at, buffer);
    at.file.force();
    for (Bucket bucket : buckets) {
      bucket.grown |= bucket.newRecords > bucket.records;
      bucket.bytes = bucket.newBytes;
      bucket.added(bucket.newRecords - bucket.records);
    }
    changed = true;
  }

  /** Finds again what files have lost, as far as the log or a backup has it; reports the rest. */
  void rebuild(List<WaitingRebuild.Lost> lost) throws IOException {
    if (lost.isEmpty()) {
      return;
    }
    WaitingRebuild.Found found = WaitingRebuild.run(context, written, lost, buckets, into);
    LOG.warn(
        "Queue {}: damaged: delayed messages in {}: {} of them found again in the log and the"
            + " backups; {} lost",
        context.queue(),
        lost.stream().map(part -> part.file().toString()).collect(Collectors.joining(", ")),
        found.waiting().size(),
        found.lost());
    WaitingRebuild.report(context, lost, found.lost());
    into.waits(found.waiting());
    rebuilt |= !found.waiting().isEmpty();
    changed = true;
  }

  /** Returns whether anything was found again since this was asked the last time. */
  boolean takeRebuilt() {
    boolean was = rebuilt;
    rebuilt = false;
    return was;
  }

  private static void flush(Bucket bucket, ByteBuffer buffer) throws IOException {
    buffer.flip();
    int length = buffer.remaining();
    bucket.file.write(buffer, bucket.newBytes);
    bucket.newBytes += length;
    buffer.clear();
  }

  private void ensureBucket() throws IOException {
    if (buckets.isEmpty()) {
      Bucket first = new Bucket(Key.FIRST, newFile(), BucketFile.HEADER_BYTES, 0);
      lock.lock();
      try {
        index.begin(first);
      } finally {
        lock.unlock();
      }
      buckets.add(first);
      near = 1;
    }
  }

  private BucketFile newFile() throws IOException {
    return BucketFile.create(context.directory(), context.identity(), nextNumber++);
  }

  private Bucket bucketOf(long time, long sequence) {
    int low = 0;
    int high = buckets.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (buckets.get(middle).from.isBehind(time, sequence)) {
        high = middle - 1;
      } else {
        low = middle;
      }
    }
    return buckets.get(low);
  }

  /** Takes written messages that are not done into the index, if they belong there. */
  void include(DueHeap waiting, Key done) {
    lock.lock();
    try {
      for (int i = 0; i < waiting.size(); i++) {
        long time = waiting.time(i);
        long sequence = waiting.sequence(i);
        if (waiting.place(i) >= 0 && done.isBefore(time, sequence)) {
          Bucket bucket = bucketOf(time, sequence);
          if (bucket.isNear()) {
            index.add(bucket, time, sequence, waiting.place(i));
          }
        }
      }
      cover();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes in what is due next, divides what is large, and leaves files of which all was done when
   * the state was captured.
   *
   * @param durable up to this key all is done, and its copies are on the device
   * @param done up to which key all is done by now; asked under the lock
   */
  void tend(Key durable, Supplier<Key> done) throws IOException {
    doneForGood = durable;
    leaveDone();
    while (true) {
      int size = indexed();
      if (size < limits.entries() / 2 && near < buckets.size()) {
        takeIn(done, (time, sequence, place) -> false);
      } else if (size > 2 * limits.entries() && near > 1) {
        putOut();
      } else {
        int large = firstToDivide(size);
        if (large < 0) {
          return;
        }
        divide(large, done);
      }
    }
  }

  private int indexed() {
    lock.lock();
    try {
      return index.heap.size();
    } finally {
      lock.unlock();
    }
  }

  private int firstToDivide(int size) {
    for (int i = 0; i < near; i++) {
      Bucket bucket = buckets.get(i);
      if (bucket.records > 1
          && (size > 2 * limits.entries()
              || bucket.bytes > 2 * limits.bytes()
              || bucket.records > 4L * limits.entries())) {
        return i;
      }
    }
    return -1;
  }

  private void takeIn(Supplier<Key> done, DueHeap.Condition isDone) throws IOException {
    Bucket next = buckets.get(near);
    if (limits.isTooLarge(next)) {
      List<Bucket> parts = divided(next);
      replace(near, parts);
      cover();
      return;
    }
    DueHeap entries = read(next);
    lock.lock();
    try {
      takeIn(next, entries, done.get(), isDone);
      near++;
      cover();
    } finally {
      lock.unlock();
    }
  }

  private DueHeap read(Bucket bucket) throws IOException {
    DamageReport damage = new DamageReport(bucket, doneForGood);
    DueHeap entries = NearIndex.read(bucket, damage);
    rebuild(damage, bucket);
    return entries;
  }

  private void rebuild(DamageReport damage, Bucket bucket) throws IOException {
    int next = buckets.indexOf(bucket) + 1;
    WaitingRebuild.Lost lost =
        damage.lost(next == buckets.size() ? Key.LAST : buckets.get(next).from);
    if (lost != null) {
      rebuild(List.of(lost));
    }
  }

  @GuardedBy("lock")
  private void takeIn(Bucket bucket, DueHeap entries, Key done, DueHeap.Condition isDone) {
    index.begin(bucket);
    long lastTime = Long.MIN_VALUE;
    long lastSequence = Long.MIN_VALUE;
    while (!entries.isEmpty()) {
      long time = entries.time();
      long sequence = entries.sequence();
      boolean again = time == lastTime && sequence == lastSequence;
      if (!again
          && done.isBefore(time, sequence)
          && !isDone.holds(time, sequence, entries.place())) {
        index.add(bucket, time, sequence, entries.place());
      }
      lastTime = time;
      lastSequence = sequence;
      entries.removeFirst();
    }
  }

  private List<Bucket> divided(Bucket source) throws IOException {
    DamageReport damage = new DamageReport(source, doneForGood);
    List<Bucket> parts = BucketDivision.run(source, doneForGood, limits, this::newFile, damage);
    rebuild(damage, source);
    return parts;
  }

  private void putOut() {
    Bucket last = buckets.get(near - 1);
    lock.lock();
    try {
      index.end(last);
      near--;
      cover();
    } finally {
      lock.unlock();
    }
  }

  /** Divides a file that is in the index, of which the first part stays there. */
  private void divide(int at, Supplier<Key> done) throws IOException {
    while (near > at + 1) {
      putOut(); // what is in the index is the beginning of all
    }
    Bucket source = buckets.get(at);
    List<Bucket> parts = divided(source);
    DueHeap entries = read(parts.get(0));
    lock.lock();
    try {
      index.end(source);
      replace(at, parts);
      takeIn(parts.get(0), entries, done.get(), (time, sequence, place) -> false);
      cover();
    } finally {
      lock.unlock();
    }
  }

  private void replace(int at, List<Bucket> parts) {
    Bucket source = buckets.remove(at);
    buckets.addAll(at, parts);
    leaving.add(source.file);
    changed = true;
  }

  /** The last file stays if it is small, so that one message after the other costs no file each. */
  private void leaveDone() {
    lock.lock();
    try {
      for (int i = near - 1; i >= 0; i--) {
        Bucket bucket = buckets.get(i);
        boolean small = buckets.size() == 1 && bucket.bytes <= KEPT_BYTES;
        if (bucket.wasEmpty && !bucket.grown && !small) {
          index.end(bucket);
          buckets.remove(i);
          near--;
          leaving.add(bucket.file);
          changed = true;
        }
      }
      cover();
    } finally {
      lock.unlock();
    }
  }

  /** Writes how far all got, and deletes the files that no state names any more. */
  void writeState(long collected, long copied, Key done, TimerClock.Reading clock)
      throws IOException {
    TimerState state =
        new TimerState(
            written.generation() + 1,
            collected,
            copied,
            done,
            nextNumber,
            clock,
            buckets.stream().map(Bucket::line).toList());
    state.write(context.directory(), context.identity());
    safeCollected = written.collected();
    written = state;
    changed = false;
    List<BucketFile> unnamed = left;
    left = leaving;
    leaving = new ArrayList<>();
    for (BucketFile file : unnamed) {
      file.delete();
    }
  }

  @Override
  public void close() {
    List<BucketFile> all = new ArrayList<>(leaving);
    all.addAll(left);
    buckets.forEach(bucket -> all.add(bucket.file));
    for (BucketFile file : all) {
      try {
        file.close();
      } catch (IOException e) {
        LOG.warn("Queue {}: cannot close {}", context.queue(), file.path(), e);
      }
    }
  }

  /** For tests: so many files there are. */
  int files() {
    return buckets.size();
  }
}
