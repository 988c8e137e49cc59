package com.wookler.river.reactor;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a reactor, to which all of its threads add. Thread-safe. */
final class ReactorCounters {
  final LongAdder finished = new LongAdder();
  final LongAdder retried = new LongAdder();
  final LongAdder rejected = new LongAdder();
  final LongAdder released = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder late = new LongAdder();
  final LongAdder filtered = new LongAdder();
  final LongAdder unmatched = new LongAdder();
  final LongAdder replaced = new LongAdder();
  final LongAdder stuck = new LongAdder();
}
