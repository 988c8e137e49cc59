package com.wookler.river.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.ProcessorInterceptor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

class RiverListenerTest {
  @TempDir Path directory;

  /** What is published as JSON. */
  record Sale(String customer, int amount) {}

  static final Queue<Object> SEEN = new ConcurrentLinkedQueue<>();

  private static void see(Object what) {
    SEEN.add(what);
  }

  private static void awaitSeen(Object... what) {
    await().untilAsserted(() -> assertThat(SEEN).containsExactly(what));
  }

  private static RiverTemplate template(ApplicationContext context) {
    SEEN.clear();
    return context.getBean(RiverTemplate.class);
  }

  private static Message<Sale> withHeader(Sale sale, String name, String value) {
    return Message.of(sale).withHeader(name, value.getBytes(StandardCharsets.UTF_8));
  }

  static class Payload {
    @RiverListener("sales")
    void on(Sale sale) {
      see(sale);
    }
  }

  @Test
  void shouldPassRecordsAsJson() {
    Contexts.runner(directory, Payload.class)
        .run(
            context -> {
              template(context).publish("sales", new Sale("a", 3));
              awaitSeen(new Sale("a", 3));
              MessageQueue<?> queue = context.getBean(RiverQueues.class).find("sales").get();
              assertThat(queue.read(0).get().bytes())
                  .isEqualTo("{\"customer\":\"a\",\"amount\":3}".getBytes(StandardCharsets.UTF_8));
              assertThat(queue.subscriberNames()).containsExactly(beanName(context) + ".on");
            });
  }

  private static String beanName(ApplicationContext context) {
    return context.getBeanNamesForType(Payload.class)[0];
  }

  static class Headers {
    @RiverListener(queue = "sales", subscriber = "headers")
    void on(
        Sale sale,
        @Header("type") String type,
        @Header int number,
        @Header(name = "missing", required = false) String missing,
        @Header("type") Optional<String> there,
        @Header("missing") Optional<Integer> none,
        @org.springframework.messaging.handler.annotation.Header(name = "no", defaultValue = "5")
            int five,
        @org.springframework.messaging.handler.annotation.Header(name = "number") int springs,
        @Header Map<String, byte[]> all,
        Delivery<Sale> delivery) {
      assertThat(there).hasValue(type);
      assertThat(none).isEmpty();
      assertThat(five).isEqualTo(5);
      assertThat(springs).isEqualTo(number);
      see(List.of(sale.amount(), type, number, missing == null, all.size(), delivery.attempt()));
    }
  }

  @Test
  void shouldPassHeadersAndTheDelivery() {
    Contexts.runner(directory, Headers.class)
        .run(
            context -> {
              template(context)
                  .publish(
                      "sales",
                      withHeader(new Sale("a", 3), "type", "new")
                          .withHeader("number", "7".getBytes(StandardCharsets.UTF_8)));
              awaitSeen(List.of(3, "new", 7, true, 2, 1));
            });
  }

  static class Texts {
    @RiverListener("texts")
    void text(String text) {
      see(text);
    }

    @RiverListener("bytes")
    void bytes(byte[] bytes) {
      see(bytes.length);
    }
  }

  @Test
  void shouldPassStringsAndBytesAsTheyAre() {
    Contexts.runner(directory, Texts.class)
        .run(
            context -> {
              template(context).publish("texts", "ä");
              awaitSeen("ä");
              context.getBean(RiverTemplate.class).publish("bytes", new byte[] {1, 2, 3});
              awaitSeen("ä", 3);
              MessageQueue<?> queue = context.getBean(RiverQueues.class).find("texts").get();
              assertThat(queue.read(0).get().bytes())
                  .isEqualTo("ä".getBytes(StandardCharsets.UTF_8));
            });
  }

  static class Batches {
    final CountDownLatch published = new CountDownLatch(1);

    @RiverListener(queue = "sales", subscriber = "lists", batch = true, batchSize = "100")
    void on(List<Sale> sales) throws InterruptedException {
      published.await();
      see(sales.size());
    }

    @RiverListener(queue = "other", subscriber = "deliveries", batch = true, maxDeliveries = "2")
    List<ProcessResult<Sale>> results(List<Delivery<Sale>> sales) {
      return sales.stream()
          .map(
              each -> {
                see(each.data().amount());
                return each.data().amount() == 1
                    ? ProcessResult.<Sale>reject("one")
                    : ProcessResult.<Sale>done();
              })
          .toList();
    }
  }

