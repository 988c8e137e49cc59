package com.wookler.river.rest.server.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a stream that are not acknowledged, ordered by the deadline of their
 * acknowledgement timeout. Confined to the stream's event loop.
 */
final class InFlightDeliveries {
  private final Map<String, Entry> byReceipt = new LinkedHashMap<>(); // as they were sent
  private final TreeSet<Entry> byDeadline =
      new TreeSet<>(Comparator.comparingLong(Entry::deadline).thenComparing(Entry::receipt));

  private record Entry(String receipt, long deadline) {}

  /** Adds a delivery, or changes its deadline. */
  void put(String receipt, long deadline) {
    Entry entry = new Entry(receipt, deadline);
    Entry before = byReceipt.put(receipt, entry);
    if (before != null) {
      byDeadline.remove(before);
    }
    byDeadline.add(entry);
  }

  /** Removes a delivery, and returns whether it was present. */
  boolean remove(String receipt) {
    Entry entry = byReceipt.remove(receipt);
    return entry != null && byDeadline.remove(entry);
  }

  /** Returns the earliest deadline; null if there is none. */
  @Nullable Long earliest() {
    return byDeadline.isEmpty() ? null : byDeadline.first().deadline();
  }

  /** Removes and returns the deliveries whose deadline is not after a time. */
  List<String> removeLate(long now) {
    List<String> late = new ArrayList<>();
    while (!byDeadline.isEmpty() && byDeadline.first().deadline() - now <= 0) {
      String receipt = byDeadline.first().receipt();
      remove(receipt);
      late.add(receipt);
    }
    return late;
  }

  /** Removes and returns all deliveries, in the order in which they were sent. */
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
