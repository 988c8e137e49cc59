package com.wookler.river.core.delay;

/** What was taken out to be copied, in case it cannot be. Guarded by the lock of {@link Timers}. */
final class TakenEntries {
  private final long[] times;
  private final long[] sequences;
  private final long[] places;
  private final boolean[] ofFiles;
  private final boolean[] waitOn;
  private int count;

  /** For so many messages at most. */
  TakenEntries(int most) {
    times = new long[most];
    sequences = new long[most];
    places = new long[most];
    ofFiles = new boolean[most];
    waitOn = new boolean[most];
  }

  int count() {
    return count;
  }

  void clear() {
    count = 0;
  }

  /**
   * Adds one.
   *
   * @param waitsOn whether it is damaged, and not to be passed over
   */
  void add(long time, long sequence, long place, boolean ofFile, boolean waitsOn) {
    times[count] = time;
    sequences[count] = sequence;
    places[count] = place;
    ofFiles[count] = ofFile;
    waitOn[count] = waitsOn;
    count++;
  }

  long sequence(int at) {
    return sequences[at];
  }

  boolean waitsOn(int at) {
    return waitOn[at];
  }

  /** Returns whether all of them wait on, or none: one kind is taken out at a time. */
  boolean takes(boolean waitsOn) {
    return count == 0 || waitOn[0] == waitsOn;
  }

  /** Returns where it is, for one that is in {@link NextDue#fresh} from now on. */
  long place(int at) {
    return ofFiles[at] ? ~places[at] : places[at];
  }

  /** Of what was taken out last; there is something. */
  Key last() {
    return new Key(times[count - 1], sequences[count - 1]);
  }

  boolean anyOfFiles() {
    for (int i = 0; i < count; i++) {
      if (ofFiles[i]) {
        return true;
      }
    }
    return false;
  }

  /** Puts all back where it was. */
  void putBack(NearIndex index, DueHeap fresh) {
    for (int i = 0; i < count; i++) {
      if (ofFiles[i]) {
        index.putBack(times[i], sequences[i], places[i]);
      } else {
        fresh.add(times[i], sequences[i], places[i]);
      }
    }
    count = 0;
  }
}
