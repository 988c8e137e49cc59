package com.wookler.river.kafka;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import java.util.Map;

/**
 * What the sources of reactors have in common.
 *
 * @param names of what it reads and writes
 * @param identity of the topic
 * @param clients Kafka's properties of consumers, producers and administrators
 * @param converter of the data
 * @param backoff how long a message waits that is to be delivered again
 * @param maxDeliveries how often a message is processed at most; 0: without limit
 * @param <M> type of the data
 */
record SourceSettings<M>(
    Names names,
    TopicIdentity identity,
    Map<String, Object> clients,
    MessageConverter<M> converter,
    Backoff backoff,
    int maxDeliveries) {
  /** What it reads, as whom, and where dead letters go. */
  record Names(String topic, String group, String deadLetters) {}

  /** Without properties, which hold secrets. */
  @Override
  public String toString() {
    return names.toString();
  }

  String topic() {
    return names.topic();
  }

  String group() {
    return names.group();
  }

  String deadLetters() {
    return names.deadLetters();
  }
}
