package com.wookler.river.kafka;

import static org.awaitility.Awaitility.await;

import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A broker of one node in a process of its own, which can be killed and started again. */
final class Broker implements AutoCloseable {
  private static Broker shared; // guarded by the class

  private final Path directory;
  private final int port;
  private Child process;

  private Broker(Path directory, int port) {
    this.directory = directory;
    this.port = port;
  }

  /** Returns the broker that all tests of this JVM share; it ends with the JVM. */
  static synchronized Broker shared() {
    if (shared == null) {
      try {
        Path directory = Path.of("target", "broker-" + ProcessHandle.current().pid());
        DirectoryCopy.delete(directory);
        shared = in(directory.toAbsolutePath());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return shared;
  }

  static Broker in(Path directory) throws IOException {
    Broker broker = new Broker(Files.createDirectories(directory), freePort());
    int controller = freePort();
    Files.writeString(
        broker.properties(),
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        log.dirs=%3$s
        auto.create.topics.enable=false
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        allow.everyone.if.no.acl.found=true
        group.initial.rebalance.delay.ms=0
        offsets.topic.num.partitions=2
        offsets.topic.replication.factor=1
        transaction.state.log.num.partitions=2
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        share.coordinator.state.topic.num.partitions=2
        share.coordinator.state.topic.replication.factor=1
        share.coordinator.state.topic.min.isr=1
        group.share.min.record.lock.duration.ms=1000
        num.network.threads=2
        num.io.threads=2
        """
            .formatted(broker.port, controller, directory.resolve("data")));
    broker.start();
    return broker;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Path properties() {
    return directory.resolve("server.properties");
  }

  String servers() {
    return "127.0.0.1:" + port;
  }

  Map<String, Object> client() {
    return new HashMap<>(Map.of("bootstrap.servers", servers()));
  }

  void start() throws IOException {
    process = Child.start(BrokerMain.class, directory.resolve("output"), properties().toString());
    try (Admin admin = admin()) {
      await()
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofMillis(100))
          .ignoreExceptions()
          .failFast(() -> !process.isAlive())
          .until(() -> !admin.describeCluster().nodes().get(2, TimeUnit.SECONDS).isEmpty());
    }
  }

  void kill() throws InterruptedException {
    process.kill();
  }

  Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", servers(), "reconnect.backoff.max.ms", "200"));
  }

  void createTopic(String name, int partitions) throws Exception {
    createTopic(name, partitions, Map.of());
  }

  void createTopic(String name, int partitions, Map<String, String> settings) throws Exception {
    try (Admin admin = admin()) {
      NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(settings);
      admin.createTopics(List.of(topic)).all().get();
      await()
          .ignoreExceptions()
          .until(() -> admin.describeTopics(List.of(name)).allTopicNames().get().size() == 1);
    }
  }

  /** Deletes a topic, and waits until clients cannot find it. */
  void deleteTopic(String name) throws Exception {
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(name)).all().get();
      await().until(() -> !admin.listTopics().names().get().contains(name));
    }
  }

  void addPartitions(String name, int partitions) throws Exception {
    try (Admin admin = admin()) {
      admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions))).all().get();
    }
  }

  void deleteGroup(String name) throws Exception {
    try (Admin admin = admin()) {
      admin.deleteConsumerGroups(Set.of(name)).all().get();
    }
  }

  /** Returns what a consumer that reads committed records only finds, partition by partition. */
  List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
    forEach(topic, found::add);
    return found;
  }

  /** Passes on what such a consumer finds, and keeps none of it. */
  void forEach(String topic, Consumer<ConsumerRecord<byte[], byte[]>> action) {
    Map<String, Object> properties = client();
    properties.put("isolation.level", "read_committed");
    properties.put("auto.offset.reset", "earliest");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        consumer.poll(Duration.ofMillis(100)).forEach(action);
      }
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
