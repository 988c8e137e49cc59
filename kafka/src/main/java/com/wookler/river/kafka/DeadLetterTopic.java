package com.wookler.river.kafka;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies records to a topic of dead letters. Confined to one thread. */
final class DeadLetterTopic implements AutoCloseable {
  /** Header of a dead letter with the reason. */
  static final String REASON = "river-reason";

  /** Header with the key of a dead letter that its topic refuses with a key. */
  static final String KEY = "river-key";

  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterTopic.class);
  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final int LARGEST = 64 << 20; // whatever the source's topic takes

  /** What a consumer has for itself under a name that producers know as well. */
  private static final List<String> OF_CONSUMERS =
      List.of(
          ProducerConfig.INTERCEPTOR_CLASSES_CONFIG,
          ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
          ProducerConfig.TRANSACTIONAL_ID_CONFIG,
          ProducerConfig.CLIENT_ID_CONFIG);

  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final int MOST_DOUBLED = 5; // 32 seconds
  private static final int LONG = 1_000; // bytes of a key, characters of a reason

  private final String topic;
  private final Producer<byte[], byte[]> producer;
  private final TimeSource time = TimeSource.system();
  private int failures; // one after the other
  private long retryNanos;
  private final RateLimitedLog failureLog = new RateLimitedLog(TimeSource.system());

  /** How much of its record a letter has. */
  private enum Form {
    WHOLE,
    WITHOUT_VALUE,
    BARE
  }

  /** A record that is to be a dead letter, and why. */
  record Letter(ConsumerRecord<byte[], byte[]> record, String reason) {}

  /** Returns the name of a group's topic of dead letters where none is given. */
  static String name(String topic, String group) {
    return topic + "-" + group + "-dead";
  }

  /**
   * Creates it with its producer.
   *
   * @throws KafkaException a property is refused
   */
  DeadLetterTopic(String topic, Map<String, Object> clients) {
    this(
        topic,
        new KafkaProducer<>(
            properties(clients), new ByteArraySerializer(), new ByteArraySerializer()));
  }

  DeadLetterTopic(String topic, Producer<byte[], byte[]> producer) {
    this.topic = topic;
    this.producer = producer;
  }

  /** Returns the producer's properties, with which one failure takes less than half a lock. */
  static Map<String, Object> properties(Map<String, Object> clients) {
    Map<String, Object> properties = new HashMap<>(clients);
    properties.keySet().retainAll(ProducerConfig.configNames());
    OF_CONSUMERS.forEach(properties::remove);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 3_000L);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 3_000);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 5_000);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, (long) LARGEST);
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LARGEST);
    return properties;
  }

  /** Creates the topic if it is missing, as the brokers have it by default. */
  static void create(String topic, Map<String, Object> clients) {
    String unused =
        Admins.ask(
            clients, "the topic " + topic + " cannot be created", admin -> create(topic, admin));
  }

  /** Does the same, and returns its name. */
  static String create(String topic, Admin admin) throws InterruptedException, ExecutionException {
    try {
      admin
          .createTopics(List.of(new NewTopic(topic, Optional.empty(), Optional.empty())))
          .all()
          .get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
    return topic;
  }

  /**
   * Sends letters, and waits for each. One that the topic refuses, as too large perhaps, is sent
   * without its value, which is still at its place in the source's topic, and if that is refused,
   * too, with its place and reason only, and its key in a header. After a failure nothing is sent
   * until {@link #retryNanos}.
   *
   * @return those that are in the topic
   */
  List<Letter> send(List<Letter> letters) {
    List<Letter> stored = new ArrayList<>(letters.size());
    if (failures > 0 && retryNanos - time.nanoTime() > 0) {
      return stored;
    }
    List<Letter> left = letters;
    for (Form form : Form.values()) {
      List<Letter> refused = new ArrayList<>();
      sendAll(left, form, stored, refused);
      left = refused;
    }
    failures = stored.isEmpty() ? failures + 1 : 0;
    long seconds = 1L << Math.min(MOST_DOUBLED, Math.max(0, failures - 1));
    retryNanos = time.nanoTime() + RETRY.multipliedBy(seconds).toNanos();
    return stored;
  }

  /** Returns when what was not stored may be sent again: later after each failure. */
  long retryNanos() {
    return retryNanos;
  }

  private void sendAll(List<Letter> letters, Form form, List<Letter> stored, List<Letter> refused) {
    Map<Letter, Future<?>> sent = new LinkedHashMap<>();
    for (Letter letter : letters) {
      try {
        Future<?> future = producer.send(record(letter, form));
        sent.put(letter, future);
        if (future.isDone() && failureOf(future) != null && !isRefusal(future)) {
          break; // no broker answers: each of the others would wait as long
        }
      } catch (InterruptException e) {
        throw e;
      } catch (KafkaException e) {
        failed(e);
      }
    }
    sent.forEach(
        (letter, future) -> {
          Throwable failure = failureOf(future);
          if (failure == null) {
            stored.add(letter);
          } else if (KafkaErrors.isRefusal(failure) && form != Form.BARE) {
            refused.add(letter);
          } else {
            failed(failure);
          }
        });
  }

  private void failed(Throwable failure) {
    if (failureLog.mayLog()) {
      LOG.warn(
          "Dead letters are not in {}, and are tried again: {}", topic, KafkaErrors.words(failure));
    }
  }

  private static boolean isRefusal(Future<?> future) {
    Throwable failure = failureOf(future);
    return failure != null && KafkaErrors.isRefusal(failure);
  }

  private static @Nullable Throwable failureOf(Future<?> future) {
    try {
      future.get();
      return null;
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private ProducerRecord<byte[], byte @Nullable []> record(Letter letter, Form form) {
    ConsumerRecord<byte[], byte[]> from = letter.record();
    if (form == Form.BARE) {
      return bare(from, letter.reason());
    }
    boolean whole = form == Form.WHOLE;
    byte[] value = whole ? from.value() : null;
    Long timestamp = from.timestamp() < 0 ? null : Long.valueOf(from.timestamp()); // -1: none
    ProducerRecord<byte[], byte @Nullable []> record =
        new ProducerRecord<>(topic, null, timestamp, from.key(), value);
    if (whole) {
      from.headers().forEach(record.headers()::add);
    }
    addHeaders(record, from, whole ? letter.reason() : withoutValue(letter.reason()));
    return record;
  }

  private ProducerRecord<byte[], byte @Nullable []> bare(
      ConsumerRecord<byte[], byte[]> from, String reason) {
    ProducerRecord<byte[], byte @Nullable []> record = new ProducerRecord<>(topic, null);
    byte[] key = from.key();
    if (key != null && key.length <= LONG) {
      record.headers().add(KEY, key);
    }
    String text = withoutValue(reason.substring(0, Math.min(LONG, reason.length())));
    addHeaders(record, from, text);
    return record;
  }

  private String withoutValue(String reason) {
    return reason + "; without its value, which " + topic + " refuses";
  }

  private static void addHeaders(
      ProducerRecord<?, ?> record, ConsumerRecord<?, ?> from, String reason) {
    record.headers().add(MessageMapper.PLACE, utf8(SourceMessages.place(from)));
    record.headers().add(REASON, utf8(reason));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    producer.close(CLOSE);
  }
}
