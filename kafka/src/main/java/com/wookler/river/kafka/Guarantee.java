package com.wookler.river.kafka;

/** How often a message of a queue is in the topic that it is forwarded to. */
public enum Guarantee {
  /**
   * Once for every consumer that reads with {@code isolation.level=read_committed}, also after
   * kills of this process or of brokers: messages and position are one transaction of Kafka's.
   */
  EXACTLY_ONCE,
  /**
   * Once or more: after a failure the latest batch may be there twice. For brokers without
   * transactions. The headers {@code river-queue} and {@code river-sequence} name each message.
   */
  AT_LEAST_ONCE
}
