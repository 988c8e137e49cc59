package com.wookler.river.core;

/** Names of the counters that queues keep. */
public final class Constants {
  /** Namespace of what all queues count together. */
  public static final String MONITOR_NAMESPACE = "river.counters.queue";

  /** Messages published. */
  public static final String MONITOR_COUNTER_ADDS = "adds";

  /** Messages delivered. */
  public static final String MONITOR_COUNTER_READS = "reads";

  /** Deliveries acknowledged. */
  public static final String MONITOR_COUNTER_ACKS = "acks";

  /** Deliveries whose attempt is 2 or more. */
  public static final String MONITOR_COUNTER_REDELIVERED = "redelivered";

  /** Messages that became dead letters. */
  public static final String MONITOR_COUNTER_DEAD = "dead";

  /** Dead letters dropped because a subscriber keeps no more, or none as old. */
  public static final String MONITOR_COUNTER_DEAD_DROPPED = "dead.dropped";

  /** Delayed messages that came due. */
  public static final String MONITOR_COUNTER_DELAYED = "delayed";

  /** Messages lost to damage. */
  public static final String MONITOR_COUNTER_DAMAGED = "damaged";

  /**
   * Time to append what a publish has converted, waiting for other publishers included; sampled.
   */
  public static final String MONITOR_COUNTER_ADD_TIME = "time.add";

  /** Time of a poll that delivered; sampled. */
  public static final String MONITOR_COUNTER_READ_TIME = "time.read";

  /** Namespace of what the logs count. */
  public static final String MONITOR_BLOCK_NAMESPACE = "river.counters.block";

  /** Time to append to a block; sampled. */
  public static final String MONITOR_COUNTER_BLOCK_WRITE_TIME = "time.write";

  /** Time to read from a block; sampled. */
  public static final String MONITOR_COUNTER_BLOCK_READ_TIME = "time.read";

  /** Namespace of where each subscriber stands. */
  public static final String MONITOR_SUBSCRIBER_NAMESPACE = "river.counters.subscriber";

  /** Label of what is about one queue: its name. */
  public static final String MONITOR_LABEL_QUEUE = "queue";

  /** Label of what is about one subscriber: its name. */
  public static final String MONITOR_LABEL_SUBSCRIBER = "subscriber";

  private static final String STORE_NAMESPACE = MONITOR_NAMESPACE + ".store";

  private Constants() {}

  /** Namespace of what one queue counts; there is no dot before the queue's name. */
  public static String storeNamespace(String queue) {
    return STORE_NAMESPACE + queue;
  }
}
