package com.wookler.river.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.Env;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.PublishInterceptor;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

class RiverLifecycleTest {
  @TempDir Path directory;

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  static final Queue<String> STEPS = new ConcurrentLinkedQueue<>();

  /** Publishes when it is destroyed, as a service does that has something left to say. */
  @Configuration(proxyBeanMethods = false)
  static class Application {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch mayEnd = new CountDownLatch(1);

    @RiverListener(queue = "orders", subscriber = "billing")
    void on(String order) throws InterruptedException {
      begun.countDown();
      if (!order.equals("last")) {
        mayEnd.await();
      }
      STEPS.add("processed " + order);
    }

    /** Like a web server. */
    @Bean
    SmartLifecycle server(MessageQueue<String> orders) {
      return new SmartLifecycle() {
        private volatile boolean runs;

        @Override
        public void start() {
          runs = true;
        }

        @Override
        public void stop() {
          runs = false;
          STEPS.add("server stopped, queue " + orders.state());
        }

        @Override
        public boolean isRunning() {
          return runs;
        }

        @Override
        public int getPhase() {
          return SmartLifecycle.DEFAULT_PHASE - 2048;
        }
      };
    }

    @Bean
    MessageQueue<String> orders(RiverQueues queues) {
      return queues.open("orders", String.class);
    }

    @Bean
    DisposableBean service(MessageQueue<String> orders) {
      return () -> STEPS.add("service published " + orders.publisher().publish("last"));
    }
  }

  static class Asking {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch mayAsk = new CountDownLatch(1);

    @Autowired ObjectProvider<RiverListeners> listeners;

    @RiverListener(queue = "orders", subscriber = "asking")
    void on(String order) throws InterruptedException {
      begun.countDown();
      mayAsk.await();
      RiverListeners all = listeners.getObject();
      STEPS.add(all.names() + " " + all.isRunning("orders/asking") + " " + all.isRunning());
      try {
        all.start("orders/asking");
      } catch (QueueClosedException e) {
        STEPS.add("ended");
      }
    }
  }

