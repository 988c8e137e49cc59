package com.wookler.river.common.utils;

import static com.wookler.river.common.utils.Monitoring.addGlocalCounter;
import static com.wookler.river.common.utils.Monitoring.addLocalCounter;
import static com.wookler.river.common.utils.Monitoring.debug;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.wookler.river.common.Env;
import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.AbstractMeasure;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Counter;
import com.wookler.river.common.counters.CounterReport;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.testing.MonitorXml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The way to make a counter that the project's first README shows has to work as it stands there.
 */
@NullUnmarked
class SeedSnippetTest {
  @TempDir Path directory;

  private final Map<String, String[]> counters = new HashMap<>();

  private static final class Constants {
    static final String MONITOR_NAMESPACE = "river.counters.queue";
    static final String MONITOR_COUNTER_ADDS = "adds";
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

  @AfterEach
  void reset() {
    Env.reset();
  }

  @Test
  void shouldRegisterCountersAsShown() throws IOException {
    Env.create(MonitorXml.in(directory), "river");

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
    create(false, "x", "time", Average.class, AbstractCounter.Mode.PROD).add(7);
    create(true, "x", "debug", Count.class, AbstractCounter.Mode.DEBUG).add(7);
    c.increment();

    assertThat(counters.get("adds")).containsExactly("river.counters.queue", "adds");
    assertThat(Monitor.get().counters())
        .extracting(CounterReport::namespace, CounterReport::name, line -> line.total().value())
        .containsExactly(tuple("river.counters.queue", "adds", 1L), tuple("x", "time", 7L));
  }

  @Test
  void shouldGiveNoCounterWithoutAMonitor() {
    assertThat(create(true, "x", "y", Count.class, AbstractCounter.Mode.PROD)).isNull();
    assertThat(Monitoring.create(false, "x", "y", Count.class, AbstractCounter.Mode.PROD)).isNull();
  }

  @Test
  void shouldRemoveACounterAndKeepItsTotal() throws IOException {
    Env.create(MonitorXml.in(directory), "river");
    AbstractCounter counter =
        Monitoring.create(false, "x", "y", Count.class, AbstractCounter.Mode.PROD);
    counter.add(5);

    Monitoring.remove(counter);
    counter.add(5);

    assertThat(Monitor.get().counters())
        .extracting(line -> line.total().value())
        .containsExactly(5L);
    Env.reset();
    Monitoring.remove(counter);
  }
}