  @Test
  void shouldPassBatches() {
    Contexts.runner(directory, Batches.class)
        .run(
            context -> {
              RiverTemplate template = template(context);
              for (int i = 0; i < 10; i++) {
                template.publish("sales", new Sale("a", i));
              }
              context.getBean(Batches.class).published.countDown();
              await().until(() -> SEEN.stream().mapToInt(size -> (Integer) size).sum() == 10);
              assertThat(SEEN.size()).isLessThan(10);
              template(context).publishAll("other", List.of(new Sale("a", 1), new Sale("a", 2)));
              awaitSeen(1, 2);
              Subscriber<?> other = subscriber(context, "other");
              await().until(() -> other.deadLetters().size() == 1 && other.stats().lag() == 0);
            });
  }

  /** Cannot be read where it is 2, once that is said. */
  record Picky(int amount) {
    static volatile boolean refuses;

    Picky {
      if (refuses && amount == 2) {
        throw new IllegalArgumentException("2");
      }
    }
  }

  static class PickyBatches {
    @RiverListener(
        queue = "picky",
        subscriber = "batches",
        batch = true,
        maxDeliveries = "2",
        autoStartup = "false")
    void on(List<Picky> all) {
      all.forEach(each -> see(each.amount()));
    }
  }

  @Test
  void shouldFailAMessageAloneThatCannotBeConverted() {
    Picky.refuses = false;
    Contexts.runner(directory, PickyBatches.class)
        .run(
            context -> {
              RiverListeners listeners = context.getBean(RiverListeners.class);
              listeners.start("picky/batches");
              listeners.stop("picky/batches");
              template(context)
                  .publishAll("picky", IntStream.range(0, 5).mapToObj(Picky::new).toList());
              Picky.refuses = true;
              listeners.start("picky/batches");
              awaitSeen(0, 1, 3, 4);
              Subscriber<?> picky = subscriber(context, "picky");
              await().until(() -> picky.deadLetters().size() == 1 && picky.stats().lag() == 0);
            });
  }

  abstract static class Base<T> {
    @RiverListener(queue = "inherited", subscriber = "base")
    void on(T data) {
      see(data);
    }
  }

  static class Inherited extends Base<Sale> {}

  @Test
  void shouldKnowTheTypeOfAListenerThatAGenericClassDeclares() {
    Contexts.runner(directory, Inherited.class)
        .run(
            context -> {
              template(context).publish("inherited", new Sale("a", 3));
              awaitSeen(new Sale("a", 3));
            });
  }

  @Test
  void shouldNotBeginWhenTheApplicationHasEnded() {
    Contexts.runner(directory, PickyBatches.class)
        .run(
            context -> {
              RiverListeners listeners = context.getBean(RiverListeners.class);
              context.close();
              assertThatThrownBy(() -> listeners.start("picky/batches"))
                  .isInstanceOf(QueueClosedException.class);
              assertThat(Thread.getAllStackTraces().keySet())
                  .noneMatch(thread -> thread.getName().equals("RIVER-listeners"));
            });
  }

  private static Subscriber<?> subscriber(ApplicationContext context, String queue) {
    return context.getBean(RiverQueues.class).find(queue).get().subscribers().get(0);
  }

  static class Failing {
    @RiverListener(
        queue = "${queue.name}",
        subscriber = "failing",
        filter = "json.amount > 1",
        maxDeliveries = "${deliveries}",
        backoff = "fixed 1ms",
        order = "key",
        concurrency = "#{1 + 1}",
        options = "subscriber.ack.timeout=5mm")
    void on(Delivery<Sale> delivery) {
      see(delivery.data().amount() + "/" + delivery.attempt());
      throw new IllegalStateException("no");
    }
  }

