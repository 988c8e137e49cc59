package com.wookler.river.rest.server.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a stream that are not settled, ordered by the time at which they come again
 * anyway. Confined to the stream's event loop.
 */
final class Outstanding {
  private final Map<String, Entry> byReceipt = new HashMap<>();
  private final TreeSet<Entry> byDeadline =
      new TreeSet<>(Comparator.comparingLong(Entry::deadline).thenComparing(Entry::receipt));

  private record Entry(String receipt, long deadline) {}

  /** Adds a delivery, or changes the deadline of one that is there. */
  void put(String receipt, long deadline) {
    Entry entry = new Entry(receipt, deadline);
    Entry before = byReceipt.put(receipt, entry);
    if (before != null) {
      byDeadline.remove(before);
    }
    byDeadline.add(entry);
  }

  /** Removes a delivery, and returns whether it was there. */
  boolean remove(String receipt) {
    Entry entry = byReceipt.remove(receipt);
    return entry != null && byDeadline.remove(entry);
  }

  /** Returns the earliest deadline; null if there is none. */
  @Nullable Long earliest() {
    return byDeadline.isEmpty() ? null : byDeadline.first().deadline();
  }

  /** Removes and returns those whose deadline is not after this time. */
  List<String> removeLate(long now) {
    List<String> late = new ArrayList<>();
    while (!byDeadline.isEmpty() && byDeadline.first().deadline() - now <= 0) {
      String receipt = byDeadline.first().receipt();
      remove(receipt);
      late.add(receipt);
    }
    return late;
  }

  /** Removes and returns all. */
  List<String> removeAll() {
    List<String> all = List.copyOf(byReceipt.keySet());
    byReceipt.clear();
    byDeadline.clear();
    return all;
  }

  int size() {
    return byReceipt.size();
  }
}
