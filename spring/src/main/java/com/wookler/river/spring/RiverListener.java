package com.wookler.river.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Makes a method of a singleton bean a subscriber of a queue.
 *
 * <pre>{@code
 * @RiverListener(queue = "orders", maxDeliveries = "5", backoff = "exponential 1ss 5mm")
 * void on(Order order, @Header("type") String type) { … }
 * }</pre>
 *
 * <p>The method is called for each message, at least once: the message is acknowledged when the
 * method returns, and delivered again by the backoff when it throws, or after a kill. Parameters
 * are the payload, headers ({@link Header}) and the {@link
 * com.wookler.river.core.subscriber.Delivery}, each of which may be missing; with {@link #batch} a
 * list of payloads or of deliveries. A method that returns a {@link
 * com.wookler.river.reactor.ProcessResult}, or a list of them for a batch, says what becomes of the
 * message; otherwise it returns nothing.
 *
 * <p>The payload's type decides how the queue's data is converted, unless the queue is open
 * already, is in {@code river.config}, or has a {@code river.queues.<queue>.type}: see {@link
 * RiverConverters}.
 *
 * <p>All texts may have placeholders, such as {@code ${orders.concurrency:4}}.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface RiverListener {
  /** The name of the queue; the same as {@link #queue}. */
  @AliasFor("queue")
  String value() default "";

  /** The name of the queue. */
  @AliasFor("value")
  String queue() default "";

  /**
   * The name of the subscriber, which keeps its position under it (default: names of bean and
   * method, {@code bean.method}).
   */
  String subscriber() default "";

  /** How many threads call the method at once (default 1). */
  String concurrency() default "1";

  /** Whether the method takes a list of messages instead of one. */
  boolean batch() default false;

  /** How many messages a thread takes at once, at most (default: {@code subscriber.batch.size}). */
  String batchSize() default "";

  /** An expression over key, headers and JSON fields; needs the module river-filter. */
  String filter() default "";

  /**
   * The order: {@code SEQUENCE}, {@code KEY} or {@code STRICT} (default: that of the delivery, on
   * as many threads as there are). See {@link com.wookler.river.core.subscriber.Order}.
   */
  String order() default "";

  /** After how many deliveries a message becomes a dead letter (default: never). */
  String maxDeliveries() default "";

  /**
   * How long a message waits before it is delivered again: {@code fixed 5ss}, {@code list 1ss 5ss
   * 30ss}, {@code exponential 1ss 5mm} (default: none).
   */
  String backoff() default "";

  /** Whether it starts with the application (default true); else {@link RiverListeners#start}. */
  String autoStartup() default "true";

  /**
   * Further options of the subscriber, such as {@code subscriber.ack.timeout=5mm}, by the names of
   * docs/configuration.md.
   */
  String[] options() default {};
}
