package com.wookler.river.examples.demo;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The delivery records of all subscribers. Thread-safe. */
final class DeliveryRecords {
  private final Map<DemoSubscriber, DeliveryRecord> records = new EnumMap<>(DemoSubscriber.class);

  DeliveryRecords(int events, int publishers) {
    for (DemoSubscriber role : DemoSubscriber.values()) {
      records.put(
          role, new DeliveryRecord(role.label, role.acks, events, publishers, role.consumers));
    }
  }

  DeliveryRecord of(DemoSubscriber role) {
    return Objects.requireNonNull(records.get(role));
  }

  /** Returns the number of completed events of all subscribers. */
  long finished() {
    return records.values().stream().mapToLong(DeliveryRecord::finished).sum();
  }

  /** Returns the number of redeliveries of all subscribers. */
  long repeated() {
    return records.values().stream().mapToLong(DeliveryRecord::repeated).sum();
  }

  /** Returns the results of all subscribers. Called when there are no more deliveries. */
  List<SubscriberResult> results(PublishedSequences published) {
    return records.values().stream().map(record -> record.result(published)).toList();
  }
}
