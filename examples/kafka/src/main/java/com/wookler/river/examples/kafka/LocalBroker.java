package com.wookler.river.examples.kafka;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;

/** A broker of Apache Kafka in a process of its own, at a free port of this machine. */
final class LocalBroker implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Path directory;
  private final int port = freePort();
  private final TimeSource time = TimeSource.system();
  private volatile @Nullable ChildProcess process; // read by the thread that prints

  LocalBroker(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    Files.writeString(
        properties(),
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
        group.initial.rebalance.delay.ms=0
        offsets.topic.num.partitions=1
        offsets.topic.replication.factor=1
        transaction.state.log.num.partitions=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        share.coordinator.state.topic.num.partitions=1
        share.coordinator.state.topic.replication.factor=1
        share.coordinator.state.topic.min.isr=1
        """
            .formatted(port, freePort(), directory.resolve("data")));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Path properties() {
    return directory.resolve("server.properties");
  }

  Map<String, Object> client() {
    return Map.of("bootstrap.servers", servers());
  }

  String servers() {
    return "127.0.0.1:" + port;
  }

  boolean isRunning() {
    return process != null;
  }

  /** Starts it with the data that it has, and waits until it answers. */
  void start() throws IOException, InterruptedException {
    ChildProcess started =
        ChildProcess.start(
            LocalBroker.class, directory.resolve("output.txt"), properties().toString());
    process = started;
    long until = time.nanoTime() + PATIENCE.toNanos();
    try (Admin admin = Admin.create(client())) {
      while (!answers(admin)) {
        if (!started.isAlive() || time.nanoTime() - until > 0) {
          throw new IllegalStateException(
              "the broker did not start; see " + directory.resolve("output.txt"));
        }
        time.park(this, LOOK_NANOS);
      }
    }
  }

  private static boolean answers(Admin admin) throws InterruptedException {
    try {
      return !admin.describeCluster().nodes().get(1, TimeUnit.SECONDS).isEmpty();
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  void createTopic(String name, int partitions) throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(client())) {
      admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
    }
  }

  /** Ends it as {@code kill -9} does. */
  void kill() throws InterruptedException {
    ChildProcess running = process;
    if (running != null) {
      process = null;
      running.kill();
    }
  }

  @Override
  public void close() {
    ChildProcess running = process;
    if (running != null) {
      running.close();
    }
  }

  /** Runs the broker, in its process: formats its directory if it is new. */
  public static void main(String[] args) throws ReflectiveOperationException {
    ChildProcess.endWithParent();
    Path properties = Path.of(args[0]);
    if (!Files.exists(properties.resolveSibling("data/meta.properties"))) {
      // By reflection, because javac warns of what it finds in classes made by Scala.
      Class.forName("kafka.tools.StorageTool")
          .getMethod("execute", String[].class, PrintStream.class)
          .invoke(
              null,
              new String[] {"format", "-t", "AAAAAAAAQACAAAAAAAAAAQ", "-c", properties.toString()},
              new PrintStream(System.out, true, StandardCharsets.UTF_8));
    }
    Class.forName("kafka.Kafka")
        .getMethod("main", String[].class)
        .invoke(null, (Object) new String[] {properties.toString()});
  }
}
