package com.wookler.river.kafka;

import java.util.concurrent.atomic.AtomicLong;

/** What a source has done so far; see {@link KafkaSourceStats}. */
record SourceCounts(AtomicLong stored, AtomicLong skipped, AtomicLong refused, AtomicLong lag) {
  SourceCounts() {
    this(new AtomicLong(), new AtomicLong(), new AtomicLong(), new AtomicLong());
  }
}
