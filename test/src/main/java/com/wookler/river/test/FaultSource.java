package com.wookler.river.test;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Says which faults come, from a seed: the same seed, the same faults. Confined to the test's
 * thread.
 */
final class FaultSource {
  private static final long MIX = 0x9E3779B97F4A7C15L; // else seeds side by side begin alike

  private final Random random;
  private final Random order;
  private final Map<Fault, Double> chances = new EnumMap<>(Fault.class);
  private final @Nullable Set<Integer> only; // the numbers of those that come; null: all
  private final Set<Integer> came = new TreeSet<>();
  private int number;

  FaultSource(long seed, @Nullable Set<Integer> only) {
    this.random = new Random(seed * MIX);
    this.order = new Random(seed * MIX + 1);
    this.only = only;
  }

  /** Lets a fault come at this share of all deliveries. */
  void set(Fault fault, double chance) {
    if (!(chance >= 0 && chance <= 1)) {
      throw new IllegalArgumentException("the chance of a fault is 0 to 1, and not " + chance);
    }
    chances.put(fault, chance);
  }

  /** Returns the fault of the next delivery or publish. */
  Fault next() {
    double left = random.nextDouble();
    int own = number++;
    for (Map.Entry<Fault, Double> each : chances.entrySet()) {
      left -= each.getValue();
      if (left < 0) {
        if (only != null && !only.contains(own)) {
          return Fault.NONE;
        }
        came.add(own);
        return each.getKey();
      }
    }
    return Fault.NONE;
  }

  /** Returns the numbers of the faults that came. */
  Set<Integer> came() {
    return came;
  }

  /** Returns an index below a bound, for an order that is drawn. */
  int draw(int bound) {
    return order.nextInt(bound);
  }
}
