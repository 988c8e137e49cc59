package com.wookler.river.benchmarks.profile;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A tree of counts: a frame, how many samples were in it or in what it called, and the frames that
 * it called, by name. Confined to one thread.
 */
public final class Stacks {
  private final String name;
  private final Map<String, Stacks> callees = new TreeMap<>();
  private long samples;

  /** A frame without samples. */
  Stacks(String name) {
    this.name = name;
  }

  /** Counts one sample of this frame, and of those that it called, outermost first. */
  void add(List<String> called) {
    samples++;
    if (!called.isEmpty()) {
      callees.computeIfAbsent(called.get(0), Stacks::new).add(called.subList(1, called.size()));
    }
  }

  String name() {
    return name;
  }

  /** How many samples were in this frame or in what it called. */
  public long samples() {
    return samples;
  }

  /** What it called, by name. */
  Collection<Stacks> callees() {
    return Collections.unmodifiableCollection(callees.values());
  }
}
