package com.wookler.river.kafka;

import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The messages that a forwarder has taken and not completed, in the order of their places. Confined
 * to the forwarder's thread.
 *
 * @param <M> type of the data
 */
final class ForwardBatch<M> {
  private static final int OVERHEAD_BYTES = 100; // of a record, about
  private static final int FIRST_MESSAGES = 100;

  private final Subscriber<M> subscriber;
  private final int mostMessages;
  private final long mostBytes;
  private List<Delivery<M>> taken = List.of();
  private int completed; // of those taken, from the first
  private int limit;

  ForwardBatch(Subscriber<M> subscriber, int mostMessages, long mostBytes) {
    this.subscriber = subscriber;
    this.mostMessages = mostMessages;
    this.mostBytes = mostBytes;
    this.limit = Math.min(FIRST_MESSAGES, mostMessages);
  }

  /** Replaces what was taken, which is completed, by what there is now; false: nothing. */
  boolean take(Duration wait) throws InterruptedException {
    List<Delivery<M>> batch = new ArrayList<>(subscriber.batch(limit, wait));
    batch.sort(Comparator.comparingLong(Delivery::place));
    taken = batch;
    completed = 0;
    if (!batch.isEmpty()) {
      long bytes = 1;
      for (Delivery<M> delivery : batch) {
        bytes += size(delivery);
      }
      // About as many as the bytes allow, if the next ones are like these.
      long fitting = Math.max(1, mostBytes * batch.size() / bytes);
      limit = (int) Math.min(Math.min(fitting, 2L * limit), mostMessages);
    }
    return !batch.isEmpty();
  }

  /** Returns the first of those that are left, as many as the limit of bytes allows. */
  List<Delivery<M>> part() {
    long bytes = 0;
    int to = completed;
    while (to < taken.size()) {
      bytes += size(taken.get(to));
      if (to > completed && bytes > mostBytes) {
        break;
      }
      to++;
    }
    return taken.subList(completed, to);
  }

  /** Returns those that are left and are before a place. */
  List<Delivery<M>> before(long place) {
    int to = completed;
    while (to < taken.size() && taken.get(to).place() < place) {
      to++;
    }
    return taken.subList(completed, to);
  }

  /** Acknowledges the first of those that are left. */
  void ack(List<Delivery<M>> part) {
    completed += part.size();
    try {
      subscriber.ack(part);
    } catch (StaleReceiptException e) {
      // They took longer than the ack timeout: they come again, and are left out then.
    }
  }

  /** Makes the first of those that are left a dead letter. */
  void reject(Delivery<M> delivery, Exception why) {
    delivery.reject("Kafka refused it: " + KafkaErrors.words(why), why);
    completed++;
  }

  /** Gives back what is left, without counting the attempt. */
  void release() {
    for (Delivery<M> delivery : taken.subList(completed, taken.size())) {
      try {
        delivery.release();
      } catch (StaleReceiptException | QueueClosedException e) {
        // It comes again in any case.
      }
    }
    taken = List.of();
    completed = 0;
  }

  private static long size(Delivery<?> delivery) {
    byte[] bytes = delivery.bytes();
    return bytes == null ? OVERHEAD_BYTES : (long) OVERHEAD_BYTES + bytes.length;
  }
}
