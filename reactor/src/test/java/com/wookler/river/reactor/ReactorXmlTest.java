package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Queues;
import com.wookler.river.core.River;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReactorXmlTest {
  private static final String NAME = ReactorXmlTest.class.getName() + "$";
  private static final String INLINE =
      "<executor class=\"com.wookler.river.reactor.InlineExecutor\"><params>"
          + "<param name=\"%s\" value=\"%s\"/></params></executor>";
  private static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();

  @TempDir Path directory;

  /** Writes down what it is given, under a name from its parameters. */
  public static final class Noting implements Processor<String>, Configurable {
    private String as = "";

    @Override
    public void configure(ConfigNode node) {
      as = node.param("as").orElse("noted");
    }

    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      SEEN.add(as + " " + delivery.data());
      return ProcessResult.pass();
    }
  }

  /** Refuses what it is given. */
  public static final class Useless implements Processor<String> {
    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      throw new NonFatalProcessorException("of no use");
    }
  }

  /** Notes how many it is given at once, and holds them until it is released. */
  public static final class Held implements BatchProcessor<String> {
    static final CountDownLatch RELEASED = new CountDownLatch(1);

    @Override
    public List<ProcessResult<String>> process(List<Delivery<String>> batch)
        throws InterruptedException {
      SEEN.add(Integer.toString(batch.size()));
      RELEASED.await();
      return batch.stream().map(delivery -> ProcessResult.<String>pass()).toList();
    }
  }

  /** Notes whether the queue "invoices" runs. */
  public static final class Looking implements Processor<String> {
    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      SEEN.add(Queues.publisher("invoices").isPresent() ? "runs" : "does not run");
      return ProcessResult.pass();
    }
  }

  /** Accepts messages with an even sequence. */
  public static final class Even implements Predicate<Delivery<String>> {
    @Override
    public boolean test(Delivery<String> delivery) {
      return delivery.sequence() % 2 == 0;
    }
  }

  /** Strings. */
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

  /** Fails each message by its stage. */
  public static final class Failing implements AsyncProcessor<String> {
    @Override
    public CompletionStage<ProcessResult<String>> process(Delivery<String> delivery) {
      return CompletableFuture.failedFuture(new IllegalArgumentException(delivery.data()));
    }
  }

  @Test
  void shouldReadPoliciesAndAsynchronousProcessors() throws IOException {
    String children =
        """
        <failure exception="java.lang.RuntimeException" policy="pause"/>
        <failure exception="java.lang.IllegalArgumentException" policy="reject"/>
        <processor name="send" class="%sFailing">
          <params><param name="async.max.in.flight" value="3"/></params>
        </processor>
        """
            .formatted(NAME);
    try (MessageQueue<String> queue = configured(children)) {
      queue.start();
      queue.publisher().publish("m");
      await().until(() -> queue.subscriber("audit").stats().dead() == 1);
    }
    assertThatThrownBy(() -> configured(children.replace("\"reject", "\"drop")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("retry, reject and pause");
    assertThatThrownBy(
            () -> configured(children.replace("RuntimeException", "IllegalArgumentException")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("river.xml:")
        .hasMessageContaining("java.lang.IllegalArgumentException has PAUSE");
    assertThatThrownBy(() -> configured(children.replace("lang.Ill", "lang.ill")))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> configured(children.replace("value=\"3", "value=\"0")))
        .isInstanceOf(ConfigurationException.class);
  }

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  private MessageQueue<String> configured(String children) throws IOException {
    return configured("<params>", children);
  }

  private MessageQueue<String> configured(String params, String children) throws IOException {
    Path file = directory.resolve("river.xml");
    Files.writeString(
        file,
        """
        <river>
          <queue name="orders">
            <params>
              <param name="queue.message.converter" value="%sText"/>
              <param name="queue.directory" value="%s"/>
            </params>
            <subscribers>
              <subscriber name="audit">
                %s<param name="subscriber.ack.required" value="true"/></params>
                %s
              </subscriber>
            </subscribers>
          </queue>
        </river>
        """
            .formatted(NAME, directory.resolve("data"), params, children));
    ConfigNode node = ConfigParser.parse(file).search("river.queue");
    assertThat(node).isNotNull();
    MessageQueue<String> queue = new MessageQueue<>();
    queue.configure(node);
    return queue;
  }

  @Test
  void shouldProcessOnceAllQueuesOfTheFileRun() throws IOException {
    String queue =
        """
        <queue name="%s">
          <params>
            <param name="queue.message.converter" value="%sText"/>
            <param name="queue.directory" value="%s"/>
          </params>
          %s
        </queue>
        """;
    String reactor =
        """
        <subscribers>
          <subscriber name="audit">
            <params><param name="subscriber.ack.required" value="true"/></params>
            <processor name="look" class="%sLooking"/>
          </subscriber>
        </subscribers>
        """
            .formatted(NAME);
    Path data = directory.resolve("data");
    try (MessageQueue<String> orders = configured("")) {
      orders.start();
      orders.publisher().publish("m0"); // which waits when the file is opened
    }
    Path file = directory.resolve("both.xml");
    Files.writeString(
        file,
        "<river>"
            + queue.formatted("orders", NAME, data, reactor)
            + queue.formatted("invoices", NAME, data, "")
            + "</river>");
    try (River river = River.open(file)) {
      await().until(() -> river.queue("orders").subscriber("audit").stats().lag() == 0);
    }
    assertThat(SEEN).containsExactly("runs");
  }

  private static void run(MessageQueue<String> queue, int messages) {
    try (queue) {
      queue.start();
      for (int i = 0; i < messages; i++) {
        queue.publisher().publish("m" + i);
      }
      await().until(() -> queue.subscriber("audit").stats().lag() == 0);
    }
  }

  private static String processor(String name, String type, String params) {
    return "<processor name=\"%s\" class=\"%s%s\"><params>%s</params></processor>"
        .formatted(name, NAME, type, params);
  }

  private static String as(String name) {
    return processor(name, "Noting", "<param name=\"as\" value=\"" + name + "\"/>");
  }

  @Test
  void shouldRunTheChainOfAConfiguredSubscriber() throws IOException {
    run(configured(as("first") + as("second")), 1);
    assertThat(SEEN).containsExactly("first m0", "second m0");
  }

  @Test
  void shouldUseAsManyThreadsAsItIsTold() throws IOException {
    String pool =
        "<executor><params><param name=\"executor.pool.size\" value=\"3\"/></params></executor>";
    try (MessageQueue<String> queue = configured(pool + as("only"))) {
      queue.start();
      assertThat(Thread.getAllStackTraces().keySet())
          .filteredOn(thread -> thread.getName().startsWith("REACTOR-audit-"))
          .hasSize(3);
    }
    await() // the last of them may still be on its way out
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("REACTOR-audit-")));
  }

  /** Notes the names of the threads on which it is run. */
  public static final class Threads implements Processor<String> {
    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      SEEN.add(Thread.currentThread().getName());
      return ProcessResult.done();
    }
  }

  @Test
  void shouldProcessInlineWhereItIsTold() throws IOException {
    String inline = "<executor class=\"com.wookler.river.reactor.InlineExecutor\"/>";
    run(configured(inline + processor("threads", "Threads", "")), 3);
    assertThat(SEEN)
        .hasSize(3)
        .doesNotContain(Thread.currentThread().getName())
        .noneMatch(name -> name.startsWith("REACTOR-") || name.startsWith("RIVER-"));
  }

  @Test
  void shouldTakeBatchesAndItsTimeAsItIsTold() throws IOException {
    String executor =
        "<executor><params><param name=\"executor.batch.size\" value=\"2\"/>"
            + "<param name=\"executor.time.limit\" value=\"20ms\"/></params></executor>";
    try (MessageQueue<String> queue = configured(executor + processor("held", "Held", ""))) {
      queue.start();
      queue.publisher().publishAll(List.of("m0", "m1", "m2", "m3", "m4"));
      await().until(() -> SEEN.size() >= 2); // the first is stuck, and has a substitute
      Held.RELEASED.countDown();
      await().until(() -> queue.subscriber("audit").stats().lag() == 0);
    }
    assertThat(SEEN).hasSizeGreaterThanOrEqualTo(3).allMatch(size -> Integer.parseInt(size) <= 2);
  }

  @Test
  void shouldNameItsParametersInTheDocument() throws IOException {
    String doc = Files.readString(Path.of("..", "docs", "configuration.md"));
    assertThat(InlineExecutor.PARAMS).allSatisfy(name -> assertThat(doc).contains(name));
  }

  @Test
  void shouldFilterAndSelect() throws IOException {
    String selector =
        "<selector><route class=\"%sEven\">%s</route><otherwise>%s</otherwise></selector>"
            .formatted(NAME, as("even"), as("odd"));
    run(configured(selector + "<filter class=\"" + NAME + "Even\"/>" + as("end")), 3);
    assertThat(SEEN).containsExactlyInAnyOrder("even m0", "odd m1", "even m2", "end m0", "end m2");
  }

  @Test
  void shouldFilterAndSelectByExpressions() throws IOException {
    String selector =
        "<selector><route expression=\"json.n > 1\">%s</route><otherwise>%s</otherwise></selector>"
            .formatted(as("large"), as("small"));
    try (MessageQueue<String> queue =
        configured(selector + "<filter expression=\"json.n != 3\"/>" + as("end"))) {
      queue.start();
      for (int n = 0; n < 4; n++) {
        queue.publisher().publish("{\"n\": " + n + "}");
      }
      await().until(() -> queue.subscriber("audit").stats().lag() == 0);
    }
    assertThat(SEEN)
        .filteredOn(seen -> !seen.startsWith("end"))
        .containsExactlyInAnyOrder(
            "small {\"n\": 0}", "small {\"n\": 1}", "large {\"n\": 2}", "large {\"n\": 3}");
    assertThat(SEEN)
        .filteredOn(seen -> seen.startsWith("end"))
        .containsExactlyInAnyOrder("end {\"n\": 0}", "end {\"n\": 1}", "end {\"n\": 2}");
  }

  @Test
  void shouldFinishWhatAProcessorSaysIsOfNoUse() throws IOException {
    run(configured(processor("useless", "Useless", "") + as("never")), 2);
    assertThat(SEEN).isEmpty();
  }

  @Test
  void shouldDeliverItAgainIfItsExceptionIsNotToBeIgnored() throws IOException {
    String useless =
        processor("useless", "Useless", "<param name=\"ignore.exception\" value=\"false\"/>");
    try (MessageQueue<String> queue = configured(useless)) {
      queue.start();
      queue.publisher().publish("m0");
      await().until(() -> queue.subscriber("audit").stats().redelivered() > 0);
    }
  }

  private static String executor(String param, String value) {
    return "<executor><params><param name=\"%s\" value=\"%s\"/></params></executor>"
        .formatted(param, value);
  }

  @Test
  void shouldNameWhatIsWrong() {
    for (String wrong :
        List.of(
            "<executor/>",
            executor("executor.pool.size", "0") + as("only"),
            processor("text", "Text", ""),
            executor("executor.batch.size", "0") + as("only"),
            INLINE.formatted("executor.batch.size", "0") + as("only"),
            INLINE.formatted("executor.pool.sice", "1") + as("only"),
            executor("executor.time.limit", "0") + as("only"),
            "<filter/>" + as("only"),
            "<filter expression=\"json.n >\"/>" + as("only"),
            "<filter class=\"" + NAME + "Even\" expression=\"json.n > 1\"/>" + as("only"),
            "<selector><route class=\"" + NAME + "Even\"/></selector>")) {
      assertThatThrownBy(() -> configured(wrong))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("river.xml:");
    }
  }

  /** Keeps what it is given, and passes it on. */
  public static final class Keeping implements Processor<String> {
    static final Queue<Delivery<String>> KEPT = new ConcurrentLinkedQueue<>();

    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      KEPT.add(delivery);
      return ProcessResult.pass();
    }
  }

  @Test
  void shouldLeaveMessagesToWhoKeepsThemWithAsynchronousAcknowledgement() throws IOException {
    String async = "<params><param name=\"subscriber.ack.async\" value=\"true\"/>";
    try (MessageQueue<String> queue =
        configured(async, processor("keep", "Keeping", "") + as("audit"))) {
      queue.start();
      queue.publisher().publishAll(List.of("a", "b"));
      await().until(() -> SEEN.size() == 2);
      assertThat(queue.subscriber("audit").stats().lag()).isEqualTo(2);
      Keeping.KEPT.forEach(Delivery::ack);
      assertThat(queue.subscriber("audit").stats().lag()).isZero();
    }
  }
}
