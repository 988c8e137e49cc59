package com.wookler.river.common;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A set of sequences, in which each counts once however often it is added. Not thread-safe. */
public final class LostSequences {
  private final TreeMap<Long, Long> ends = new TreeMap<>(); // of each run, by its first sequence

  /** Sequences in a row. */
  public record Run(long first, long end) {}

  /** Returns those runs between two sequences that are not in the set. */
  public List<Run> missing(long first, long end) {
    List<Run> found = new ArrayList<>();
    long at = first;
    for (Map.Entry<Long, Long> run : around(first, end)) {
      if (run.getKey() > at) {
        found.add(new Run(at, run.getKey()));
      }
      at = Math.max(at, run.getValue());
    }
    if (at < end) {
      found.add(new Run(at, end));
    }
    return found;
  }

  private Iterable<Map.Entry<Long, Long>> around(long first, long end) {
    Long before = ends.lowerKey(first);
    return ends.subMap(before == null ? first : before, Math.max(first, end)).entrySet();
  }

  public void add(long first, long end) {
    for (Run run : missing(first, end)) {
      Map.Entry<Long, Long> before = ends.lowerEntry(run.end());
      boolean follows = before != null && before.getValue() == run.first();
      ends.put(follows ? before.getKey() : run.first(), run.end());
    }
  }

  /** Returns how many of the sequences between two are in the set. */
  public long countWithin(long first, long end) {
    return Math.max(0, end - first)
        - missing(first, end).stream().mapToLong(run -> run.end() - run.first()).sum();
  }

  /** Returns how many there are. */
  public long count() {
    return ends.entrySet().stream().mapToLong(run -> run.getValue() - run.getKey()).sum();
  }
}