  @Test
  void shouldAnswerAListenerThatAsksWhileItIsWaitedFor() {
    STEPS.clear();
    Contexts.runner(directory, Asking.class)
        .withPropertyValues("river.stop-timeout=10m")
        .run(
            context -> {
              Asking asking = context.getBean(Asking.class);
              context.getBean(RiverTemplate.class).publish("orders", "first");
              asking.begun.await();
              Thread stopper = new Thread(context::close);
              stopper.start();
              await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);
              asking.mayAsk.countDown();
              await().until(() -> STEPS.size() == 2);
              assertThat(STEPS).containsExactly("[orders/asking] true false", "ended");
              stopper.join(TimeUnit.MINUTES.toMillis(1));
              assertThat(stopper.isAlive()).isFalse();
            });
  }

  /** A listener that starts another one, as soon as it may. */
  static class Starting {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch mayStart = new CountDownLatch(1);
    final CountDownLatch customizing = new CountDownLatch(1);
    final CountDownLatch mayCustomize = new CountDownLatch(1);

    @Autowired ObjectProvider<RiverListeners> listeners;

    @RiverListener(queue = "orders", subscriber = "starting")
    void on(String order) throws InterruptedException {
      begun.countDown();
      mayStart.await();
      try {
        listeners.getObject().start("orders/" + order);
        STEPS.add("started " + order);
      } catch (QueueClosedException e) {
        STEPS.add(e.getMessage());
      }
    }

    @RiverListener(queue = "orders", subscriber = "late", autoStartup = "false")
    void late(String order) {}

    @RiverListener(queue = "orders", subscriber = "slow", autoStartup = "false")
    void slow(String order) {}

    @Bean
    RiverListenerCustomizer customizer() {
      return (queue, subscriber, builder) -> {
        if (subscriber.equals("slow")) {
          customizing.countDown();
          assertThatCode(mayCustomize::await).doesNotThrowAnyException();
        }
      };
    }
  }

  private static Thread started(Runnable task) {
    Thread thread = new Thread(task);
    thread.start();
    return thread;
  }

  private static void join(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.MINUTES.toMillis(1));
    assertThat(thread.isAlive()).isFalse();
  }

  @Test
  void shouldStartNoListenerForOneThatAStopWaitsFor() {
    STEPS.clear();
    Contexts.runner(directory, Starting.class)
        .withPropertyValues("river.stop-timeout=10m")
        .run(
            context -> {
              Starting application = context.getBean(Starting.class);
              RiverListeners listeners = context.getBean(RiverListeners.class);
              context.getBean(RiverTemplate.class).publish("orders", "late");
              application.begun.await();
              Thread stopper = started(context.getSourceApplicationContext()::stop);
              await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);
              application.mayStart.countDown();
              join(stopper);
              assertThat(STEPS)
                  .containsExactly(
                      "listener orders/late was not started: all listeners are being stopped");
              assertThat(listeners.isRunning("orders/late")).isFalse();
              context.getSourceApplicationContext().start();
              listeners.start("orders/late");
              assertThat(listeners.isRunning("orders/late")).isTrue();
            });
  }

  @Test
  void shouldStartNoListenerForOneThatWaitedWhenAStopBegan() {
    STEPS.clear();
    Contexts.runner(directory, Starting.class)
        .withPropertyValues("river.stop-timeout=10m")
        .run(
            context -> {
              Starting application = context.getBean(Starting.class);
              RiverListeners listeners = context.getBean(RiverListeners.class);
              context.getBean(RiverTemplate.class).publish("orders", "late");
              application.begun.await();
              Thread starter = started(() -> listeners.start("orders/slow"));
              application.customizing.await();
              application.mayStart.countDown(); // it waits for the starter
              Thread stopper = started(context.getSourceApplicationContext()::stop);
              try {
                await().until(() -> STEPS.size() == 1);
                assertThat(STEPS.peek()).contains("all listeners are being stopped");
              } finally {
                application.mayCustomize.countDown();
              }
              join(starter);
              join(stopper);
              assertThat(listeners.isRunning("orders/slow")).isFalse();
              assertThat(listeners.isRunning("orders/late")).isFalse();
            });
  }

  @Test
  void shouldLetAListenerThatIsStoppedStartAnotherOne() {
    STEPS.clear();
    Contexts.runner(directory, Starting.class)
        .withPropertyValues("river.stop-timeout=10m")
        .run(
            context -> {
              Starting application = context.getBean(Starting.class);
              RiverListeners listeners = context.getBean(RiverListeners.class);
              context.getBean(RiverTemplate.class).publish("orders", "late");
              application.begun.await();
              Thread stopper = started(() -> listeners.stop("orders/starting"));
              await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);
              application.mayStart.countDown();
              join(stopper);
              assertThat(STEPS).containsExactly("started late");
              assertThat(listeners.isRunning("orders/starting")).isFalse();
              assertThat(listeners.isRunning("orders/late")).isTrue();
            });
  }

  @Test
  void shouldStopListenersFirstAndQueuesLast() {
    STEPS.clear();
    Contexts.runner(directory, Application.class)
        .run(
            context -> {
              Application application = context.getBean(Application.class);
              RiverQueues queues = context.getBean(RiverQueues.class);
              MessageQueue<?> orders = queues.find("orders").get();
              context.getBean(RiverTemplate.class).publish("orders", "first");
              application.begun.await();
              Thread stopper = new Thread(context::close);
              stopper.start();
              await().until(() -> stopper.getState() != Thread.State.RUNNABLE);
              application.mayEnd.countDown();
              stopper.join(TimeUnit.MINUTES.toMillis(1));
              assertThat(STEPS)
                  .containsExactly(
                      "processed first", "server stopped, queue RUNNING", "service published 1");
              assertThat(orders.state()).isEqualTo(QueueState.STOPPED);
            });
    STEPS.clear();
    Contexts.runner(directory, Application.class)
        .run( // what was processed does not come again
            context -> await().untilAsserted(() -> assertThat(STEPS).contains("processed last")));
    assertThat(STEPS).doesNotContain("processed first");
  }

  @Test
  void shouldStartAgainAfterAStop() {
    STEPS.clear();
    Contexts.runner(directory, Application.class)
        .run(
            context -> {
              context.getBean(Application.class).mayEnd.countDown();
              context.getSourceApplicationContext().stop();
              context.getBean(RiverTemplate.class).publish("orders", "first");
              assertThat(STEPS).containsExactly("server stopped, queue RUNNING");
              context.getSourceApplicationContext().start();
              await().untilAsserted(() -> assertThat(STEPS).contains("processed first"));
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Executing {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch mayEnd = new CountDownLatch(1);

    @Bean
    ThreadPoolTaskExecutor executor() {
      return new ThreadPoolTaskExecutor();
    }

    @Bean
    Lender lender(ThreadPoolTaskExecutor executor) {
      return new Lender(this, executor);
    }
  }

  record Lender(Executing application, ThreadPoolTaskExecutor executor) {
    @RiverListener(queue = "orders", subscriber = "billing")
    void on(String order) throws Exception {
      application.begun.countDown();
      application.mayEnd.await();
      STEPS.add(executor.submit(() -> "lent to " + order).get());
    }
  }

  @Test
  void shouldStopListenersBeforeTheExecutorsThatTheyUse() {
    STEPS.clear();
    Contexts.runner(directory, Executing.class)
        .run(
            context -> {
              Executing application = context.getBean(Executing.class);
              context.getBean(RiverTemplate.class).publish("orders", "first");
              application.begun.await();
              Thread stopper = new Thread(context::close);
              stopper.start();
              await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);
              application.mayEnd.countDown();
              stopper.join(TimeUnit.MINUTES.toMillis(1));
              assertThat(STEPS).containsExactly("lent to first");
            });
  }

  private static long keepingAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("RIVER-") && !thread.isDaemon())
        .count();
  }

  @Test
  void shouldKeepTheApplicationAliveWhileAListenerRuns() {
    Contexts.runner(directory, RiverListenerTest.Late.class)
        .run(
            context -> {
              assertThat(keepingAlive()).isZero();
              RiverListeners listeners = context.getBean(RiverListeners.class);
              listeners.start("sales/late");
              assertThat(keepingAlive()).isOne();
              listeners.stop("sales/late");
              await().until(() -> keepingAlive() == 0);
              listeners.start("sales/late");
              assertThat(keepingAlive()).isOne();
            });
    await().until(() -> keepingAlive() == 0);
  }

  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains("RIVER") || name.contains("river"))
        .collect(Collectors.toSet());
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /** What the process has mapped or open below the directory of the queues. */
  private List<String> mappedOrOpen() throws IOException {
    assumeTrue(Files.exists(DESCRIPTORS), "needs /proc");
    List<String> all = new ArrayList<>(Files.readAllLines(Path.of("/proc/self/maps")));
    try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
      descriptors.map(RiverLifecycleTest::target).forEach(all::add);
    }
    String below = directory.toRealPath() + "/";
    return all.stream().filter(each -> each.contains(below)).toList();
  }

  @Test
  void shouldLeaveNothingBehindInTwentyRestarts() {
    for (int i = 0; i < 20; i++) {
      Contexts.runner(directory, RiverListenerTest.Payload.class)
          .run(
              context -> {
                RiverListenerTest.SEEN.clear();
                RiverListenerTest.Sale sale = new RiverListenerTest.Sale("a", 1);
                context.getBean(RiverTemplate.class).publish("sales", sale);
                await().until(() -> RiverListenerTest.SEEN.contains(sale));
                assertThat(mappedOrOpen()).hasSizeGreaterThan(2);
              });
    }
    await()
        .untilAsserted(
            () -> {
              assertThat(threads()).isEmpty();
              assertThat(mappedOrOpen()).isEmpty();
            });
    assertThat(Env.find()).isEmpty();
  }

  @Test
  void shouldShareTheEnvironmentOfTwoContexts() {
    Contexts.runner(directory.resolve("one"), RiverListenerTest.Payload.class)
        .run(
            one -> {
              Env first = Env.get();
              Contexts.runner(directory.resolve("two"), RiverListenerTest.Payload.class)
                  .run(two -> assertThat(Env.get()).isSameAs(first));
              assertThat(Env.find()).containsSame(first);
            });
    assertThat(Env.find()).isEmpty();
  }

  @Test
  void shouldExplainALockedDirectory() {
    Contexts.runner(directory, RiverListenerTest.Payload.class)
        .run(
            first ->
                Contexts.runner(directory, RiverListenerTest.Payload.class)
                    .run(
                        second -> {
                          assertThat(second)
                              .getFailure()
                              .rootCause()
                              .isInstanceOf(QueueLockedException.class);
                          FailureAnalysis analysis = analyze(second.getStartupFailure());
                          assertThat(analysis.getDescription())
                              .contains("in use by another process", "sales");
                          assertThat(analysis.getAction()).contains("--river.directory=");
                        }));
  }

  private static FailureAnalysis analyze(Throwable failure) {
    return SpringFactoriesLoader.forDefaultResourceLocation()
        .load(FailureAnalyzer.class, (type, name, problem) -> {}) // those with constructors
        .stream()
        .filter(analyzer -> analyzer.getClass().getName().startsWith("com.wookler.river"))
        .map(analyzer -> analyzer.analyze(failure))
        .filter(analysis -> analysis != null)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldExplainAWrongSetting() {
    Contexts.runner(directory, RiverListenerTest.Payload.class)
        .withPropertyValues("river.queues.sales.options.queue.max.messages=many")
        .run(
            context -> {
              assertThat(analyze(context.getStartupFailure()).getDescription())
                  .contains("river.queues.sales.options: queue.max.messages cannot be 'many'");
            });
    Contexts.runner(directory, RiverListenerTest.Payload.class)
        .withPropertyValues("river.options.queue.colour=blue")
        .run(
            context ->
                assertThat(analyze(context.getStartupFailure()).getDescription())
                    .contains("river.options: 'queue.colour' is not an option of a queue"));
  }

  @Test
  void shouldObeyTheOptionsOfProperties() {
    Contexts.runner(directory, Application.class)
        .withPropertyValues(
            "river.options.queue.max.messages=7",
            "river.queues.other.options.queue.max.messages=8",
            "river.queues.other.type=java.lang.String")
        .run(
            context -> {
              context.getBean(Application.class).mayEnd.countDown();
              RiverTemplate template = context.getBean(RiverTemplate.class);
              template.publish("other", "text");
              assertThat(Files.isDirectory(directory.resolve("other"))).isTrue();
              assertThat(context.getBean(RiverQueues.class).all().keySet())
                  .containsExactly("orders", "other");
              assertThatThrownBy(() -> template.publish("other", 8))
                  .isInstanceOf(RiverException.class)
                  .hasMessageContaining(
                      "queue other takes java.lang.String, not java.lang.Integer");
            });
  }

  @Test
  void shouldTakeTheQueuesOfAFile() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("river.xml"),
            """
            <river>
              <queue name="orders">
                <params>
                  <param name="queue.message.converter" value="utf8"/>
                  <param name="queue.directory" value="%s"/>
                </params>
                <subscribers>
                  <subscriber name="billing">
                    <params>
                      <param name="subscriber.ack.required" value="true"/>
                      <param name="subscriber.window" value="30000"/>
                    </params>
                  </subscriber>
                </subscribers>
              </queue>
            </river>
            """
                .formatted(directory.resolve("data")));
    STEPS.clear();
    Contexts.runner(directory, Application.class)
        .withPropertyValues("river.config=" + file)
        .run(
            context -> {
              context.getBean(Application.class).mayEnd.countDown();
              context.getBean(RiverTemplate.class).publish("orders", "first");
              await().untilAsserted(() -> assertThat(STEPS).contains("processed first"));
              List<? extends Subscriber<?>> subscribers =
                  context.getBean(RiverQueues.class).find("orders").get().subscribers();
              assertThat(subscribers).hasSize(1);
              assertThat(subscribers.get(0).config().window()).isEqualTo(30_000);
            });
    Contexts.runner(directory, Application.class)
        .withPropertyValues("river.config=" + file, "river.queues.orders.type=java.lang.String")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("remove one"));
  }

  static class Intercepting {
    @Bean
    PublishInterceptor<Object> tracing() {
      return (queue, message) -> message;
    }
  }

  @Test
  void shouldWarnOfBeansThatDoNotChangeTheQueuesOfAFile() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("river.xml"),
            """
            <river>
              <queue name="orders">
                <params>
                  <param name="queue.message.converter" value="utf8"/>
                  <param name="queue.directory" value="%s"/>
                </params>
              </queue>
            </river>
            """
                .formatted(directory.resolve("data")));
    try (CapturedLog log = new CapturedLog(RiverAutoConfiguration.class)) {
      Contexts.runner(directory, RiverListenerTest.Payload.class)
          .withPropertyValues("river.config=" + file)
          .run(context -> assertThat(context).hasNotFailed());
      assertThat(log.warnings()).isEmpty();
      Contexts.runner(directory, Intercepting.class)
          .withPropertyValues("river.config=" + file)
          .run(context -> assertThat(context).hasNotFailed());
      assertThat(log.warnings())
          .singleElement()
          .asString()
          .startsWith("Beans [tracing] change no queue of river.config");
    }
  }

  @Test
  void shouldDoNothingWhereItIsSwitchedOff() {
    Contexts.runner(directory)
        .withPropertyValues("river.enabled=false")
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean(RiverQueues.class);
              assertThat(Env.find()).isEmpty();
            });
  }
}
