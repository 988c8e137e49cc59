package com.wookler.river.kafka;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.QueueEngine;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.reactor.DeliverySource;
import com.wookler.river.reactor.ReactorExtension;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;

/**
 * Keeps queues in topics: {@code <queue name="orders" engine="kafka">}. Its publisher is a
 * producer, and each subscriber, which must have processors, is a reactor over a consumer group or
 * a share group.
 */
public final class KafkaEngine implements QueueEngine {
  /** Parameters that begin so are Kafka's own, by the rest of their names. */
  private static final String KAFKA = "kafka.";

  /** Where a group begins. */
  private static final Set<String> STARTS =
      Set.of(KAFKA + ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, KAFKA + GroupSettings.OFFSET_RESET);

  private static final String ACK_ASYNC = "subscriber.ack.async"; // of the reactor
  private static final String CONVERTER = "queue.message.converter"; // read by core

  private static final Set<Option<?>> OF_SUBSCRIBERS =
      Set.of(
          SubscriberOptions.ACK_REQUIRED,
          SubscriberOptions.MAX_DELIVERIES,
          SubscriberOptions.BACKOFF,
          SubscriberOptions.ORDER,
          SubscriberOptions.START);

  /** For {@link java.util.ServiceLoader}. */
  public KafkaEngine() {}

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public Plan read(Definition queue) {
    ConfigNode element = queue.element();
    for (ConfigNode child : element.children()) {
      if (!List.of("params", "subscribers").contains(child.name())) {
        throw child.error(
            "is not possible with engine=\"kafka\": brokers keep the messages, as the topic's"
                + " settings say; leave it out");
      }
    }
    String topic = topic(queue);
    Map<String, Object> properties = properties(element);
    Map<String, Object> producer = PublisherProperties.of(properties);
    List<KafkaQueue.Planned> reactors = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (ConfigNode list : element.children("subscribers")) {
      list.allowChildren(List.of("subscriber"));
      for (ConfigNode node : list.children("subscriber")) {
        String name = node.requireAttribute("name");
        if (!names.add(name.toLowerCase(Locale.ROOT))) {
          throw node.error("there are two subscribers of the name " + name);
        }
        reactors.add(reactor(queue, node, topic, properties));
      }
    }
    return () -> KafkaQueue.start(publisher(queue, topic, producer), reactors);
  }

  private static KafkaPublisher<Object> publisher(
      Definition queue, String topic, Map<String, Object> producer) {
    try {
      return new KafkaPublisher<>(queue.name(), topic, queue.converter(), producer);
    } catch (KafkaException e) { // an unknown host, or what a login module refuses
      throw queue
          .element()
          .located(
              new ConfigurationException(
                  "Kafka's producer cannot be made: " + KafkaErrors.words(e), e));
    }
  }

  private static String topic(Definition queue) {
    ConfigNode element = queue.element();
    List<String> more = new ArrayList<>(EngineOptions.TABLE.names(EngineOptions.QUEUE));
    more.addAll(ofKafka(element));
    Settings given = QueueOptions.TABLE.read(element, QueueOptions.TABLE.defaults(), more);
    Set<Option<?>> possible = new HashSet<>();
    QueueOptions.TABLE.row(CONVERTER).ifPresent(possible::add);
    if (given.get(QueueOptions.DURABILITY) == Durability.DISK) {
      possible.add(QueueOptions.DURABILITY);
    }
    EngineLimits.refuse(element, given, possible);
    element.requireParam(KAFKA + "bootstrap.servers");
    more.addAll(QueueOptions.TABLE.allowed(EngineOptions.QUEUE, List.of()));
    Settings own = EngineOptions.TABLE.read(element, EngineOptions.TABLE.defaults(), more);
    String topic = own.find(EngineOptions.TOPIC);
    return topic == null ? queue.name() : topic;
  }

  private static List<String> ofKafka(ConfigNode element) {
    return element.paramNames().stream().filter(param -> param.startsWith(KAFKA)).toList();
  }