  @Test
  void shouldObeyTheSubscribersSettings() {
    Contexts.runner(directory, Failing.class)
        .withPropertyValues("queue.name=sales", "deliveries=3")
        .withPropertyValues("river.queues.sales.subscribers.[a.b].subscriber.window=10000")
        .withPropertyValues("river.queues.sales.subscribers.failing.subscriber.window=20000")
        .run(
            context -> {
              RiverTemplate template = template(context);
              template.publish("sales", new Sale("a", 1));
              template.publish("sales", new Sale("a", 2));
              awaitSeen("2/1", "2/2", "2/3");
              Subscriber<?> failing = subscriber(context, "sales");
              await().until(() -> failing.deadLetters().size() == 1);
              assertThat(failing.config().order()).isEqualTo(Order.KEY);
              assertThat(failing.config().ackTimeout()).isEqualTo(Duration.ofMinutes(5));
              assertThat(failing.config().window()).isEqualTo(20_000);
              assertThat(context.getBean(RiverProperties.class).queue("sales").subscriber("a.b"))
                  .containsExactly(Map.entry("subscriber.window", "10000"));
            });
  }

  static class Ordered {
    @RiverListener(
        queue = "sales",
        subscriber = "one",
        order = "sequence",
        batch = true,
        batchSize = "9",
        autoStartup = "False",
        options = "subscriber.start=earliest")
    void on(List<Sale> sales) {
      see(sales.size());
    }
  }

  @Test
  void shouldObeyPropertiesBeforeTheAnnotationsOrderAndBatchSize() {
    Contexts.runner(directory, Ordered.class)
        .withPropertyValues("river.queues.sales.subscribers.one.subscriber.order=KEY")
        .withPropertyValues("river.queues.sales.subscribers.one.subscriber.batch.size=2")
        .run(
            context -> {
              Sale sale = new Sale("a", 1);
              template(context).publishAll("sales", List.of(sale, sale, sale));
              context.getBean(RiverListeners.class).start("sales/one");
              awaitSeen(2, 1);
              assertThat(subscriber(context, "sales").config().order()).isEqualTo(Order.KEY);
            });
  }

  static class Concurrent {
    final CountDownLatch both = new CountDownLatch(2);

    @RiverListener(queue = "sales", subscriber = "two", concurrency = "2", batchSize = "1")
    ProcessResult<Sale> on(Sale sale) throws InterruptedException {
      both.countDown();
      both.await();
      see(sale);
      return ProcessResult.done();
    }
  }

  @Test
  void shouldCallOnSeveralThreads() {
    Contexts.runner(directory, Concurrent.class)
        .run(
            context -> {
              template(context).publishAll("sales", List.of(new Sale("a", 1), new Sale("a", 1)));
              awaitSeen(new Sale("a", 1), new Sale("a", 1));
            });
  }

  static class Late {
    @RiverListener(queue = "sales", subscriber = "late", autoStartup = "${auto:false}")
    void on(Sale sale) {
      see(sale);
    }
  }

  @Test
  void shouldStartLaterWhereItIsToldTo() {
    Contexts.runner(directory, Late.class)
        .run(
            context -> {
              RiverListeners listeners = context.getBean(RiverListeners.class);
              assertThat(listeners.names()).containsExactly("sales/late");
              assertThat(listeners.isRunning("sales/late")).isFalse();
              template(context).publish("sales", new Sale("a", 1));
              listeners.start("sales/late");
              awaitSeen(new Sale("a", 1));
              listeners.stop("sales/late");
              assertThat(listeners.isRunning("sales/late")).isFalse();
            });
  }

