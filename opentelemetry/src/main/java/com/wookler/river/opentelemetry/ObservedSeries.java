package com.wookler.river.opentelemetry;

import com.wookler.river.common.counters.CounterSeries;
import io.opentelemetry.api.common.Attributes;
import java.util.function.ObjLongConsumer;

/**
 * The counters of one kind, which become one metric that is read when the SDK collects.
 * Thread-safe. Counters are read without a lock that adding and removing take, because their owners
 * may hold locks that reading takes.
 */
interface ObservedSeries {
  void add(CounterSeries series);

  void remove(CounterSeries series);

  /** Passes on what there is now, one number for those that have the same attributes. */
  void read(ObjLongConsumer<Attributes> to);
}
