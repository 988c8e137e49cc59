package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.Env;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.testing.MonitorXml;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Queues and subscribers as XML defines them. */
class XmlQueueTest {
  @TempDir Path directory;

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    Env.reset();
  }

  /** Named in the XML. */
  public static final class Text implements MessageConverter<String> {
    @Override
    public byte[] toBytes(String data) {
      return data.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String fromBytes(byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private static String param(String name, String value) {
    return "<param name=\"" + name + "\" value=\"" + value + "\"/>\n";
  }

  private String required() {
    return param("queue.message.converter", Text.class.getName())
        + param("queue.directory", directory.toString());
  }

  private static String queue(String name, String params, String rest) {
    return "<queue name=\""
        + name
        + "\">\n<params>\n"
        + params
        + "</params>\n"
        + rest
        + "</queue>\n";
  }

  private Path file(String content) {
    try {
      return Files.writeString(
          directory.resolve("orders.xml"), "<river>\n" + content + "</river>\n");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private MessageQueue<String> configured(String queue) {
    MessageQueue<String> made = new MessageQueue<>();
    open.add(made);
    made.configure(ConfigParser.parse(file(queue)).at("queue"));
    return made;
  }

  private void shouldRefuse(String queue, String... naming) {
    var thrown =
        assertThatThrownBy(() -> configured(queue))
            .isInstanceOf(ConfigurationException.class)
            .hasMessageMatching("(?s).*orders\\.xml:\\d+.*");
    for (String name : naming) {
      thrown.hasMessageContaining(name);
    }
    assertThat(directory.resolve("orders")).doesNotExist();
  }

  static Stream<Arguments> queueParams() {
    return Stream.of(
        Arguments.of("queue.onstart.reload", "false", "maybe"),
        Arguments.of("queue.durability", "disk", "tape"),
        Arguments.of("queue.durability", "MEMORY", "paper"),
        Arguments.of("queue.sync.interval", "100ms", "0"),
        Arguments.of("queue.sync.interval", "PT1S", "often"),
        Arguments.of("queue.on.damage", "stop", "ignore"),
        Arguments.of("queue.block.bytes", "128 MB", "2 GB"),
        Arguments.of("queue.block.bytes", "67108864", "large"),
        Arguments.of("queue.max.message.bytes", "64MB", "0"),
        Arguments.of("queue.max.message.bytes", "1000", "129MB"),
        Arguments.of("queue.unused.blocks", "100", "-1"),
        Arguments.of("queue.unused.age", "7dd", "-1dd"),
        Arguments.of("queue.expires.after", "7dd", "-1dd"),
        Arguments.of("queue.max.messages", "1000000", "0"),
        Arguments.of("queue.max.bytes", "10 GB", "none"),
        Arguments.of("queue.full.policy", "discard_oldest", "WAIT"),
        Arguments.of("queue.full.policy", "BLOCK", "drop"),
        Arguments.of("queue.full.timeout", "5ss", "-1ss"),
        Arguments.of("queue.deduplicate", "10mm", "-1ss"),
        Arguments.of("queue.index.keys", "true", "some"),
        Arguments.of("queue.compact", "false", "some"),
        Arguments.of("queue.compact.age", "1mm", "some"),
        Arguments.of("queue.compact.bytes", "1mb", "0"),
        Arguments.of("queue.compact.deletes.age", "2hh", "some"),
        Arguments.of("queue.compact.unseen", "true", "some"),
        Arguments.of("queue.forward", "audit, billing", "audit orders"),
        Arguments.of("queue.fanout.only", "false", "true"),
        Arguments.of("queue.max.age", "7dd", "-1ss"),
        Arguments.of("queue.expiry.queue", "expired", "orders"),
        Arguments.of("queue.max.expire.sweep", "10", ""),
        Arguments.of("queue.retention.age", "30dd", "-1dd"),
        Arguments.of("queue.retention.bytes", "10 GB", "0"),
        Arguments.of("queue.retention.messages", "1000", "0"),
        Arguments.of("queue.retention.unfinished", "true", "perhaps"),
        Arguments.of("queue.disk.reserve", "0", "-1"),
        Arguments.of("queue.disk.reserve", "1GB", "much"),
        Arguments.of("queue.discarded.retention", "1dd", "-1dd"),
        Arguments.of("queue.lock.timeout", "100", ""),
        Arguments.of("queue.recovery.threshold", "10", ""),
        Arguments.of("queue.blocks.unused", "2", ""),
        Arguments.of("queue.chronicle.size", "1000", ""));
  }

  @ParameterizedTest
  @MethodSource("queueParams")
  void shouldTakeEachParameterAndRefuseBadValues(String name, String good, String bad) {
    String compacts =
        name.startsWith("queue.compact.")
            ? param("queue.index.keys", "true") + param("queue.compact", "true")
            : "";
    MessageQueue<String> queue =
        configured(queue("orders", required() + compacts + param(name, good), ""));
    assertThat(queue.name()).isEqualTo("orders");
    assertThat(directory.resolve("orders")).doesNotExist(); // nothing before start()
    if (!bad.isEmpty()) {
      shouldRefuse(queue("orders", required() + param(name, bad), ""), name);
    }
  }

  @Test
  void shouldMakeTheInterceptorThatItNames() {
    String name = PublishInterceptorTest.Marker.class.getName();
    try (MessageQueue<String> queue =
        configured(queue("orders", required() + param("queue.interceptor", name), ""))) {
      queue.start();
      queue.publisher().publish("a");
      assertThat(queue.read(0).orElseThrow().key()).isEqualTo("marked");
    }
  }

  @Test
  void shouldTestEveryParameterOfAQueue() {
    Set<String> tested = new HashSet<>();
    queueParams().forEach(arguments -> tested.add((String) arguments.get()[0]));
    tested.addAll(
        Set.of(
            "queue.message.converter", "queue.interceptor", "queue.directory", "ehcache.config"));
    assertThat(tested).containsAll(QueueOptions.TABLE.names("queue"));
    assertThat(tested).containsAll(QueueOptions.TABLE.namesWithoutEffect("queue"));
  }

  @Test
  void shouldTakeItsLimitsAndItsRetention() {
    String params =
        required()
            + param("queue.max.messages", "15")
            + param("queue.full.policy", "DISCARD_OLDEST")
            + param("queue.retention.messages", "25")
            + param("queue.retention.unfinished", "true");
    MessageQueue<String> queue = configured(queue("orders", params, ""));
    queue.start();
    for (int i = 0; i < 20; i++) {
      queue.publisher().publish("m" + i);
    }
    assertThat(queue.subscriber("late").next().sequence()).isEqualTo(5);
  }

  @Test
  void shouldNameThePlaceOfACacheFileThatIsMissing() {
    shouldRefuse(
        queue("orders", required() + param("ehcache.config", "none.xml"), ""),
        "ehcache.config",
        "none.xml");
  }

  @Test
  void shouldNameTheParameterThatNamesAnotherQueueWrongly() {
    for (String param : List.of("queue.forward", "queue.expiry.queue")) {
      shouldRefuse(queue("orders", required() + param(param, "a/b"), ""), param, "a/b");
    }
  }

  @Test
  void shouldNameConvertersThatAreThere() {
    String base = param("queue.directory", directory.toString());
    String bytes = queue("a", base + param("queue.message.converter", "bytes"), "");
    String text = queue("b", base + param("queue.message.converter", "utf8"), "");
    try (River river = River.open(file(bytes + text))) {
      assertThat(river.queue("a").converter()).isSameAs(MessageConverter.bytes());
      assertThat(river.queue("b").converter()).isSameAs(MessageConverter.utf8());
    }
  }

  @Test
  void shouldRequireConverterAndDirectory() {
    shouldRefuse(
        queue("orders", param("queue.directory", directory.toString()), ""),
        "queue.message.converter");
    shouldRefuse(
        queue("orders", param("queue.message.converter", Text.class.getName()), ""),
        "queue.directory");
    String base = param("queue.directory", directory.toString());
    shouldRefuse(
        queue("orders", base + param("queue.message.converter", "no.Such"), ""), "no.Such");
    shouldRefuse(
        queue("orders", base + param("queue.message.converter", "java.lang.String"), ""),
        "java.lang.String");
  }

  @Test
  void shouldSuggestTheNameThatWasMeant() {
    shouldRefuse(
        queue("orders", required() + param("queue.onstart.relaod", "false"), ""),
        "queue.onstart.relaod",
        "queue.onstart.reload");
    shouldRefuse(queue("orders", required(), "<recicle/>"), "recicle", "recycle");
    shouldRefuse(
        queue("orders", required(), subscriber("billing", param("subscriber.ack.requird", "true"))),
        "subscriber.ack.requird",
        "subscriber.ack.required");
    shouldRefuse(
        queue(
            "orders",
            required(),
            "<backup><params>" + param("backup.directroy", "x") + "</params></backup>"),
        "backup.directroy",
        "backup.directory");
  }

  @Test
  void shouldRefuseNamesThatBreakTheRule() {
    for (String name : List.of("a b", "../x", "", "x.dead", "-x", ".x", "x".repeat(65))) {
      shouldRefuse(queue(name, required(), ""));
    }
    shouldRefuse("<queue><params>" + required() + "</params></queue>", "name");
  }

  private static String subscriber(String name, String params) {
    return "<subscribers>\n<subscriber name=\""
        + name
        + "\">\n<params>\n"
        + params
        + "</params>\n</subscriber>\n</subscribers>\n";
  }

  static Stream<Arguments> subscriberParams() {
    return Stream.of(
        Arguments.of("subscriber.ack.required", "true", "perhaps"),
        Arguments.of("subscriber.ack.timeout", "45ss", "0"),
        Arguments.of("subscriber.ack.timeout", "12hh", "13hh"),
        Arguments.of("subscriber.ack.durability", "MEMORY", "SSD"),
        Arguments.of("subscriber.max.in.flight", "1", "0"),
        Arguments.of("subscriber.max.in.flight", "1048576", "1048577"),
        Arguments.of("subscriber.exclusive", "true", ""),
        Arguments.of("subscriber.lease", "5ss", "0"),
        Arguments.of("subscriber.max.rate", "1000", "1000000001"),
        Arguments.of("subscriber.max.bytes.rate", "1000000", "-1"),
        Arguments.of("subscriber.window", "1000", "1048577"),
        Arguments.of("subscriber.window", "1", "few"),
        Arguments.of("subscriber.start", "latest", "newest"),
        Arguments.of("subscriber.start", "EARLIEST", "-1"),
        Arguments.of("subscriber.start", "42", "99999999999999999999"),
        Arguments.of("subscriber.start", "2026-11-20T10:15:00Z", "2026-11-20"),
        Arguments.of("subscriber.batch.size", "1", "0"),
        Arguments.of("subscriber.poll.timeout", "0", "-1"),
        Arguments.of("subscriber.ack.async", "true", ""),
        Arguments.of("subscriber.max.deliveries", "5", "-1"),
        Arguments.of("subscriber.retry.count", "3", "-1"),
        Arguments.of("subscriber.dead.max", "1000", "-1"),
        Arguments.of("subscriber.dead.age", "30dd", "36501dd"),
        Arguments.of("subscriber.dead.queue", "dead", "orders"),
        Arguments.of("subscriber.expires.after", "7dd", "36501dd"),
        Arguments.of("subscriber.expiry.queue", "expired", "orders"),
        Arguments.of("subscriber.backoff", "exponential 1ss 5mm", "sometimes"),
        Arguments.of("subscriber.order", "sequence", "RANDOM"),
        Arguments.of("subscriber.filter", EveryOther.class.getName(), "java.lang.String"),
        Arguments.of("subscriber.ack.cache.size", "10", ""));
  }

  @ParameterizedTest
  @MethodSource("subscriberParams")
  void shouldTakeEachParameterOfASubscriber(String name, String good, String bad) {
    String ack =
        name.equals("subscriber.ack.required") ? "" : param("subscriber.ack.required", "true");
    String needed =
        name.equals("subscriber.lease") ? ack + param("subscriber.exclusive", "true") : ack;
    configured(queue("orders", required(), subscriber("billing", needed + param(name, good))));
    if (!bad.isEmpty()) {
      shouldRefuse(
          queue("orders", required(), subscriber("billing", param(name, bad))), name, "billing");
    }
  }

  static Stream<Arguments> paramsThatNeedAcknowledgement() {
    return Stream.of(
        Arguments.of("subscriber.max.deliveries", "3"),
        Arguments.of("subscriber.retry.count", "3"),
        Arguments.of("subscriber.backoff", "fixed 5ss"),
        Arguments.of("subscriber.dead.max", "100"),
        Arguments.of("subscriber.dead.age", "1dd"),
        Arguments.of("subscriber.order", "KEY"),
        Arguments.of("subscriber.ack.durability", "DISK"));
  }

  @ParameterizedTest
  @MethodSource("paramsThatNeedAcknowledgement")
  void shouldRefuseWhatHasNoEffectWithoutAcknowledgement(String name, String value) {
    String queue = queue("orders", required(), subscriber("billing", "\n" + param(name, value)));

    shouldRefuse(
        queue, "orders.xml:" + lineOf(queue, name) + ":", name, "subscriber.ack.required", "leave");

    shouldRefuse(
        queue.replace(
            "</params>\n</sub", param("subscriber.ack.required", "false") + "</params>\n</sub"),
        name);
  }

  @Test
  void shouldNotShowTheDeliveriesWhereRetriesWereGiven() {
    String queue =
        queue("orders", required(), subscriber("billing", param("subscriber.retry.count", "3")));
    shouldRefuse(queue, "subscriber.retry.count is given, but without");
  }

  /** In the file: the queue's first line is its second. */
  private static long lineOf(String queue, String text) {
    return 2 + queue.substring(0, queue.indexOf('"' + text + '"')).lines().count() - 1;
  }

  static Stream<Arguments> outOfRange() {
    return Stream.of(
        Arguments.of("queue.block.bytes", "1KB"),
        Arguments.of("queue.sync.interval", "0"),
        Arguments.of("queue.max.messages", "0"),
        Arguments.of("queue.deduplicate", "400dd"),
        Arguments.of("queue.max.age", "-1ss"),
        Arguments.of("queue.expiry.queue", "orders"),
        Arguments.of("subscriber.window", "0"),
        Arguments.of("subscriber.max.in.flight", "0"),
        Arguments.of("subscriber.batch.size", "0"),
        Arguments.of("subscriber.ack.timeout", "13hh"),
        Arguments.of("subscriber.max.deliveries", "-1"),
        Arguments.of("subscriber.expiry.queue", "orders"),
        Arguments.of("backup.retention", "-1ss"),
        Arguments.of("recycle.size", "0"));
  }

  /** Checked outside the XML, by code that knows no lines. */
  @ParameterizedTest
  @MethodSource("outOfRange")
  void shouldNameTheLineOfAParameterThatIsOutOfItsRange(String name, String value) {
    String one = "\n" + param(name, value);
    String queue =
        queue(
            "orders",
            required() + (name.startsWith("queue.") ? one : ""),
            "<recycle class=\"com.wookler.river.core.SizeBasedRecycle\">\n<params>"
                + (name.startsWith("recycle.") ? one : param("recycle.size", "1"))
                + "</params></recycle>\n<backup>\n<params>"
                + param("backup.directory", "backup")
                + (name.startsWith("backup.") ? one : param("backup.retention", "1dd"))
                + "</params></backup>\n"
                + subscriber(
                    "billing",
                    param("subscriber.ack.required", "true")
                        + (name.startsWith("subscriber.") ? one : "")));

    shouldRefuse(queue, "orders.xml:" + lineOf(queue, name) + ":", name);
  }

  @Test
  void shouldTestEveryParameterOfASubscriber() {
    Set<String> tested = new HashSet<>();
    tested.add("subscriber.filter.expression"); // by ExpressionSubscriberTest, in module filter
    subscriberParams().forEach(arguments -> tested.add((String) arguments.get()[0]));
    assertThat(tested).containsAll(SubscriberOptions.TABLE.names("subscriber"));
    assertThat(tested).containsAll(SubscriberOptions.TABLE.namesWithoutEffect("subscriber"));
  }

  @Test
  void shouldMakeTheSubscribersOfTheFile() {
    MessageQueue<String> queue =
        configured(
            queue(
                "orders",
                required(),
                "<subscribers>"
                    + "<subscriber name=\"billing\"><params>"
                    + param("subscriber.ack.required", "true")
                    + param("subscriber.ack.timeout", "45ss")
                    + param("subscriber.retry.count", "4")
                    + param("subscriber.backoff", "fixed 5ss")
                    + param("subscriber.dead.max", "100")
                    + param("subscriber.dead.age", "1dd")
                    + param("subscriber.max.in.flight", "7")
                    + param("subscriber.window", "70")
                    + param("subscriber.batch.size", "9")
                    + param("subscriber.poll.timeout", "250")
                    + "</params></subscriber><subscriber name=\"audit\"/></subscribers>"));
    queue.start();
    assertThat(queue.subscribers()).hasSize(2);
    Subscriber<String> billing = queue.subscriber("billing");
    assertThat(billing.config().ackRequired()).isTrue();
    assertThat(billing.config().ackTimeout()).isEqualTo(Duration.ofSeconds(45));
    assertThat(billing.config().maxDeliveries()).isEqualTo(5); // the first is no retry
    assertThat(billing.config().backoff()).isEqualTo(Backoff.fixed(Duration.ofSeconds(5)));
    assertThat(billing.config().deadLetterLimit()).isEqualTo(100);
    assertThat(billing.config().deadLetterAge()).isEqualTo(Duration.ofDays(1));
    assertThat(billing.config().maxInFlight()).isEqualTo(7);
    assertThat(billing.config().window()).isEqualTo(70);
    assertThat(billing.config().batchSize()).isEqualTo(9);
    assertThat(billing.config().pollTimeout()).isEqualTo(Duration.ofMillis(250));
    assertThat(queue.subscriber("audit").config().ackRequired()).isFalse();
    queue.publisher().publish("m0");
    assertThat(billing.next().data()).isEqualTo("m0");
  }

  @Test
  void shouldRefuseSubscribersThatCannotBe() {
    String twice = "<subscriber name=\"billing\"/>\n<subscriber name=\"Billing\"/>\n";
    shouldRefuse(
        queue("orders", required(), "<subscribers>\n" + twice + "</subscribers>"), "Billing");
    shouldRefuse(queue("orders", required(), subscriber("a/b", "")), "a/b");
    shouldRefuse(queue("orders", required(), "<subscribers><subscriber/></subscribers>"), "name");
    for (String push : List.of("<executor/>", "<processor name=\"store\" class=\"x.Y\"/>")) {
      shouldRefuse(
          queue(
              "orders",
              required(),
              "<subscribers><subscriber name=\"audit\">" + push + "</subscriber></subscribers>"),
          "river-reactor");
    }
  }

  @Test
  void shouldRefuseElementsThatMayStandOnceOnly() {
    String recycle =
        "<recycle class=\"com.wookler.river.core.SizeBasedRecycle\"><params>"
            + param("recycle.size", "5")
            + "</params></recycle>\n";
    String backup =
        "<backup><params>"
            + param("backup.directory", directory.resolve("b").toString())
            + param("backup.retention", "1dd")
            + "</params></backup>\n";
    configured(queue("orders", required(), recycle + backup));
    shouldRefuse(queue("orders", required(), recycle + recycle), "recycle");
    shouldRefuse(queue("orders", required(), backup + backup), "backup");
  }

  @Test
  void shouldCheckTheBackup() {
    String directoryParam = param("backup.directory", directory.resolve("b").toString());
    shouldRefuse(
        queue(
            "orders",
            required(),
            "<backup><params>" + param("backup.retention", "1dd") + "</params></backup>"),
        "backup.directory");
    shouldRefuse(
        queue("orders", required(), "<backup><params>" + directoryParam + "</params></backup>"),
        "backup.retention");
    for (String bad : List.of("PT-1S", "-1dd", "long")) {
      shouldRefuse(
          queue(
              "orders",
              required(),
              "<backup><params>"
                  + directoryParam
                  + param("backup.retention", bad)
                  + "</params></backup>"),
          "backup.retention");
    }
    shouldRefuse(
        queue(
            "orders",
            required(),
            "<backup><params>"
                + param("backup.directory", directory.toString())
                + param("backup.retention", "1dd")
                + "</params></backup>"),
        "backup.directory");
  }

  @Test
  void shouldRefuseAnUnknownPolicyForBackupsWithoutSpace() {
    String backup =
        param("backup.directory", directory.resolve("b").toString())
            + param("backup.retention", "1dd");
    for (String policy : List.of("keep", "DELETE")) {
      configured(queue("orders", required(), backup(backup + param("backup.full", policy))));
    }
    shouldRefuse(
        queue("orders", required(), backup(backup + param("backup.full", "ignore"))),
        "backup.full",
        "KEEP and DELETE");
  }

  private static String backup(String params) {
    return "<backup><params>" + params + "</params></backup>";
  }

  @Test
  void shouldKeepBackupsForEverWhenTheirRetentionIsZero() {
    configured(
        queue(
            "orders",
            required(),
            "<backup><params>"
                + param("backup.directory", directory.resolve("b").toString())
                + param("backup.retention", "0")
                + "</params></backup>"));
    MessageQueue.Builder<String> builder =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .backup(directory.resolve("b"), Duration.ofSeconds(-1));
    assertThatThrownBy(builder::open)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("backup.retention");
  }

  @Test
  void shouldNotChangeWhenItsConfigurationIsRefused() {
    MessageQueue<String> queue = configured(queue("orders", required(), ""));
    Path bad = file(queue("other", required() + param("queue.durability", "TAPE"), ""));
    assertThatThrownBy(() -> queue.configure(ConfigParser.parse(bad).at("queue")))
        .isInstanceOf(ConfigurationException.class);
    assertThat(queue.name()).isEqualTo("orders");
    queue.start();
    Path good = file(queue("other", required(), ""));
    assertThatThrownBy(() -> queue.configure(ConfigParser.parse(good).at("queue")))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(queue::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldRefuseToStartUnconfigured() {
    MessageQueue<String> queue = new MessageQueue<>();
    assertThatThrownBy(queue::start)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("configure");
    assertThatThrownBy(queue::publisher)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the queue has no settings yet; call configure and start first");
    queue.close();
    assertThatThrownBy(queue::publisher)
        .isInstanceOf(QueueClosedException.class)
        .hasMessage("the queue is closed");
  }

  @Test
  void shouldSayThatItWasNotStarted() {
    MessageQueue<String> queue = configured(queue("orders", required(), ""));
    assertThatThrownBy(queue::publisher)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("queue orders was not started; call start first");
  }

  @Test
  void shouldSetOldDataAsideWithoutReload() {
    String xml = queue("orders", required() + param("queue.onstart.reload", "false"), "");
    MessageQueue<String> first = configured(xml);
    first.start();
    first.publisher().publish("m0");
    first.close();
    MessageQueue<String> second = configured(xml);
    second.start();
    assertThat(second.stats().nextSequence()).isZero();
    second.close();
    assertThat(directory.toFile().list((dir, name) -> name.startsWith("orders.discarded-")))
        .hasSize(1);
  }

  private River river(String content) {
    River river = River.open(file(content));
    open.add(river);
    return river;
  }

  @Test
  void shouldOpenAllQueuesOfAFile() {
    River river = river(queue("orders", required(), "") + queue("invoices", required(), ""));
    assertThat(river.queues()).containsOnlyKeys("orders", "invoices");
    MessageQueue<String> orders = river.queue("orders");
    assertThat(orders.publisher().publish("m0")).isZero();
    assertThatThrownBy(() -> river.queue("none"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("none")
        .hasMessageContaining("invoices");
    river.close();
    river.close();
    assertThat(orders.state()).isEqualTo(QueueState.STOPPED);
  }

  @Test
  void shouldOpenAllOrNothing() throws IOException {
    assertThatThrownBy(
            () ->
                river(
                    queue("orders", required(), "")
                        + queue("invoices", required() + param("queue.durability", "TAPE"), "")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.durability");
    assertThat(directory.resolve("orders")).doesNotExist();
    Files.createFile(directory.resolve("invoices")); // is known only when it is opened
    assertThatThrownBy(
            () -> river(queue("orders", required(), "") + queue("invoices", required(), "")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("invoices");
    MessageQueue<String> free = configured(queue("orders", required(), ""));
    free.start();
    assertThatThrownBy(() -> river(queue("orders", required(), "")))
        .isInstanceOf(QueueLockedException.class);
  }

  @Test
  void shouldOpenManyQueuesAtOnce() throws IOException {
    List<String> names = IntStream.range(0, 24).mapToObj(i -> "q" + (97 * i % 24)).toList();
    StringBuilder all = new StringBuilder();
    names.forEach(name -> all.append(queue(name, required(), "")));
    River river = river(all.toString());
    assertThat(river.queues().keySet()).containsExactlyElementsOf(names);
    for (String name : names) {
      assertThat(river.<String>queue(name).publisher().publish("m0")).isZero();
    }
    river.close();
    Path log = directory.resolve("q5/log");
    Path kept = directory.resolve("kept");
    Files.move(log, kept);
    Files.createFile(log); // is known only when it is opened
    assertThatThrownBy(() -> river(all.toString())).hasMessageContaining("q5");
    Files.delete(log);
    Files.move(kept, log);
    River again = river(all.toString()); // no other was left open
    for (String name : names) {
      assertThat(again.<String>queue(name).publisher().publish("m1")).isEqualTo(1);
    }
  }

  @Test
  void shouldRefuseTwoQueuesOfOneName() {
    assertThatThrownBy(
            () -> river(queue("orders", required(), "") + queue("Orders", required(), "")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("Orders")
        .hasMessageContaining("orders.xml:");
    assertThatThrownBy(() -> river(""))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue");
  }

  @Test
  void shouldCountInTheEnvironmentOfTheFile() {
    River river = river(MonitorXml.ENV + queue("orders", required(), ""));
    MessageQueue<String> queue = river.queue("orders");
    Subscriber<String> subscriber =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    for (int i = 0; i < 10; i++) {
      queue.publisher().publish("m" + i);
    }
    for (int i = 0; i < 6; i++) {
      Delivery<String> delivery = subscriber.next();
      if (i < 4) {
        delivery.ack();
        delivery.ack();
      }
    }
    assertThat(total("river.counters.queue", "adds")).isEqualTo(10);
    assertThat(total("river.counters.queue.storeorders", "adds")).isEqualTo(10);
    assertThat(total("river.counters.queue", "reads")).isEqualTo(6);
    assertThat(total("river.counters.queue.storeorders", "reads")).isEqualTo(6);
    assertThat(total("river.counters.queue", "acks")).isEqualTo(4);
    subscriber.close();
    queue.subscriber("billing").next().ack();
    assertThat(total("river.counters.queue", "acks")).isEqualTo(5);
    assertThat(total("river.counters.queue", "reads")).isEqualTo(7);
    river.close();
    assertThat(Env.find()).isEmpty();
  }

  @Test
  void shouldOpenAFileWithAnEnvironmentAgainAndEndNoOther() {
    String content = MonitorXml.ENV + queue("orders", required(), "");
    River first = river(content);
    first.close();
    River second = river(content);
    assertThat(Env.find()).isPresent();
    first.close();
    assertThat(Env.find()).isPresent();
    second.close();
    Env own = Env.create(file(content), "river");
    try {
      second.close();
      River third = river(content);
      third.close();
      assertThat(Env.get()).isSameAs(own);
    } finally {
      Env.reset();
    }
  }

  @Test
  void shouldCloseAllQueuesAndSayWhatFailed() throws IOException {
    String recycle =
        "<recycle class=\"com.wookler.river.core.SizeBasedRecycle\"><params>"
            + param("recycle.size", "1")
            + "</params></recycle>\n";
    River river = river(queue("orders", required(), "") + queue("invoices", required(), recycle));
    MessageQueue<String> orders = river.queue("orders");
    MessageQueue<String> invoices = river.queue("invoices");
    DataDirectory.deleteTree(directory.resolve("invoices/log"));
    invoices.publisher().publish("m0");
    await().until(() -> invoices.state() == QueueState.FAILED);
    assertThatThrownBy(river::close).isInstanceOf(QueueFailedException.class);
    assertThat(orders.state()).isEqualTo(QueueState.STOPPED);
    assertThat(invoices.state()).isEqualTo(QueueState.STOPPED);
  }

  private static long total(String namespace, String name) {
    return Env.get().monitor().counters().stream()
        .filter(report -> report.namespace().equals(namespace) && report.name().equals(name))
        .mapToLong(report -> report.period().value())
        .sum();
  }
}
