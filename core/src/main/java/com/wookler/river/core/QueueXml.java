package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.ack.Retries;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a {@code <queue>} element into a {@link QueueConfig}; touches nothing on disk. */
final class QueueXml {
  /** Parameters of a queue. */
  static final List<String> QUEUE_PARAMS =
      List.of(
          "queue.message.converter",
          "queue.directory",
          "queue.onstart.reload",
          "queue.durability",
          "queue.sync.interval",
          "queue.on.damage",
          "queue.block.bytes",
          "queue.max.message.bytes",
          "queue.max.messages",
          "queue.max.bytes",
          "queue.full.policy",
          "queue.full.timeout",
          "queue.deduplicate",
          "queue.index.keys",
          "queue.forward",
          "queue.fanout.only",
          "queue.max.age",
          "queue.expiry.queue",
          "queue.max.expire.sweep",
          "queue.retention.age",
          "queue.retention.bytes",
          "queue.retention.messages",
          "queue.retention.unfinished",
          "queue.disk.reserve",
          "queue.discarded.retention",
          "ehcache.config");

  /** Parameters of the original that change nothing here, because what they tuned is gone. */
  static final List<String> QUEUE_PARAMS_WITHOUT_EFFECT =
      List.of(
          "queue.lock.timeout",
          "queue.recovery.threshold",
          "queue.blocks.unused",
          "queue.chronicle.size");

  /** Parameters of a backup. */
  static final List<String> BACKUP_PARAMS =
      List.of("backup.directory", "backup.retention", "backup.full");

  /** Parameters of a subscriber. */
  static final List<String> SUBSCRIBER_PARAMS =
      List.of(
          "subscriber.ack.required",
          "subscriber.ack.timeout",
          "subscriber.ack.durability",
          "subscriber.max.deliveries",
          "subscriber.retry.count",
          "subscriber.backoff",
          "subscriber.dead.max",
          "subscriber.dead.age",
          "subscriber.expiry.queue",
          "subscriber.order",
          "subscriber.filter",
          "subscriber.filter.expression",
          "subscriber.max.in.flight",
          "subscriber.window",
          "subscriber.start",
          "subscriber.batch.size",
          "subscriber.poll.timeout");

  /** Parameters of the original's subscribers that change nothing here. */
  static final List<String> SUBSCRIBER_PARAMS_WITHOUT_EFFECT = List.of("subscriber.ack.cache.size");

  /** Of a subscriber with processors; others have nothing that it would concern. */
  static final List<String> SUBSCRIBER_PARAMS_OF_PROCESSORS = List.of("subscriber.ack.async");

  private static final Logger LOG = LoggerFactory.getLogger(QueueXml.class);

  private QueueXml() {}

