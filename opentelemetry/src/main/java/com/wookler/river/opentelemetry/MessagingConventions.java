package com.wookler.river.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;

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

  private MessagingConventions() {}
}
