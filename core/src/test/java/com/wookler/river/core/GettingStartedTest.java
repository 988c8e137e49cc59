package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.Env;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.utils.Monitoring;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the code of docs/getting-started.md as a reader does, in its order and on one directory, and
 * holds the page to it, letter by letter.
 */
@Timeout(120)
class GettingStartedTest {
  private static final Path DOC = Path.of("..", "docs", "getting-started.md");
  private static final Path SOURCES =
      Path.of("src", "test", "java", "com", "wookler", "river", "core");
  private static final String PROPERTY = "shop.data";

  @TempDir Path directory;

  private final List<String> processed = new ArrayList<>();

  private void process(String data) {
    processed.add(data);
  }

  @AfterEach
  void forgetTheEnvironment() {
    Env.reset();
    System.clearProperty(PROPERTY);
  }

  @Test
  void shouldBeTrueFromTopToBottom() throws Exception {
    publishAndRead();
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open()) {
      acknowledge(queue);
    }
    backUp();
    Path file = directory.resolve("shop.xml");
    String xml = blocks("xml").get("shop").replace("com.example.", "com.wookler.river.core.");
    Files.write(file, xml.getBytes(StandardCharsets.UTF_8));
    System.setProperty(PROPERTY, directory.resolve("shop").toString());
    openAFile(file);
    count(file);
  }

  private void assertProcessed(String... data) {
    assertThat(processed).containsExactly(data);
    processed.clear();
  }

  private void publishAndRead() throws InterruptedException {
    // doc: first
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open()) {
      queue.publisher().publish("first");
      queue.publisher().publish("second");

      Subscriber<String> audit = queue.subscriber("audit");
      Delivery<String> delivery = audit.next(Duration.ofSeconds(1));
      if (delivery != null) { // null: nothing came within a second
        process(delivery.data());
      }
    }
    // doc end
    assertProcessed("first");
  }

  private void acknowledge(MessageQueue<String> queue) throws InterruptedException {
    // doc: ack
    Subscriber<String> billing =
        queue.subscriber(
            SubscriberConfig.builder("billing")
                .ack(true)
                .ackTimeout(Duration.ofSeconds(2))
                .build());

    Delivery<String> once = billing.next(Duration.ofSeconds(10)); // "first", not acknowledged
    Delivery<String> other = billing.next(Duration.ofSeconds(10)); // "second": "first" is out
    if (other != null) {
      process(other.data());
      other.ack();
    }
    Delivery<String> again = billing.next(Duration.ofSeconds(10)); // "first", attempt 2, 2 s later
    if (again != null) {
      process(again.data());
      again.ack();
    }
    // doc end
    assertThat(once).isNotNull();
    assertThat(once.data()).isEqualTo("first");
    assertThat(again).isNotNull();
    assertThat(again.attempt()).isEqualTo(2);
    assertProcessed("second", "first");
    assertThat(billing.stats().lag()).isZero();
    takeBatches(queue, billing);
  }

  private void takeBatches(MessageQueue<String> queue, Subscriber<String> billing)
      throws InterruptedException {
    // doc: batch
    long first =
        queue
            .publisher()
            .putAll(
                List.of(
                    Message.of("third").withKey("customer-7"),
                    Message.of("fourth").withHeader("source", new byte[] {1})),
                Durability.MEMORY)
            .sequence();

    List<Delivery<String>> batch = billing.batch(64, Duration.ofSeconds(1));
    for (Delivery<String> each : batch) {
      process(each.data());
    }
    billing.ack(batch);
    // doc end
    assertThat(first).isEqualTo(2);
    assertProcessed("third", "fourth");
  }

  private void backUp() {
    // doc: backup
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory.resolve("data"))
            .recycle(SizeBasedRecycle.ofMessages(1_000))
            .backup(directory.resolve("backup"), Duration.ofDays(7))
            .open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < 2_500; i++) {
        queue.publisher().publish("order " + i);
      }
      while (audit.next() != null) {
        // delivered is completed: this subscriber does not acknowledge
      }
      // doc end
      await().until(() -> queue.stats().archived() == 2);
      // doc: look-up
      queue.read(17).ifPresent(found -> process(found.data()));
      // doc end
      assertProcessed("order 17");
      assertThat(queue.stats().backups()).isEqualTo(2);
    }
  }

  private void openAFile(Path file) throws InterruptedException {
    // doc: river
    try (River river = River.open(file)) {
      MessageQueue<Order> orders = river.queue("orders");
      orders.publisher().publish(new Order("customer-7", 1_995));

      Delivery<Order> delivery = orders.subscriber("billing").next(Duration.ofSeconds(1));
      if (delivery != null) {
        process(delivery.data().customer());
        delivery.ack();
      }
    }
    // doc end
    assertProcessed("customer-7");
  }

  private void count(Path file) {
    // doc: counters
    Env env = Env.create(file, "river");
    AbstractCounter shipped =
        Monitoring.create(true, "shop", "shipped", Count.class, AbstractCounter.Mode.PROD);
    if (shipped != null) { // null: there is no environment
      shipped.increment();
    }
    env.monitor().counters().forEach(report -> process(report.name() + " " + report.total()));
    Env.reset(); // a last report; the environment's threads end
    // doc end
    assertThat(processed).hasSize(1);
    assertThat(processed.get(0)).startsWith("shipped {Count: WINDOW=").endsWith(", VALUE=1}");
  }

  @Test
  void shouldShowTheCodeThatIsTestedHere() throws IOException {
    Map<String, String> tested = new LinkedHashMap<>();
    for (String name : List.of("Order", "OrderConverter", "GettingStartedTest")) {
      tested.putAll(regions(Files.readString(SOURCES.resolve(name + ".java"))));
    }

    Map<String, String> shown = blocks("java");
    shown.remove("imports"); // shouldCompileWithTheImportsThatItShows
    assertThat(shown).isEqualTo(tested);
    shown.keySet().removeAll(List.of("order", "converter")); // of files of their own
    tested.keySet().removeAll(List.of("order", "converter"));
    assertThat(shown.keySet()).containsExactlyElementsOf(tested.keySet());
  }

  @Test
  void shouldCompileWithTheImportsThatItShows() throws IOException {
    Map<String, String> shown = blocks("java");
    String imports = "package com.example;\n" + shown.get("imports");
    Path sources = Files.createDirectories(directory.resolve("com/example"));
    List<Path> files = new ArrayList<>();
    files.add(Files.writeString(sources.resolve("Order.java"), imports + shown.get("order")));
    files.add(
        Files.writeString(
            sources.resolve("OrderConverter.java"), imports + shown.get("converter")));
    String queue = "MessageQueue<String> queue";
    files.add(
        Files.writeString(
            sources.resolve("Snippets.java"),
            imports
                + "abstract class Snippets {\n"
                + "Path directory; Path file; abstract void process(String data);\n"
                + method("first", "", shown.get("first"))
                + method("ack", queue, shown.get("ack"))
                + method("batch", queue + ", Subscriber<String> billing", shown.get("batch"))
                + method("backup", "", shown.get("backup") + shown.get("look-up") + "}")
                + method("river", "", shown.get("river"))
                + method("counters", "", shown.get("counters"))
                + "}\n"));
    List<String> args = new ArrayList<>(List.of("-d", directory.toString(), "-cp"));
    args.add(System.getProperty("java.class.path"));
    files.forEach(file -> args.add(file.toString()));
    ByteArrayOutputStream said = new ByteArrayOutputStream();

    int code =
        ToolProvider.getSystemJavaCompiler().run(null, said, said, args.toArray(String[]::new));

    assertThat(code).as(said.toString(StandardCharsets.UTF_8)).isZero();
  }

  private static String method(String name, String parameters, String body) {
    return "void " + name + "(" + parameters + ") throws Exception {\n" + body + "\n}\n";
  }

  /** It names what the build makes, with the versions that the build has. */
  @Test
  void shouldShowAPomWithTheVersionsOfTheBuild() throws IOException {
    String shown = blocks("xml").get("pom");
    String root = Files.readString(Path.of("..", "pom.xml"));
    String own = Files.readString(Path.of("pom.xml"));

    assertThat(shown).startsWith("<project").contains("<modelVersion>4.0.0</modelVersion>");
    assertThat(own).contains("<artifactId>river-core</artifactId>");
    assertThat(after(shown, "river-core")).isEqualTo(after(root, "river-parent"));
    assertThat(after(shown, "slf4j-simple"))
        .isEqualTo(root.replaceAll("(?s).*<slf4j.version>(.*?)</slf4j.version>.*", "$1"));
    assertThat(
            ConfigParser.parse(Files.writeString(directory.resolve("pom.xml"), unqualified(shown))))
        .isNotNull(); // well-formed
  }

  private static String unqualified(String pom) {
    return pom.replaceFirst("(?s)<project.*?>", "<project>");
  }

  /** The version that follows the artifact's id. */
  private static String after(String pom, String artifact) {
    return pom.replaceAll(
        "(?s).*?<artifactId>" + artifact + "</artifactId>.*?<version>(.*?)</version>.*", "$1");
  }

  /** The code blocks of the page by the name that stands in a comment before each. */
  private static Map<String, String> blocks(String language) throws IOException {
    Matcher block =
        Pattern.compile("<!-- ([\\w-]+) -->\n\n?```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(DOC));
    Map<String, String> blocks = new LinkedHashMap<>();
    while (block.find()) {
      blocks.put(block.group(1), block.group(2));
    }
    return blocks;
  }

  private static Map<String, String> regions(String source) {
    Matcher region =
        Pattern.compile("( *)// doc: ([\\w-]+)\n(.*?) *// doc end", Pattern.DOTALL).matcher(source);
    Map<String, String> regions = new LinkedHashMap<>();
    while (region.find()) {
      String indented = region.group(3);
      regions.put(region.group(2), indented.replaceAll("(?m)^" + region.group(1), ""));
    }
    return regions;
  }
}
