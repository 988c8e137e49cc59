package com.wookler.river.kafka;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Refuses the options of a queue that Kafka cannot keep, and says what to use instead. */
final class EngineLimits {
  private static final String FORWARD =
      "use a local queue with a <kafka-forward>, whose publishers and subscribers have it";
  private static final String TOPIC = "set the topic's ";

  /** What to use instead, by the beginnings of names; the first that fits counts. */
  private static final Map<String, String> INSTEAD = new LinkedHashMap<>();

  static {
    INSTEAD.put(
        "queue.durability",
        "every publish waits until all in-sync replicas have the message (acks=all), which is DISK;"
            + " leave it out");
    INSTEAD.put("queue.max.message.bytes", TOPIC + "max.message.bytes and kafka.max.request.size");
    INSTEAD.put("queue.max.age", TOPIC + "retention.ms");
    INSTEAD.put("queue.max.", TOPIC + "retention.bytes and retention.ms");
    INSTEAD.put("queue.retention.", TOPIC + "retention.bytes and retention.ms");
    INSTEAD.put("queue.compact", TOPIC + "cleanup.policy=compact");
    INSTEAD.put("queue.deduplicate", FORWARD);
    INSTEAD.put("queue.interceptor", FORWARD);
    INSTEAD.put("queue.index.keys", FORWARD);
    INSTEAD.put("queue.forward", FORWARD);
    INSTEAD.put("queue.fanout.only", FORWARD);
    INSTEAD.put("queue.expiry.queue", FORWARD);
    INSTEAD.put("queue.full.", "set kafka.max.block.ms and kafka.buffer.memory");
    INSTEAD.put("queue.", "it concerns the files of a local queue; leave it out");
    INSTEAD.put("subscriber.filter", "use a <filter> beside the <processor>");
    INSTEAD.put(
        "subscriber.ack.timeout",
        "set executor.time.limit, and kafka.max.poll.interval.ms of a GROUP or"
            + " kafka.share.record.lock.duration.ms of a SHARE");
    INSTEAD.put("subscriber.ack.durability", "brokers keep acknowledgements; leave it out");
    INSTEAD.put("subscriber.batch.size", "set executor.batch.size");
    INSTEAD.put("subscriber.max.in.flight", "set executor.batch.size");
    INSTEAD.put("subscriber.window", "set executor.batch.size");
    INSTEAD.put("subscriber.dead.queue", "set engine.dead.topic");
    INSTEAD.put("subscriber.dead.", TOPIC + "retention.ms, of the topic of dead letters");
    INSTEAD.put("subscriber.order", "only KEY, of a GROUP, is possible");
    INSTEAD.put("subscriber.start", "only earliest and latest are possible");
    INSTEAD.put("subscriber.ack.required", "processors acknowledge there; leave it out");
    INSTEAD.put("subscriber.", FORWARD);
  }

  private EngineLimits() {}

  /** Refuses what is given of a table and is not possible. */
  static void refuse(ConfigNode node, Settings given, Set<Option<?>> possible) {
    for (Option<?> option : given.given()) {
      if (!possible.contains(option)) {
        throw refusal(node, option);
      }
    }
  }

  static RuntimeException refusal(ConfigNode node, Option<?> option) {
    String instead =
        INSTEAD.entrySet().stream()
            .filter(each -> option.name().startsWith(each.getKey()))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(FORWARD);
    return node.error(option.name(), "is not possible with engine=\"kafka\"; " + instead);
  }
}
