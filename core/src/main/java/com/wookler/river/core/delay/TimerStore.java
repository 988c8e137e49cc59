package com.wookler.river.core.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimerClock;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.utils.DueHeap;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of waiting messages: {@link Bucket}s in the order of their keys. Only what is due next
 * is in memory; when that is less than half of the limit, the next file is read into memory, and
 * divided before if it is large. So a message is rewritten a few times at most, however many there
 * are and however long they wait.
 *
 * <p>Confined to the flusher once it is open, except for the index, which the lock of {@link
 * Timers} guards.
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
  private int near; // the first of them, which are in the index
  // files that the last state still names, and those that only the one before it names
  private List<RecordFile> dropped = new ArrayList<>();
  private List<RecordFile> droppedBefore = new ArrayList<>();

  private TimerState written;
  private long safeCollected; // collected, of the state before that
  private long nextNumber;
  private Key doneForGood; // messages up to it need not be in a file any more
  private boolean changed; // since the state was written

  @GuardedBy("lock")
  private final NearIndex index;

  private boolean rebuilt; // whether messages were found again since this was asked

  /** Takes messages that were found again in the log or a backup, and are in no file. */
  interface Rebuilt {
    void waits(Map<Long, Long> times);

    /** Returns when a message that was published at this stored time is due. */
    long dueAt(Terms terms, long publishedMicros);

    /** Returns the sequences of those that wait and are in no file. */
    long[] waiting();
  }

  /** Reads messages that are in no file yet. */
  interface Source {
    /** Returns the message as a record, not sealed; null if it is lost, which was reported. */
    @Nullable ByteBuffer record(long time, long sequence, long address);
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

  /** Returns the sequence below which blocks may leave the log, even if the last state is lost. */
  long safeCollected() {
    return safeCollected;
  }

  /** Returns whether a state has to be written for what was done in the files. */
  boolean isChanged() {
    return changed || !dropped.isEmpty() || !droppedBefore.isEmpty();
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

  /** Reads files into memory until one has a message after {@code before} that is not done. */
  void begin(Key before, DueHeap.Condition done) throws IOException {
    while (near < buckets.size() && indexed() == 0) {
      load(() -> before, done);
    }
  }

  /**
   * Writes messages to the files they belong to, and forces these. Nothing has changed if it fails.
   *
   * @param waiting sorted; their addresses are what the source knows, and afterwards their offsets,
   *     -1 for a lost message
   */
  void write(DueHeap waiting, Source source) throws IOException {
    if (waiting.isEmpty()) {
      return;
    }
    ensureBucket();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    List<BucketAppender> written = new ArrayList<>();
    BucketAppender to = null;
    for (int i = 0; i < waiting.size(); i++) {
      long time = waiting.time(i);
      long sequence = waiting.sequence(i);
      Bucket bucket = bucketOf(time, sequence);
      if (to == null || !to.bucket.equals(bucket)) {
        if (to != null) {
          to.force();
        }
        to = new BucketAppender(bucket, buffer);
        written.add(to);
      }
      ByteBuffer record = source.record(time, sequence, waiting.address(i));
      waiting.address(i, record == null ? -1 : to.add(record));
    }
    if (to != null) {
      to.force();
    }
    written.forEach(BucketAppender::commit);
    changed = true;
  }

  /** Passes the messages that are not done to a sink, but for damaged ones. */
  void scan(Key done, BucketReader reader, Consumer<StoredMessage> sink) throws IOException {
    for (Bucket bucket : buckets) {
      DelayedRecord.scan(
          bucket.file,
          bucket.bytes,
          (time, sequence, offset, size) -> {
            if (done.isBefore(time, sequence)) {
              try {
                sink.accept(reader.message(bucket.file, offset, sequence));
              } catch (DamagedException e) {
                LOG.debug("Queue {}: sequence {} is damaged", context.queue(), sequence, e);
              }
            }
          });
    }
  }

  /** Finds what files have lost in the log and the backups, and reports what is in neither. */
  void rebuild(List<WaitingRebuild.Lost> lost) throws IOException {
    if (lost.isEmpty()) {
      return;
    }
    Map<Long, Long> found = WaitingRebuild.run(context, written, lost, buckets, into);
    into.waits(found);
    rebuilt |= !found.isEmpty();
    changed = true;
  }

  /** Returns whether anything was found again since this was asked the last time. */
  boolean takeRebuilt() {
    boolean was = rebuilt;
    rebuilt = false;
    return was;
  }

  private void ensureBucket() throws IOException {
    if (buckets.isEmpty()) {
      Bucket first = new Bucket(Key.FIRST, newFile(), DelayedRecord.HEADER_BYTES, 0);
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

  private RecordFile newFile() throws IOException {
    return DelayedRecord.create(context.directory(), context.identity(), nextNumber++);
  }

  private Bucket bucketOf(long time, long sequence) {
    int low = 0;
    int high = buckets.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (buckets.get(middle).from.isAfter(time, sequence)) {
        high = middle - 1;
      } else {
        low = middle;
      }
    }
    return buckets.get(low);
  }

  /** Adds written messages that are not done to the index, if their files are in it. */
  void include(DueHeap waiting, Key done) {
    lock.lock();
    try {
      for (int i = 0; i < waiting.size(); i++) {
        long time = waiting.time(i);
        long sequence = waiting.sequence(i);
        if (waiting.address(i) >= 0 && done.isBefore(time, sequence)) {
          Bucket bucket = bucketOf(time, sequence);
          if (bucket.isNear()) {
            index.add(bucket, time, sequence, waiting.address(i));
          }
        }
      }
      cover();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads into memory what is due next, divides large files, and removes files of which all was
   * done when the state was captured: up to {@code durable}, with copies on the device. {@code
   * done} is asked under the lock for the key up to which all is done now.
   */
  void maintain(Key durable, Supplier<Key> done) throws IOException {
    doneForGood = durable;
    dropDone();
    while (true) {
      int size = indexed();
      if (size < limits.entries() / 2 && near < buckets.size()) {
        load(done, (time, sequence, address) -> false);
      } else if (size > 2 * limits.entries() && near > 1) {
        unload();
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

  private void load(Supplier<Key> done, DueHeap.Condition isDone) throws IOException {
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
      load(next, entries, done.get(), isDone);
      near++;
      cover();
    } finally {
      lock.unlock();
    }
  }

  private DueHeap read(Bucket bucket) throws IOException {
    DueHeap entries = new DueHeap();
    rebuild(scan(bucket, (time, sequence, at, size) -> entries.add(time, sequence, at)));
    return entries;
  }

  /** Visits the records of a file; returns what it has lost. */
  private List<WaitingRebuild.Lost> scan(Bucket bucket, DelayedRecord.Visitor visitor)
      throws IOException {
    Key end =
        buckets.stream()
            .map(other -> other.from)
            .filter(from -> from.compareTo(bucket.from) > 0)
            .findFirst()
            .orElse(Key.LAST);
    WaitingRebuild.Lost lost = DamageReport.scan(bucket, end, doneForGood, visitor);
    return lost == null ? List.of() : List.of(lost);
  }

  @GuardedBy("lock")
  private void load(Bucket bucket, DueHeap entries, Key done, DueHeap.Condition isDone) {
    index.begin(bucket);
    long lastTime = Long.MIN_VALUE;
    long lastSequence = Long.MIN_VALUE;
    while (!entries.isEmpty()) {
      long time = entries.time();
      long sequence = entries.sequence();
      boolean again = time == lastTime && sequence == lastSequence;
      if (!again
          && done.isBefore(time, sequence)
          && !isDone.holds(time, sequence, entries.address())) {
        index.add(bucket, time, sequence, entries.address());
      }
      lastTime = time;
      lastSequence = sequence;
      entries.removeFirst();
    }
  }

  private List<Bucket> divided(Bucket source) throws IOException {
    BucketDivision division = new BucketDivision(source, doneForGood);
    List<WaitingRebuild.Lost> lost = scan(source, division);
    List<Bucket> parts = division.run(limits, this::newFile);
    rebuild(lost);
    return parts;
  }

  private void unload() {
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

  /** Divides a file that is in the index; its first part is in the index afterwards. */
  private void divide(int at, Supplier<Key> done) throws IOException {
    while (near > at + 1) {
      unload(); // the index has the first files only
    }
    Bucket source = buckets.get(at);
    List<Bucket> parts = divided(source);
    DueHeap entries = read(parts.get(0));
    lock.lock();
    try {
      index.end(source);
      replace(at, parts);
      load(parts.get(0), entries, done.get(), (time, sequence, address) -> false);
      cover();
    } finally {
      lock.unlock();
    }
  }

  private void replace(int at, List<Bucket> parts) {
    Bucket source = buckets.remove(at);
    buckets.addAll(at, parts);
    dropped.add(source.file);
    changed = true;
  }

  /** Removes files of which all is done; the last one stays if it is small, to be used again. */
  private void dropDone() {
    lock.lock();
    try {
      for (int i = near - 1; i >= 0; i--) {
        Bucket bucket = buckets.get(i);
        boolean small = buckets.size() == 1 && bucket.bytes <= KEPT_BYTES;
        if (bucket.wasEmpty && !bucket.grown && !small) {
          index.end(bucket);
          buckets.remove(i);
          near--;
          dropped.add(bucket.file);
          changed = true;
        }
      }
      cover();
    } finally {
      lock.unlock();
    }
  }

  /** Writes the state, and deletes the files that neither it nor the one before names. */
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
    List<RecordFile> unnamed = droppedBefore;
    droppedBefore = dropped;
    dropped = new ArrayList<>();
    for (RecordFile file : unnamed) {
      file.delete();
    }
  }

  @Override
  public void close() {
    List<RecordFile> all = new ArrayList<>(dropped);
    all.addAll(droppedBefore);
    buckets.forEach(bucket -> all.add(bucket.file));
    for (RecordFile file : all) {
      try {
        file.close();
      } catch (IOException e) {
        LOG.warn("Queue {}: cannot close {}", context.queue(), file.path(), e);
      }
    }
  }
}