  private static Map<String, Object> properties(ConfigNode element) {
    Map<String, Object> properties = new HashMap<>();
    for (String param : ofKafka(element)) {
      if (STARTS.contains(param)) {
        throw element.error(param, "is what subscriber.start says of a subscriber; use that");
      }
      properties.put(param.substring(KAFKA.length()), element.requireParam(param));
    }
    return properties;
  }

  private static KafkaQueue.Planned reactor(
      Definition queue, ConfigNode node, String topic, Map<String, Object> properties) {
    node.allowAttributes(List.of("name"));
    List<String> stages = List.of("processor", "selector");
    if (stages.stream().allMatch(stage -> node.child(stage).isEmpty())) {
      throw node.error(
          "has no <processor>; with engine=\"kafka\" only reactors take messages: add one, or use a"
              + " local queue");
    }
    node.allowChildren(new ReactorExtension().elements());
    try {
      return new KafkaQueue.Planned(
          node, ReactorExtension.builder(node, source(queue, node, topic, properties)));
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }

  private static DeliverySource<Object> source(
      Definition queue, ConfigNode node, String topic, Map<String, Object> ofQueue) {
    String name = node.requireAttribute("name");
    List<String> more = new ArrayList<>(EngineOptions.TABLE.names(EngineOptions.SUBSCRIBER));
    more.addAll(ofKafka(node));
    more.add(ACK_ASYNC);
    Settings given = SubscriberOptions.TABLE.read(node, SubscriberOptions.TABLE.defaults(), more);
    more.addAll(SubscriberOptions.TABLE.allowed(EngineOptions.SUBSCRIBER, List.of()));
    Settings own = EngineOptions.TABLE.read(node, EngineOptions.TABLE.defaults(), more);
    boolean share = own.get(EngineOptions.CONSUMERS) == EngineOptions.Consumers.SHARE;
    refuse(node, given, share);
    Map<String, Object> properties = new HashMap<>(ofQueue);
    properties.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG); // the producer's
    properties.keySet().removeIf(ForwardProperties::isOfProducersOnly);
    properties.putAll(ofConsumers(node));
    String group = own.find(EngineOptions.GROUP);
    String id = group == null ? topic + "-" + name : group;
    SourceBuilder<Object, ?> builder =
        share
            ? KafkaShare.builder(properties, topic, id, queue.converter())
            : KafkaGroup.builder(properties, topic, id, queue.converter());
    String dead = own.find(EngineOptions.DEAD_TOPIC);
    builder.deadLetterTopic(dead == null ? id + "-dead" : dead);
    // Processors acknowledge, whatever a local queue of the same file does.
    Settings all =
        given
            .with(SubscriberOptions.ACK_REQUIRED, true)
            .or(queue.defaults().subscriber(queue.name(), name));
    if (all.isGiven(SubscriberOptions.MAX_DELIVERIES)) {
      builder.maxDeliveries(all.number(SubscriberOptions.MAX_DELIVERIES));
    }
    if (!all.get(SubscriberOptions.START).equals(Position.latest())) {
      builder.earliest();
    }
    return builder.backoff(all.get(SubscriberOptions.BACKOFF)).build();
  }

  private static Map<String, Object> ofConsumers(ConfigNode node) {
    Map<String, Object> properties = properties(node);
    for (String property : properties.keySet()) {
      if (ForwardProperties.isOfProducersOnly(property)) {
        throw node.error(
            KAFKA + property, "is of producers, and a subscriber has none; give it to the queue");
      }
    }
    return properties;
  }

  private static void refuse(ConfigNode node, Settings given, boolean share) {
    Set<Option<?>> possible = new HashSet<>(OF_SUBSCRIBERS);
    Position start = given.get(SubscriberOptions.START);
    if (!start.equals(Position.earliest()) && !start.equals(Position.latest())) {
      possible.remove(SubscriberOptions.START);
    }
    if (!given.is(SubscriberOptions.ACK_REQUIRED)) {
      possible.remove(SubscriberOptions.ACK_REQUIRED);
    }
    if (share || given.get(SubscriberOptions.ORDER) != Order.KEY) {
      possible.remove(SubscriberOptions.ORDER);
    }
    EngineLimits.refuse(node, given, possible);
  }
}