  @Test
  void shouldListenWhereBeansAreLazy() {
    Contexts.runner(directory, Payload.class)
        .withInitializer(
            context ->
                context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor()))
        .run(
            context -> {
              assertThat(context.getBean(RiverListeners.class).names()).hasSize(1);
              template(context).publish("sales", new Sale("a", 3));
              awaitSeen(new Sale("a", 3));
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Scoped {
    @Bean
    @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    Payload each() {
      return new Payload();
    }

    @Bean
    Object user(Payload each) {
      return List.of(each);
    }
  }

  @Test
  void shouldListenOnceForAScopedProxy() {
    Contexts.runner(directory, Scoped.class)
        .run(
            context -> {
              template(context).publish("sales", new Sale("a", 3));
              template(context).publish("sales", new Sale("a", 4));
              await().until(() -> SEEN.contains(new Sale("a", 4)));
              assertThat(context.getBean(RiverListeners.class).names())
                  .containsExactly("sales/each.on");
            });
  }

  static class Any {
    @RiverListener(queue = "sales", subscriber = "any")
    void on(Delivery<?> delivery) {
      see(delivery.data());
    }
  }

  static class Numbers {
    @RiverListener("numbers")
    void on(int number) {
      see(number);
    }
  }

  @Test
  void shouldOpenQueuesForTheListenersThatNameAType() {
    Contexts.runner(directory, Any.class, Payload.class)
        .run(
            context -> {
              template(context).publish("sales", new Sale("a", 3));
              awaitSeen(new Sale("a", 3), new Sale("a", 3));
            });
  }

  @Test
  void shouldPassPrimitives() {
    Contexts.runner(directory, Numbers.class)
        .run(
            context -> {
              template(context).publish("numbers", 7);
              awaitSeen(7);
            });
  }

  static class Around extends Payload {
    @Bean
    ProcessorInterceptor<Object> around() {
      return (processor, delivery, call) -> {
        see(processor);
        return call.process(delivery);
      };
    }
  }

  @Test
  void shouldRunWithinInterceptors() {
    Contexts.runner(directory, Around.class)
        .run(
            context -> {
              template(context).publish("sales", new Sale("a", 3));
              awaitSeen("Payload.on", new Sale("a", 3));
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Typed {
    @Bean
    MessageQueue<Sale> sales(RiverQueues queues) {
      return queues.open("sales", Sale.class);
    }
  }

  static class Text {
    @RiverListener("sales")
    void on(String text) {}
  }

  @Test
  void shouldRefuseAListenerOfAnotherType() {
    Contexts.runner(directory, Typed.class, Text.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("takes java.lang.String, but queue 'sales' has")
                    .hasMessageContaining("Sale"));
  }

  static class TwoPayloads {
    @RiverListener("sales")
    void on(String one, String two) {}
  }

  static class Answering {
    @RiverListener("sales")
    String on(String one) {
      return one;
    }
  }

  static class NoQueue {
    @RiverListener
    void on(String one) {}
  }

  static class Idle {
    @RiverListener(queue = "sales", concurrency = "0")
    void on(String one) {}
  }

  static class Unknown {
    @RiverListener(queue = "sales", options = "subscriber.colour=blue")
    void on(String one) {}
  }

  static class Lists {
    @RiverListener("sales")
    void on(List<Sale> sales) {}
  }

  static class Wrapped {
    @RiverListener("sales")
    void on(Delivery<Map<String, Sale>> sales) {}
  }

  static class Typo {
    @RiverListener(queue = "sales", autoStartup = "flase")
    void on(Sale sale) {}
  }

  static class Sideways {
    @RiverListener(queue = "sales", order = "sideways")
    void on(Sale sale) {}
  }

  @Test
  void shouldSayWhatIsWrongWithAListener() {
    assertWrong(Lists.class, "Sale>, but a queue's data is converted by its class alone");
    assertWrong(Wrapped.class, "Wrapped.on takes java.util.Map<java.lang.String, ");
    assertWrong(TwoPayloads.class, "TwoPayloads.on has several parameters without an annotation");
    assertWrong(Answering.class, "a listener returns nothing or a ProcessResult");
    assertWrong(NoQueue.class, "NoQueue.on names no queue");
    assertWrong(Unknown.class, "'subscriber.colour' is not an option of a subscriber");
    assertWrong(Idle.class, "Idle.on: concurrency is '0'");
    assertWrong(Typo.class, "Typo.on: autoStartup is 'flase', which is neither true nor false");
    assertWrong(
        Sideways.class, "Sideways.on: order is 'sideways'; sequence, key and strict are allowed");
  }

  /** Placeholders without a value, as a property that is empty is. */
  static class Empty {
    @RiverListener(
        queue = "sales",
        subscriber = "${none:}",
        batch = true,
        batchSize = "${none:}",
        filter = "${none:}",
        order = "${none:}",
        maxDeliveries = "${none:}",
        backoff = "${none:}")
    void on(List<Sale> sales) {
      see(sales.size());
    }
  }

  @Test
  void shouldTakeTheDefaultWhereAPlaceholderIsEmpty() {
    Contexts.runner(directory, Empty.class)
        .run(
            context -> {
              template(context).publish("sales", new Sale("a", 1));
              awaitSeen(1);
              assertThat(subscriber(context, "sales").name()).endsWith(".on");
            });
  }

  private void assertWrong(Class<?> listener, String message) {
    Contexts.runner(directory, listener)
        .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
  }
}
