package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The subscriber as its deliveries see it: acknowledgements, converter and receipts. */
interface DeliveryOwner<M> {
  String queueName();

  MessageConverter<M> converter();

  Receipts receipts();

  /** Returns the memory of acknowledgements by receipt; guarded by the subscriber's lock. */
  ReceiptMemory memory();

  void ack(MessageDelivery<M> delivery);

  void nack(MessageDelivery<M> delivery, Duration delay);

  void nack(MessageDelivery<M> delivery);

  void nack(MessageDelivery<M> delivery, @Nullable Duration delay, String reason);

  void fail(MessageDelivery<M> delivery, Throwable cause);

  /** Returns why a delivery before this attempt failed last, if that is known. */
  @Nullable String failure(long place, int attempt);

  void reject(MessageDelivery<M> delivery, String reason);

  void reject(MessageDelivery<M> delivery, String reason, Throwable cause);

  void release(MessageDelivery<M> delivery);

  <T> boolean ackAndPublish(
      MessageDelivery<M> delivery, ContinuationTarget<T> target, List<Message<T>> messages);

  void extend(MessageDelivery<M> delivery, Duration time);
}
