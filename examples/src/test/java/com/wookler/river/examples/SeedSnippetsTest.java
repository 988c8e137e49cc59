package com.wookler.river.examples;

import static com.wookler.river.common.utils.Monitoring.addGlocalCounter;
import static com.wookler.river.common.utils.Monitoring.addLocalCounter;
import static com.wookler.river.common.utils.Monitoring.debug;
import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import com.wookler.river.common.Monitor;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.AbstractMeasure;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Counter;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.common.utils.Monitoring;
import com.wookler.river.core.Constants;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The Java and XML that RIVER was first described with, as they stood there but for line breaks:
 * they compile and run. The XML is the examples' own configuration, with its absolute directories.
 */
class SeedSnippetsTest {
  private final Map<String, String[]> counters = new HashMap<>();

  // Snippet: queue setup and configuration, its field.
  private MessageQueue<String> queue = new MessageQueue<String>();

  @AfterEach
  void close() {
    if (queue.state() == QueueState.RUNNING) {
      queue.delete();
    }
    Env.reset();
  }

  @Test
  void shouldSetUpTheEnvironmentAndTheQueue() throws Exception {
    String configfile = "examples/src/main/resources/example-config.xml";

    // Setup the execution environment.
    // configfile - Path to the configuration file.
    // SampleConstants.CONFIG_PATH - XPath root under which the configurations are defined.
    Env.create(configfile, SampleConstants.CONFIG_PATH);

    ConfigNode cp = Env.get().config();
    // Find the Queue configuration node in the tree.
    ConfigNode node = cp.search(SampleConstants.CONFIG_PATH_QUEUE);
    // Setup and start the queue.
    configQueue(node);

    Subscriber<String> subscriber = queue.subscriber("TEST");
    queue.publisher().publish("first");
    Delivery<String> delivery = subscriber.next(Duration.ofSeconds(10));
    assertThat(queue.name()).isEqualTo("TEST-RIVER-EXEC");
    assertThat(delivery.data()).isEqualTo("first");
    assertThat(subscriber.next()).isNull();
  }

  @Test
  void shouldRegisterCounters() {
    Env.create("examples/src/main/resources/example-config.xml", SampleConstants.CONFIG_PATH);

    AbstractCounter c =
        Monitoring.create(
            true,
            Constants.MONITOR_NAMESPACE,
            Constants.MONITOR_COUNTER_ADDS,
            Count.class,
            AbstractCounter.Mode.PROD);
    if (c != null) {
      counters.put(Constants.MONITOR_COUNTER_ADDS, new String[] {c.namespace(), c.name()});
    }

    assertThat(counters.get("adds")).containsExactly("river.counters.queue", "adds");
    assertThat(c).isInstanceOf(ConcurrentCounter.class);
    AbstractCounter local = create(false, "here", "local", Count.class, AbstractCounter.Mode.DEBUG);
    assertThat(local).isInstanceOf(Counter.class);
    local.increment();
    assertThat(local.total()).isEqualTo(1);
  }

  @Test
  void shouldAnswerNullWithoutAMonitor() {
    assertThat(create(true, "here", "global", Count.class, AbstractCounter.Mode.PROD)).isNull();
  }

  // Configure and start the queue.
  // node - Configuration node for the queue setup.
  private void configQueue(ConfigNode node) throws Exception {
    if (node == null)
      throw new Exception(
          "Cannot find queue node. [path=" + SampleConstants.CONFIG_PATH_QUEUE + "]");
    queue.configure(node);
    queue.start();
  }

  /**
   * Create a new instance of a counter.
   *
   * @param global - Is Global? (Synchronized)
   * @param namespace - Counter namespace.
   * @param name - Counter name.
   * @param type - Measure type.
   * @param mode - Production or Debug counter.
   * @return - New instance of a counter.
   */
  public static AbstractCounter create(
      boolean global,
      String namespace,
      String name,
      Class<? extends AbstractMeasure> type,
      AbstractCounter.Mode mode) {
    AbstractCounter c = null;
    try {
      TimeWindow window = Monitor.get().timewindow();

      if (global) {
        c = new ConcurrentCounter(window, type).namespace(namespace).name(name).mode(mode);
        addGlocalCounter(c);
      } else {
        c = new Counter(window, type).namespace(namespace).name(name).mode(mode);
        addLocalCounter(c);
      }
    } catch (Monitor.MonitorException me) {
      debug(Monitoring.class, me);
    }
    return c;
  }
}
