package com.wookler.river.opentelemetry;

import com.wookler.river.core.Constants;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.List;
import java.util.Map;

/**
 * The names of OpenTelemetry's semantic conventions for messaging, version 1.45. They are still in
 * development, so everything that follows them is here.
 */
final class MessagingConventions {
  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  static final AttributeKey<String> SUBSCRIPTION =
      AttributeKey.stringKey("messaging.destination.subscription.name");
  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
  static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  static final AttributeKey<Long> BATCH_COUNT =
      AttributeKey.longKey("messaging.batch.message_count");
  static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
  static final AttributeKey<Long> BODY_SIZE = AttributeKey.longKey("messaging.message.body.size");
  static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

  /** River's own: which delivery of the message to its subscriber it is. */
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("river.message.attempt");

  /** River's own: the processor of the reactor. */
  static final AttributeKey<String> PROCESSOR = AttributeKey.stringKey("river.processor");

  static final String RIVER = "river";
  static final String CREATE = "create";
  static final String PROCESS = "process";

  /** River's names of the operations of which there are metrics, and the conventions' types. */
  static final String PUBLISH = "publish";

  static final String SEND = "send";
  static final String POLL = "poll";
  static final String RECEIVE = "receive";

  static final String SENT_MESSAGES = "messaging.client.sent.messages";
  static final String CONSUMED_MESSAGES = "messaging.client.consumed.messages";
  static final String OPERATION_DURATION = "messaging.client.operation.duration";
  static final String PROCESS_DURATION = "messaging.process.duration";

  /** River's own: how far behind a subscriber is. */
  static final String LAG = "river.subscriber.lag";

  /** River's own: what a subscriber was given and has not completed. */
  static final String IN_FLIGHT = "river.subscriber.in_flight";

  /** River's own: how old the oldest message is that a subscriber has not completed. */
  static final String OLDEST_AGE = "river.subscriber.oldest_age";

  static final String MESSAGES_UNIT = "{message}";
  static final String SECONDS_UNIT = "s";

  /** The bounds of the buckets that the conventions recommend for durations, in seconds. */
  static final List<Double> DURATION_BOUNDS =
      List.of(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0);

  private static final String LABEL_PROCESSOR = "processor"; // as the reactor's counters have it

  private MessagingConventions() {}

  /** Returns the attributes of a metric of an operation: its owner's, and the operation's names. */
  static Attributes ofOperation(String name, String type, Map<String, String> labels) {
    return ofOwner(labels).toBuilder().put(OPERATION, name).put(OPERATION_TYPE, type).build();
  }

  /** Returns the attributes of what the labels of a counter name: queue, subscriber, processor. */
  static Attributes ofOwner(Map<String, String> labels) {
    AttributesBuilder builder = Attributes.builder().put(SYSTEM, RIVER);
    labels.forEach(
        (label, value) -> {
          switch (label) {
            case Constants.MONITOR_LABEL_QUEUE -> builder.put(DESTINATION, value);
            case Constants.MONITOR_LABEL_SUBSCRIBER -> builder.put(SUBSCRIPTION, value);
            case LABEL_PROCESSOR -> builder.put(PROCESSOR, value);
            default -> {} // none of the conventions'
          }
        });
    return builder.build();
  }
}