  @SuppressWarnings("unchecked") // the XML names the class; what it converts is up to the caller
  static <M> QueueConfig<M> read(ConfigNode node) {
    String name = node.requireAttribute("name");
    node.allowAttributes(List.of("name"));
    node.allowChildren(List.of("params", "recycle", "backup", "subscribers"));
    node.allowParams(both(QUEUE_PARAMS, QUEUE_PARAMS_WITHOUT_EFFECT));
    tell(node, QUEUE_PARAMS_WITHOUT_EFFECT);
    node.requireParam("queue.message.converter");
    Path directory = Path.of(node.requireParam("queue.directory"));
    MessageConverter<M> converter =
        (MessageConverter<M>)
            node.instantiateParam("queue.message.converter", MessageConverter.class);
    QueueSettings<M> settings = new QueueSettings<>(name, converter);
    settings.directory = directory;
    try {
      read(node, settings);
      return settings.config();
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }

  private static <M> void read(ConfigNode node, QueueSettings<M> to) {
    node.child("recycle")
        .ifPresent(recycle -> to.recycle = recycle.instantiate(RecycleStrategy.class));
    to.blockBytes = node.bytes("queue.block.bytes", to.blockBytes);
    to.maxMessageBytes = maxMessageBytes(node, to.maxMessageBytes);
    to.durability = constant(node, "queue.durability", Durability.class, to.durability);
    to.syncInterval = node.duration("queue.sync.interval", to.syncInterval);
    to.onDamage = constant(node, "queue.on.damage", OnDamage.class, to.onDamage);
    limits(node, to);
    to.deduplicate = node.duration("queue.deduplicate", to.deduplicate);
    to.keyIndex = node.bool("queue.index.keys", to.keyIndex);
    to.forward = forward(node, to.forward);
    to.maxAge = node.duration("queue.max.age", to.maxAge);
    to.expiryQueue = node.param("queue.expiry.queue").orElse(null);
    to.maxExpireSweep = node.integer("queue.max.expire.sweep", to.maxExpireSweep);
    to.retention = retention(node, to.retention);
    to.reload = node.bool("queue.onstart.reload", to.reload);
    to.discardedRetention = node.duration("queue.discarded.retention", to.discardedRetention);
    backup(node, to);
    to.ehcache = node.file("ehcache.config").orElse(null);
    subscribers(node, to);
  }

  private static ForwardConfig forward(ConfigNode node, ForwardConfig otherwise) {
    List<String> queues =
        node.param("queue.forward")
            .map(names -> List.of(names.strip().split("[\\s,]+")))
            .orElse(otherwise.queues());
    return new ForwardConfig(queues, node.bool("queue.fanout.only", otherwise.only()));
  }

  private static int maxMessageBytes(ConfigNode node, int otherwise) {
    long bytes = node.bytes("queue.max.message.bytes", otherwise);
    if (bytes < 1 || bytes > StorageConfig.MAX_MESSAGE_BYTES) {
      throw node.error("queue.max.message.bytes", "is " + bytes + "; 1 byte to 128 MB are allowed");
    }
    return (int) bytes;
  }

  private static void limits(ConfigNode node, QueueSettings<?> to) {
    to.maxMessages = node.number("queue.max.messages", to.maxMessages);
    to.maxBytes = node.bytes("queue.max.bytes", to.maxBytes);
    to.fullPolicy = constant(node, "queue.full.policy", FullPolicy.class, to.fullPolicy);
    to.fullTimeout = node.duration("queue.full.timeout", to.fullTimeout);
    if (node.param("queue.disk.reserve").isPresent()) {
      to.diskReserve = node.bytes("queue.disk.reserve", 0);
    }
  }

  private static Retention retention(ConfigNode node, Retention otherwise) {
    Retention read = otherwise;
    if (node.param("queue.retention.age").isPresent()) {
      read = read.withAge(node.duration("queue.retention.age", Duration.ZERO));
    }
    if (node.param("queue.retention.bytes").isPresent()) {
      read = read.withBytes(node.bytes("queue.retention.bytes", 0));
    }
    if (node.param("queue.retention.messages").isPresent()) {
      read = read.withMessages(node.number("queue.retention.messages", 0));
    }
    return node.bool("queue.retention.unfinished", false) ? read.removingUnfinished() : read;
  }

  private static <E extends Enum<E>> E constant(
      ConfigNode node, String param, Class<E> type, E otherwise) {
    String name = node.param(param).orElse(otherwise.name());
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equalsIgnoreCase(name)) {
        return constant;
      }
    }
    String allowed =
        Stream.of(type.getEnumConstants()).map(Enum::name).collect(Collectors.joining(" and "));
    throw node.error(param, "is '" + name + "'; " + allowed + " are allowed");
  }

  private static void backup(ConfigNode queue, QueueSettings<?> to) {
    Optional<ConfigNode> found = queue.child("backup");
    if (found.isPresent()) {
      ConfigNode node = found.get();
      node.allowChildren(List.of("params"));
      node.allowParams(BACKUP_PARAMS);
      to.backupDirectory = Path.of(node.requireParam("backup.directory"));
      node.requireParam("backup.retention");
      to.backupRetention = node.duration("backup.retention", to.backupRetention);
      to.backupFull = constant(node, "backup.full", BackupFull.class, to.backupFull);
    }
  }

  private static void subscribers(ConfigNode queue, QueueSettings<?> to) {
    Extensions extensions = new Extensions();
    Set<String> names = new HashSet<>();
    for (ConfigNode list : queue.children("subscribers")) {
      list.allowChildren(List.of("subscriber"));
      for (ConfigNode node : list.children("subscriber")) {
        Optional<SubscriberExtension.Attachment> attachment = extensions.read(node);
        node.allowChildren(extensions.children());
        SubscriberConfig subscriber = subscriber(node);
        if (!names.add(subscriber.name().toLowerCase(Locale.ROOT))) {
          throw node.error("there are two subscribers of the name " + subscriber.name());
        }
        to.subscribers.add(subscriber);
        attachment.ifPresent(found -> to.attachments.put(subscriber.name(), found));
      }
    }
  }

  private static SubscriberConfig subscriber(ConfigNode node) {
    node.allowAttributes(List.of("name"));
    node.allowParams(
        both(
            both(SUBSCRIBER_PARAMS, SUBSCRIBER_PARAMS_OF_PROCESSORS),
            SUBSCRIBER_PARAMS_WITHOUT_EFFECT));
    tell(node, SUBSCRIBER_PARAMS_WITHOUT_EFFECT);
    try {
      SubscriberConfig.Builder builder =
          SubscriberConfig.builder(Names.check("subscriber", node.requireAttribute("name")));
      filter(node, builder);
      return builder
          .ack(node.bool("subscriber.ack.required", false))
          .ackTimeout(node.duration("subscriber.ack.timeout", SubscriberConfig.DEFAULT_ACK_TIMEOUT))
          .ackDurability(
              constant(node, "subscriber.ack.durability", Durability.class, Durability.MEMORY))
          .maxDeliveries(maxDeliveries(node))
          .backoff(backoff(node))
          .deadLetterLimit(node.number("subscriber.dead.max", 0))
          .deadLetterAge(node.duration("subscriber.dead.age", Duration.ZERO))
          .expiryQueue(node.param("subscriber.expiry.queue").orElse(null))
          .order(constant(node, "subscriber.order", Order.class, Order.SEQUENCE))
          .maxInFlight(
              node.integer("subscriber.max.in.flight", SubscriberConfig.DEFAULT_MAX_IN_FLIGHT))
          .window(node.integer("subscriber.window", SubscriberConfig.DEFAULT_WINDOW))
          .start(start(node))
          .batchSize(node.integer("subscriber.batch.size", SubscriberConfig.DEFAULT_BATCH_SIZE))
          .pollTimeout(
              node.duration("subscriber.poll.timeout", SubscriberConfig.DEFAULT_POLL_TIMEOUT))
          .build();
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }

  @SuppressWarnings("unchecked") // the XML names the class; what it filters is up to the caller
  private static void filter(ConfigNode node, SubscriberConfig.Builder to) {
    Optional<String> expression = node.param("subscriber.filter.expression");
    if (node.param("subscriber.filter").isPresent()) {
      if (expression.isPresent()) {
        throw node.error(
            "subscriber.filter.expression", "is given beside subscriber.filter; give one of them");
      }
      to.filter(
          (Predicate<Message<Object>>) node.instantiateParam("subscriber.filter", Predicate.class));
    }
    if (expression.isPresent()) {
      try {
        to.filterExpression(expression.get());
      } catch (ConfigurationException e) {
        throw node.error("subscriber.filter.expression", String.valueOf(e.getMessage()));
      }
    }
  }

  /** The original counted retries, that is without the first delivery. */
  private static int maxDeliveries(ConfigNode node) {
    if (node.param("subscriber.retry.count").isEmpty()) {
      return node.integer("subscriber.max.deliveries", 0);
    }
    int retries = node.integer("subscriber.retry.count", 0);
    if (node.param("subscriber.max.deliveries").isPresent()) {
      throw node.error(
          "subscriber.retry.count", "is given beside subscriber.max.deliveries; give one of them");
    }
    if (!node.bool("subscriber.ack.required", false)) {
      throw node.error(
          "subscriber.retry.count",
          "has no effect without subscriber.ack.required; require acknowledgement, or leave it out");
    }
    if (retries < 0 || retries >= Retries.MOST_DELIVERIES) {
      throw node.error(
          "subscriber.retry.count",
          "is " + retries + "; 0 to " + (Retries.MOST_DELIVERIES - 1) + " are allowed");
    }
    return retries + 1;
  }

  private static Backoff backoff(ConfigNode node) {
    try {
      return Backoff.parse(node.param("subscriber.backoff").orElse("none"));
    } catch (ConfigurationException e) {
      throw node.error("subscriber.backoff", String.valueOf(e.getMessage()));
    }
  }

  private static Position start(ConfigNode node) {
    String text = node.param("subscriber.start").orElse("earliest").trim();
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "earliest" -> Position.earliest();
      case "latest" -> Position.latest();
      default -> sequenceOrTime(node, text);
    };
  }

  private static Position sequenceOrTime(ConfigNode node, String text) {
    try {
      return text.chars().allMatch(Character::isDigit)
          ? Position.sequence(Long.parseLong(text))
          : Position.time(Instant.parse(text));
    } catch (NumberFormatException | DateTimeException e) {
      throw node.error(
          "subscriber.start",
          "is '"
              + text
              + "'; allowed are earliest, latest, a sequence, a time such as"
              + " 2026-11-20T10:15:00Z");
    }
  }

  private static void tell(ConfigNode node, List<String> withoutEffect) {
    for (String param : withoutEffect) {
      if (node.param(param).isPresent()) {
        LOG.info("{}: {} is accepted, but has no effect", node.location(), param);
      }
    }
  }

  private static List<String> both(List<String> some, List<String> others) {
    List<String> all = new ArrayList<>(some);
    all.addAll(others);
    return all;
  }
}
