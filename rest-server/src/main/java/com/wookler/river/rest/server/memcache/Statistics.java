package com.wookler.river.rest.server.memcache;

import com.wookler.river.core.QueueStats;
import com.wookler.river.core.subscriber.SubscriberStats;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.ServerContext;
import com.wookler.river.rest.server.hosting.SettingsSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What {@code stats} and {@code dump_stats} answer: Kestrel's names in Kestrel's order. Figures of
 * what River does not have, such as messages in memory, are 0. Blocks.
 */
final class Statistics {
  /** Numbers only: some clients refuse anything else. */
  static final String VERSION = "2.4.1";

  private static final String LINE_END = "\r\n";
  private static final String END = "END" + LINE_END;

  private final ServerContext context;
  private final Figures figures;
  private final long start;

  Statistics(ServerContext context, Figures figures) {
    this.context = context;
    this.figures = figures;
    this.start = context.time().nanoTime();
  }

  /** Returns the names of a queue for clients: itself, then its children. */
  List<QueueName> names(HostedQueue<?> queue) {
    String name = queue.queue().name();
    List<QueueName> names = new ArrayList<>();
    names.add(new QueueName(name, QueueName.READER));
    if (queue.source() != SettingsSource.APPLICATION) { // whose subscribers are its own
      queue.queue().subscriberNames().stream()
          .filter(subscriber -> !subscriber.equals(QueueName.READER))
          .sorted()
          .forEach(subscriber -> names.add(new QueueName(name, subscriber)));
    }
    return names;
  }

  String all() {
    StringBuilder text = new StringBuilder();
    Map<String, Map<String, Object>> queues = new LinkedHashMap<>();
    Map<QueueName, Long> waiters = waiters();
    for (HostedQueue<?> queue : Readers.open(context.queues().catalog())) {
      for (QueueName name : names(queue)) {
        queues.put(name.text(), figures(queue, name, waiters));
      }
    }
    server(queues).forEach((key, value) -> stat(text, key, value));
    queues.forEach(
        (queue, all) ->
            all.forEach((key, value) -> stat(text, "queue_" + queue + "_" + key, value)));
    return text.append(END).toString();
  }

  private static void stat(StringBuilder text, String key, Object value) {
    text.append("STAT ").append(key).append(' ').append(value).append(LINE_END);
  }

  /** Returns the figures of these queues, of all without one. */
  String of(List<String> wanted) {
    StringBuilder text = new StringBuilder();
    Map<QueueName, Long> waiters = waiters();
    for (HostedQueue<?> queue : Readers.open(context.queues().catalog())) {
      for (QueueName name : names(queue)) {
        if (wanted.isEmpty() || wanted.contains(name.text())) {
          text.append("queue '").append(name.text()).append("' {").append(LINE_END);
          figures(queue, name, waiters)
              .forEach(
                  (key, value) ->
                      text.append("  ").append(key).append('=').append(value).append(LINE_END));
          text.append('}').append(LINE_END);
        }
      }
    }
    return text.append(END).toString();
  }

  private Map<String, Object> server(Map<String, Map<String, Object>> queues) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("uptime", Duration.ofNanos(context.time().nanoTime() - start).toSeconds());
    all.put("time", Duration.ofNanos(1_000 * context.time().epochMicros()).toSeconds());
    all.put("version", VERSION);
    all.put("curr_items", sum(queues, "items"));
    all.put("total_items", figures.stored.sum());
    all.put("bytes", sum(queues, "bytes"));
    all.put("reserved_memory_ratio", 0);
    all.put("curr_connections", figures.connections.get());
    all.put("total_connections", figures.connected.sum());
    all.put("cmd_get", figures.gets.sum());
    all.put("cmd_set", figures.sets.sum());
    all.put("cmd_peek", figures.peeks.sum());
    all.put("get_hits", figures.hits.sum());
    all.put("get_misses", figures.misses.sum());
    all.put("bytes_read", figures.bytesRead.sum());
    all.put("bytes_written", figures.bytesWritten.sum());
    all.put("queue_creates", figures.created.sum());
    all.put("queue_deletes", figures.deleted.sum());
    all.put("queue_expires", 0);
    return all;
  }

  /** Returns roughly how much of a queue's data a number of its messages is. */
  private static long bytes(QueueStats log, long items) {
    double share = (double) Math.min(items, log.messages()) / log.messages();
    return Math.round(share * log.bytes());
  }

  private static long sum(Map<String, Map<String, Object>> queues, String key) {
    return queues.values().stream()
        .mapToLong(all -> all.get(key) instanceof Number number ? number.longValue() : 0)
        .sum();
  }

  /** Returns how many reads wait, by name; one look at all polls, of which there may be many. */
  private Map<QueueName, Long> waiters() {
    return context.polls().subscribers().stream()
        .collect(
            Collectors.groupingBy(
                polled -> new QueueName(polled.queue(), polled.subscriber().name()),
                Collectors.counting()));
  }

  private Map<String, Object> figures(
      HostedQueue<?> queue, QueueName name, Map<QueueName, Long> waiters) {
    QueueStats log = queue.queue().stats();
    HostedSubscriber<?> reader = queue.find(name.subscriber());
    SubscriberStats read = reader == null ? null : reader.subscriber().stats();
    Figures.OfQueue ours = figures.of(name);
    long items = read == null ? log.messages() : Math.max(0, read.lag() - read.inFlight());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("items", items);
    all.put("bytes", log.messages() == 0 ? 0 : bytes(log, items));
    all.put("total_items", log.nextSequence());
    all.put("logsize", log.bytes());
    all.put("expired_items", read == null ? 0 : read.expired());
    all.put("mem_items", 0);
    all.put("mem_bytes", 0);
    all.put("age", read == null ? 0 : read.oldestUnfinishedAge().toMillis());
    all.put("discarded", read == null ? 0 : read.discarded());
    all.put("waiters", waiters.getOrDefault(name, 0L));
    all.put("open_transactions", read == null ? 0 : read.inFlight());
    all.put("transactions", ours.opened.sum());
    all.put("canceled_transactions", ours.canceled.sum());
    all.put("total_flushes", ours.flushes.sum());
    all.put("journal_rewrites", 0);
    all.put("journal_rotations", 0);
    if (!name.isChild()) {
      List<String> children =
          names(queue).stream().filter(QueueName::isChild).map(QueueName::text).toList();
      if (!children.isEmpty()) {
        all.put("children", String.join(",", children));
      }
    }
    return all;
  }
}
