package com.wookler.river.kafka;

import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import java.time.Duration;

/**
 * The options of a forwarder, one row each: the builder's checks, XML, the schema and
 * docs/configuration.md are generated from these rows.
 */
final class ForwarderOptions {
  /** All options of a forwarder. */
  static final OptionTable TABLE = new OptionTable("kafka-forward");

  static final Option<String> TOPIC =
      TABLE
          .text("forward.topic")
          .dflt(null, "the queue's name")
          .java("topic(String)")
          .means("the topic. It also holds the position, as the offset of a group at partition 0");

  static final Option<String> TOPIC_EXPRESSION =
      TABLE
          .text("forward.topic.expression")
          .dflt(null, "none")
          .java("topic(Function, String)")
          .unit("expression")
          .means(
              "chooses the topic of each message, as `headers.region`; `forward.topic` holds the"
                  + " position then. Needs `river-filter`");

  static final Option<String> SUBSCRIBER =
      TABLE
          .text("forward.subscriber")
          .dflt("kafka")
          .java("subscriber(String)")
          .means(
              "the subscriber whose only consumer the forwarder is; made with acknowledgement and"
                  + " without a delivery limit if there is none");

  static final Option<Guarantee> GUARANTEE =
      TABLE
          .constant("forward.guarantee", Guarantee.EXACTLY_ONCE)
          .java("guarantee(Guarantee)")
          .means("whether a message may be in the topic twice after a failure");

  static final Option<Long> BATCH_MESSAGES =
      TABLE
          .number("forward.batch.messages", "messages")
          .dflt("5000")
          .between("1", "100000")
          .java("batchMessages(int)")
          .means("messages in one transaction at most; it never waits for more than there are");

  static final Option<Long> BATCH_BYTES =
      TABLE
          .bytes("forward.batch.bytes")
          .dflt("8MB")
          .between("1", "256MB")
          .java("batchBytes(long)")
          .means("bytes of data of them, but for a message that is larger, which is sent alone");

  static final Option<Duration> PAUSE =
      TABLE
          .duration("forward.pause")
          .dflt("5ss")
          .between("10ms", "1hh")
          .java("pause(Duration)")
          .means("pause after a failure before it is tried again");

  static {
    TABLE.end();
  }

  private ForwarderOptions() {}
}
