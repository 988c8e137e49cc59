package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.wookler.river.rest.server.RiverServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the client to the server's OpenAPI document. */
class ContractTest {
  /** Which method asks for which operation. */
  private static final Map<String, String> METHODS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("listQueues", "RiverClient.queues"),
              Map.entry("live", "RiverClient.isLive"),
              Map.entry("ready", "RiverClient.isReady"),
              Map.entry("metrics", "RiverClient.metrics"),
              Map.entry("contract", "RiverClient.contract"),
              Map.entry("getQueue", "RemoteQueue.info"),
              Map.entry("putQueue", "RemoteQueue.create"),
              Map.entry("patchQueue", "RemoteQueue.change"),
              Map.entry("deleteQueue", "RemoteQueue.delete"),
              Map.entry("compact", "RemoteQueue.compact"),
              Map.entry("publishBytes", "RemoteQueue.publish"),
              Map.entry("publish", "RemoteQueue.publish"),
              Map.entry("reload", "RiverClient.reload"),
              Map.entry("getQueueStatus", "RemoteQueue.status"),
              Map.entry("putQueueStatus", "RemoteQueue.status"),
              Map.entry("publishBatch", "RemoteQueue.publishAll"),
              Map.entry("findMessages", "RemoteQueue.messages"),
              Map.entry("getMessage", "RemoteQueue.message"),
              Map.entry("cancelMessage", "RemoteQueue.cancel"),
              Map.entry("cancelMessages", "RemoteQueue.cancelByKey"),
              Map.entry("replaceMessage", "RemoteQueue.replace"),
              Map.entry("replaceById", "RemoteQueue.replace"),
              Map.entry("removeMessages", "RemoteQueue.removeMessages"),
              Map.entry("trim", "RemoteQueue.trimBefore"),
              Map.entry("eraseMessage", "RemoteQueue.erase"),
              Map.entry("eraseMessages", "RemoteQueue.erase"),
              Map.entry("createSnapshot", "RemoteQueue.snapshot"),
              Map.entry("listBlocks", "RemoteQueue.blocks"),
              Map.entry("listForwards", "RemoteQueue.forwards"),
              Map.entry("putForward", "RemoteQueue.forward"),
              Map.entry("deleteForward", "RemoteQueue.removeForward"),
              Map.entry("awaitForwards", "RemoteQueue.awaitForwards"),
              Map.entry("startRedrive", "RemoteSubscriber.startRedrive"),
              Map.entry("listRedrives", "RemoteQueue.redrives"),
              Map.entry("getRedrive", "RemoteQueue.redrive"),
              Map.entry("cancelRedrive", "RemoteQueue.cancelRedrive"),
              Map.entry("listSubscribers", "RemoteQueue.subscribers"),
              Map.entry("getSubscriber", "RemoteSubscriber.info"),
              Map.entry("putSubscriber", "RemoteSubscriber.create"),
              Map.entry("patchSubscriber", "RemoteSubscriber.change"),
              Map.entry("deleteSubscriber", "RemoteSubscriber.delete"),
              Map.entry("take", "RemoteSubscriber.batch"),
              Map.entry("stream", "RemoteSubscriber.stream"),
              Map.entry("createStreamToken", "RemoteSubscriber.streamToken"),
              Map.entry("listConsumers", "RemoteSubscriber.consumers"),
              Map.entry("endConsumer", "RemoteSubscriber.endConsumer"),
              Map.entry("ack", "RemoteSubscriber.ack"),
              Map.entry("ackUpTo", "RemoteSubscriber.ackUpTo"),
              Map.entry("ackAndPublish", "RemoteSubscriber.ackAndPublish"),
              Map.entry("renewLease", "RemoteSubscriber.renewLease"),
              Map.entry("releaseLease", "RemoteSubscriber.releaseLease"),
              Map.entry("nack", "RemoteSubscriber.nack"),
              Map.entry("release", "RemoteSubscriber.release"),
              Map.entry("reject", "RemoteSubscriber.reject"),
              Map.entry("extend", "RemoteSubscriber.extend"),
              Map.entry("seek", "RemoteSubscriber.seek"),
              Map.entry("pause", "RemoteSubscriber.pause"),
              Map.entry("resume", "RemoteSubscriber.resume"),
              Map.entry("purge", "RemoteSubscriber.purge"),
              Map.entry("peek", "RemoteSubscriber.peek"),
              Map.entry("peekDead", "RemoteSubscriber.deadLetters"),
              Map.entry("purgeDead", "RemoteSubscriber.purgeDeadLetters"),
              Map.entry("deleteDeadLetter", "RemoteSubscriber.deleteDeadLetter"),
              Map.entry("redrive", "RemoteSubscriber.redrive")));

  /** What pages ask for; the client has the figures of metrics, and the data of messages. */
  private static final Set<String> FOR_THE_PAGE =
      Set.of(
          "streamByToken",
          "getAccess",
          "listKeys",
          "listOptions",
          "getFigures",
          "streamFigures",
          "getPastOfQueue",
          "getPastOfSubscriber",
          "getData");

  private static final JsonNode CONTRACT = contract();

  private static JsonNode contract() {
    try (InputStream in = RiverServer.class.getResourceAsStream("/openapi.yaml")) {
      return new YAMLMapper().readTree(Objects.requireNonNull(in));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldHaveAMethodForEachOperation() {
    Set<String> operations = new TreeSet<>();
    CONTRACT.findValuesAsText("operationId").forEach(operations::add);
    operations.removeIf(operation -> operation.startsWith("console")); // a page, for people
    operations.removeAll(FOR_THE_PAGE);
    assertThat(METHODS.keySet()).isEqualTo(operations);
    Map<String, Class<?>> types =
        Map.of(
            "RiverClient", RiverClient.class,
            "RemoteQueue", RemoteQueue.class,
            "RemoteSubscriber", RemoteSubscriber.class);
    METHODS.forEach(
        (operation, named) -> {
          String[] parts = named.split("\\.", 2);
          assertThat(types.get(parts[0]).getMethods())
              .as(operation)
              .extracting(Method::getName)
              .contains(parts[1]);
        });
  }

  record Pair(Class<?> type, JsonNode schema) {
    @Override
    public String toString() {
      return type.getSimpleName();
    }
  }

  private static JsonNode schema(String name) {
    return CONTRACT.at("/components/schemas/" + name);
  }

  static Stream<Pair> pairs() {
    return Stream.of(
        new Pair(Reloaded.class, schema("Reloaded")),
        new Pair(StreamToken.class, schema("StreamToken")),
        new Pair(SnapshotInfo.class, schema("Snapshot")),
        new Pair(BlockInfo.class, schema("Block")),
        new Pair(ConsumerInfo.class, schema("Consumer")),
        new Pair(Problem.class, schema("Problem")),
        new Pair(Published.class, schema("Published")),
        new Pair(PublishedBatch.class, schema("PublishedBatch")),
        new Pair(QueueInfo.class, schema("Queue")),
        new Pair(QueueStats.class, schema("Queue").at("/properties/stats")),
        new Pair(QueueSettings.class, schema("QueueSettings")),
        new Pair(QueueSettings.WhenFull.class, schema("QueueSettings").at("/properties/whenFull")),
        new Pair(
            QueueSettings.Retention.class, schema("QueueSettings").at("/properties/retention")),
        new Pair(QueueSettings.Recycle.class, schema("QueueSettings").at("/properties/recycle")),
        new Pair(QueueSettings.Backup.class, schema("QueueSettings").at("/properties/backup")),
        new Pair(SubscriberInfo.class, schema("Subscriber")),
        new Pair(SubscriberStats.class, schema("Subscriber").at("/properties/stats")),
        new Pair(SubscriberInfo.Lease.class, schema("Subscriber").at("/properties/lease")),
        new Pair(SubscriberSettings.class, schema("SubscriberSettings")),
        new Pair(SubscriberSettings.Backoff.class, schema("Backoff")),
        new Pair(SubscriberSettings.Exponential.class, schema("ExponentialBackoff")),
        new Pair(ForwardInfo.class, schema("Forward")),
        new Pair(ForwardStats.class, schema("Forward").at("/properties/stats")),
        new Pair(ForwardSettings.class, schema("ForwardSettings")),
        new Pair(Position.class, schema("Position")),
        new Pair(JsonCodec.MessageJson.class, schema("Delivery")));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void shouldHaveRecordsAsTheSchemas(Pair pair) {
    Map<String, JsonNode> properties = new TreeMap<>();
    collect(pair.schema(), properties);
    Map<String, RecordComponent> components = new TreeMap<>();
    for (RecordComponent component : pair.type().getRecordComponents()) {
      components.put(component.getName(), component);
    }
    assertThat(components.keySet()).isEqualTo(properties.keySet());
    properties.forEach(
        (name, property) ->
            assertThat(types(property)).as(name).contains(components.get(name).getType()));
    for (String name : required(pair.schema())) {
      if (pair.type() != JsonCodec.MessageJson.class) { // which is two schemas
        assertThat(components.get(name).getAnnotatedType().getAnnotations())
            .as("%s is required, and not null", name)
            .isEmpty();
      }
    }
  }

  private static void collect(JsonNode schema, Map<String, JsonNode> properties) {
    schema.path("properties").properties().forEach(e -> properties.put(e.getKey(), e.getValue()));
    schema.path("oneOf").forEach(one -> collect(one, properties));
  }

  private static List<String> required(JsonNode schema) {
    return StreamSupport.stream(schema.path("required").spliterator(), false)
        .map(JsonNode::asText)
        .toList();
  }

  /** What a property may be in Java. */
  private static List<Class<?>> types(JsonNode property) {
    String ref = property.path("$ref").asText("").replaceFirst(".*/", "");
    if (!ref.isEmpty()) {
      return switch (ref) {
        case "Duration" -> List.of(Duration.class);
        case "Durability" -> List.of(Durability.class);
        case "QueueStatus" -> List.of(QueueStatus.class);
        case "Name" -> List.of(String.class);
        case "Sequence" -> List.of(long.class, Long.class);
        case "Headers" -> List.of(Map.class);
        case "Position" -> List.of(Position.class);
        case "Backoff" -> List.of(SubscriberSettings.Backoff.class);
        case "ExponentialBackoff" -> List.of(SubscriberSettings.Exponential.class);
        case "QueueSettings" -> List.of(QueueSettings.class);
        case "ForwardSettings" -> List.of(ForwardSettings.class);
        case "SubscriberSettings" -> List.of(SubscriberSettings.class);
        default -> throw new AssertionError("what is a " + ref);
      };
    }
    return switch (property.path("type").asText(property.has("enum") ? "string" : "object")) {
      case "string" ->
          property.path("format").asText().equals("date-time")
              ? List.of(Instant.class)
              : List.of(String.class);
      case "integer" ->
          property.path("format").asText().equals("int64")
              ? List.of(long.class, Long.class)
              : List.of(int.class, Integer.class);
      case "number" -> List.of(double.class, Double.class);
      case "boolean" -> List.of(boolean.class, Boolean.class);
      case "array" -> List.of(List.class);
      default ->
          Arrays.asList(
              QueueStats.class,
              SubscriberStats.class,
              ForwardStats.class,
              QueueSettings.WhenFull.class,
              QueueSettings.Retention.class,
              QueueSettings.Recycle.class,
              QueueSettings.Backup.class,
              SubscriberInfo.Lease.class);
    };
  }

  @Test
  void shouldKnowEveryRequestParameter() throws IOException {
    Set<String> headers = new TreeSet<>();
    CONTRACT
        .at("/paths/~1v1~1queues~1{queue}~1messages/post/parameters")
        .forEach(
            parameter -> {
              if (parameter.path("in").asText().equals("header")) {
                headers.add(parameter.path("name").asText().toLowerCase(Locale.ROOT));
              }
            });
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.published(1));
        RiverClient client = RiverClient.builder(server.address()).build()) {
      NewMessage message = NewMessage.text("a").withKey("k").expiresAfter(Duration.ofSeconds(2));
      client.queue("q").publish(message.deliverAfter(Duration.ofSeconds(1)));
      client.queue("q").publish(message.deliverAt(Instant.EPOCH)); // instead of a delay
      Set<String> sent = new TreeSet<>(server.requests.get(0).headers().keySet());
      sent.addAll(server.requests.get(1).headers().keySet());
      assertThat(sent).containsAll(headers);
    }
  }
}
