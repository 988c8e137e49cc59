package com.wookler.river.kafka;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.River;
import com.wookler.river.core.RiverExtension;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.ValueExpression;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Starts a {@link KafkaForwarder} for each {@code <kafka-forward queue="…">} of a file. */
public final class KafkaForwardExtension implements RiverExtension {
  /** Parameters that begin so are Kafka's own, by the rest of their names. */
  private static final String KAFKA = "kafka.";

  /** For {@link java.util.ServiceLoader}. */
  public KafkaForwardExtension() {}

  @Override
  public String element() {
    return "kafka-forward";
  }

  @Override
  public AutoCloseable start(ConfigNode element, ConfigNode root, River river) {
    element.allowAttributes(List.of("queue"));
    element.allowChildren(List.of("params"));
    String name = element.requireAttribute("queue");
    List<String> ofKafka =
        element.paramNames().stream().filter(param -> param.startsWith(KAFKA)).toList();
    Settings settings =
        ForwarderOptions.TABLE.read(element, ForwarderOptions.TABLE.defaults(), ofKafka);
    element.requireParam(KAFKA + "bootstrap.servers");
    if (!river.queues().containsKey(name)) {
      throw element.error("there is no <queue name=\"" + name + "\"> here");
    }
    Map<String, Object> properties = new HashMap<>();
    for (String param : ofKafka) {
      properties.put(param.substring(KAFKA.length()), element.requireParam(param));
    }
    try {
      return start(river.queue(name), properties, settings);
    } catch (ConfigurationException e) {
      throw element.located(e);
    }
  }

  private static KafkaForwarder<Object> start(
      MessageQueue<Object> queue, Map<String, Object> properties, Settings settings) {
    KafkaForwarder.Builder<Object> builder =
        KafkaForwarder.builder(queue, properties).settings(settings);
    String expression = settings.find(ForwarderOptions.TOPIC_EXPRESSION);
    if (expression != null) {
      ValueExpression value = ValueExpression.parse(expression);
      String anchor = settings.find(ForwarderOptions.TOPIC);
      builder.topic(delivery -> topic(value, delivery), anchor == null ? queue.name() : anchor);
    }
    return builder.start();
  }

  private static @Nullable String topic(ValueExpression expression, Delivery<?> delivery) {
    Object value =
        expression.value(
            delivery.key(), delivery.headers(), Objects.requireNonNull(delivery.bytes()));
    return value == null ? null : value.toString();
  }
}
