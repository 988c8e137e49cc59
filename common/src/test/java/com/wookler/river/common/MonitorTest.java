package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.CounterReport;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.utils.Monitoring;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class MonitorTest {
  private static final String PREFIX =
      "\\[APP INFO: \\[APP NAME:[^\\]]+\\]\\[IP:[^\\]]+\\]\\[HOSTNAME:[^\\]]+\\]\\[START TIME:\\d+\\]\\] ";
  private static final String WINDOW = "WINDOW=\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}";
  private static final String COUNT = "\\{Count: " + WINDOW + ", VALUE=\\d+\\}";
  private static final String AVERAGE =
      "\\{Average: " + WINDOW + ", AVERAGE=\\d+\\.\\d{6}, VALUE=\\d+, COUNT=\\d+\\}";
  private static final String COUNT_LINE = line("COUNT", COUNT);
  private static final String AVERAGE_LINE = line("AVERAGE", AVERAGE);
  private static final String ALIVE =
      PREFIX
          + "\\{\\{THREAD: ID=\\d+, NAME=.+, STATE=[A-Z_]+\\} CPUTIME=-?\\d+, USERTIME=-?\\d+\\}";
  private static final String ENDED = PREFIX + "\\{THREAD: ID=\\d+, NAME=.+, STATE=TERMINATED\\}";

  private static String line(String kind, String measure) {
    return PREFIX
        + "\\{\\["
        + kind
        + "\\] \\S+ : \\[\\[DELTA: "
        + measure
        + "\\]\\[PERIOD: "
        + measure
        + "\\]\\[TOTAL: "
        + measure
        + "\\]\\]\\}";
  }

  private static final String SEED_PREFIX =
      "[APP INFO: [APP NAME:TEST-RIVER][IP:10.242.83.186][HOSTNAME:10.242.83.186][START TIME:1411641094981]] ";

  // What the loggers below were given; static because the configuration makes the loggers.
  private static final BlockingQueue<List<String>> COUNTERS = new LinkedBlockingQueue<>();
  private static final BlockingQueue<List<String>> HEARTBEATS = new LinkedBlockingQueue<>();
  private static final AtomicBoolean FAIL = new AtomicBoolean();
  private static final AtomicInteger CLOSED = new AtomicInteger();

  @TempDir Path directory;

  private final ManualTimeSource time =
      new ManualTimeSource(Instant.parse("2014-09-25T16:01:35.000Z"));

  @BeforeEach
  @AfterEach
  void reset() {
    Env.reset();
    FAIL.set(false);
    CLOSED.set(0);
    COUNTERS.clear();
    HEARTBEATS.clear();
  }

  @Test
  void shouldRecogniseTheWellKnownLinesByTheExpressionsUsedHere() {
    assertThat(
            SEED_PREFIX
                + "{[COUNT] river.counters.queue.storeTEST-RIVER-PULL.adds : [[DELTA: {Count: WINDOW=2014-09-25 16:01:35.531,"
                + " VALUE=4504360}][PERIOD: {Count: WINDOW=2014-09-25 16:02:30.000, VALUE=4504360}][TOTAL: {Count:"
                + " WINDOW=2014-09-25 16:01:35.531, VALUE=0}]]}")
        .matches(COUNT_LINE);
    assertThat(
            SEED_PREFIX
                + "{[AVERAGE] river.counters.block.time.write : [[DELTA: {Average: WINDOW=2014-09-25 16:01:35.499,"
                + " AVERAGE=0.000200, VALUE=17753, COUNT=88590968}][PERIOD: {Average: WINDOW=2014-09-25 16:02:30.000,"
                + " AVERAGE=0.000200, VALUE=17753, COUNT=88590973}][TOTAL: {Average: WINDOW=2014-09-25 16:01:35.499,"
                + " AVERAGE=0.000000, VALUE=0, COUNT=0}]]}")
        .matches(AVERAGE_LINE);
    assertThat(
            SEED_PREFIX
                + "{{THREAD: ID=18, NAME=POOL-1-TaskManager-THREAD-1, STATE=RUNNABLE} CPUTIME=131475, USERTIME=117613}")
        .matches(ALIVE);
    assertThat(SEED_PREFIX + "{THREAD: ID=13, NAME=PRODUCER-TEST-PRODUCER-0, STATE=TERMINATED}")
        .matches(ENDED);
  }

  @Test
  void shouldWriteCountersInTheWellKnownShape() throws Exception {
    start("");
    AbstractCounter adds = count("river.counters.queue", "adds");
    AbstractCounter wait = average("river.counters.queue", "time.add");
    adds.add(4_504_360);
    wait.add(21_195_400_000L, 4_504_360);

    time.advance(Duration.ofMinutes(1));
    List<String> lines = take(COUNTERS);

    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).matches(COUNT_LINE);
    assertThat(lines.get(0))
        .contains("{[COUNT] river.counters.queue.adds : [[DELTA: {Count: WINDOW=");
    assertThat(lines.get(1)).matches(AVERAGE_LINE);
    // 4.7 µs a message, printed as milliseconds.
    assertThat(lines.get(1)).contains(", AVERAGE=0.004706, VALUE=21195, COUNT=4504360}");
    assertThat(lines.get(0))
        .startsWith("[APP INFO: [APP NAME:TEST-RIVER][IP:")
        .contains("[START TIME:" + Instant.parse("2014-09-25T16:01:35.000Z").toEpochMilli() + "]]");
  }

  @Test
  void shouldReportDeltaPeriodAndTotalOverTime() throws Exception {
    // Reports each minute at :35, periods of 90 s.
    start("<param name='monitor.window.recycle' value='90ss'/>");
    AbstractCounter counter = count("n", "c");
    counter.add(1);
    time.advance(Duration.ofMinutes(1));
    assertThat(values(take(COUNTERS))).containsExactly("1/1/1");
    counter.add(10);
    time.advance(Duration.ofMinutes(1));
    // 16:03:35: the period that began at 16:01:30 ended at 16:03:00, and is reported before the
    // next begins.
    assertThat(values(take(COUNTERS))).containsExactly("10/11/11");
    awaitPeriod(counter);
    counter.add(100);
    time.advance(Duration.ofSeconds(50));
    assertThat(COUNTERS).isEmpty();
    time.advance(Duration.ofSeconds(10));
    assertThat(values(take(COUNTERS))).containsExactly("100/100/111");
  }

  /** Waits until the step that began a new period is over. */
  private static void awaitPeriod(AbstractCounter counter) {
    await().until(() -> Monitor.get().counters().get(0).period().value() == 0);
    assertThat(counter.total()).isPositive();
  }

  @Test
  void shouldStartPeriodsBetweenReports() throws Exception {
    start("<param name='monitor.window.recycle' value='30ss'/>");
    AbstractCounter counter = count("n", "c");
    counter.add(5);
    time.advance(Duration.ofSeconds(25));
    awaitPeriod(counter);
    counter.add(2);

    CounterReport line = Monitor.get().counters().get(0);
    assertThat(line.delta().value()).isEqualTo(7);
    assertThat(line.period().value()).isEqualTo(2);
    assertThat(line.period().window()).isEqualTo(Instant.parse("2014-09-25T16:02:00Z"));
    assertThat(line.total().value()).isEqualTo(7);
    assertThat(line.total().window()).isEqualTo(Instant.parse("2014-09-25T16:01:35Z"));
  }

  @Test
  void shouldReportTheSameChangesAgainWhenTheLoggerFailed() throws Exception {
    start("");
    count("n", "c").add(3);
    FAIL.set(true);
    time.advance(Duration.ofMinutes(1));
    await().until(() -> Env.get().taskmanager().failures() == 1);
    // The heartbeats do not suffer from it.
    take(HEARTBEATS);
    FAIL.set(false);

    time.advance(Duration.ofSeconds(1));

    assertThat(values(take(COUNTERS))).containsExactly("3/3/3");
  }

  @Test
  void shouldReportALastTimeAtShutdown() throws Exception {
    start("");
    count("n", "c").add(3);

    Env.shutdown();

    assertThat(values(take(COUNTERS))).containsExactly("3/3/3");
    assertThat(take(HEARTBEATS)).isNotEmpty();
    assertThat(CLOSED).hasValue(1);
  }

  @Test
  void shouldCloseTheLoggersWhenItCannotStart() throws Exception {
    String counter = "<counter class='" + Counters.class.getName() + "'/>";
    assertThatThrownBy(
            () -> Env.create(write("", counter + "<heartbeat class='no.such'/>"), "river", time))
        .isInstanceOf(ConfigurationException.class);
    assertThat(CLOSED).hasValue(1);

    Path file = write("", counter);
    Files.writeString(file, Files.readString(file).replace("\"1\"", "\"none\""));
    assertThatThrownBy(() -> Env.create(file, "river", time))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("executor.pool.size");
    assertThat(CLOSED).hasValue(2);
  }

  @Test
  void shouldShutDownWhenTheLastReportFails() throws Exception {
    start("");
    FAIL.set(true);

    Env.shutdown();

    assertThat(Monitor.find()).isEmpty();
    assertThat(MonitoredThread.running()).isEmpty();
  }

  @Test
  void shouldLeaveOutDebugCountersUnlessAskedFor() throws Exception {
    start("");
    Monitoring.create(true, "n", "debug", Count.class, AbstractCounter.Mode.DEBUG).add(1);
    count("n", "prod").add(1);
    time.advance(Duration.ofMinutes(1));
    assertThat(take(COUNTERS)).hasSize(1).allMatch(line -> line.contains("n.prod"));
    Env.reset();
    COUNTERS.clear();

    start("<param name='monitor.debug.counters' value='true'/>");
    Monitoring.create(true, "n", "debug", Count.class, AbstractCounter.Mode.DEBUG).add(1);
    time.advance(Duration.ofMinutes(1));
    assertThat(take(COUNTERS)).hasSize(1).allMatch(line -> line.contains("n.debug"));
  }

  @Test
  void shouldWriteHeartbeatsOfItsThreadsAndOfThoseThatEndedOnce() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    MonitoredThread longLived =
        new MonitoredThread(
            "CONSUMER-1",
            () -> {
              try {
                gate.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    longLived.start();
    await().until(() -> longLived.getState() == Thread.State.WAITING);
    start("");
    MonitoredThread shortLived = new MonitoredThread("PRODUCER-1", () -> {});
    shortLived.start();
    shortLived.join();

    time.advance(Duration.ofMinutes(1));
    List<String> first = take(HEARTBEATS);
    // The report was made by the thread whose state it also shows.
    assertThat(first)
        .filteredOn(line -> line.contains("TaskManager-THREAD-1"))
        .singleElement()
        .asString()
        .matches(ALIVE)
        .contains("STATE=RUNNABLE");
    assertThat(first)
        .filteredOn(line -> line.contains("NAME=CONSUMER-1,"))
        .singleElement()
        .asString()
        .matches(ALIVE)
        .contains("STATE=WAITING");
    assertThat(first)
        .filteredOn(line -> line.contains("NAME=PRODUCER-1,"))
        .singleElement()
        .asString()
        .matches(ENDED);

    gate.countDown();
    longLived.join();
    time.advance(Duration.ofMinutes(1));
    List<String> second = take(HEARTBEATS);
    assertThat(second).noneMatch(line -> line.contains("PRODUCER-1"));
    assertThat(second)
        .filteredOn(line -> line.contains("CONSUMER-1,"))
        .singleElement()
        .asString()
        .matches(ENDED);
  }

  @Test
  void shouldKeepOnlyTheLastEndedThreads() {
    HeartbeatCollector heartbeats = new HeartbeatCollector();
    for (int i = 0; i < HeartbeatCollector.MAX_ENDED + 10; i++) {
      heartbeats.ended(new MonitoredThread("t" + i, () -> {}));
    }
    List<Heartbeat> seen = new ArrayList<>();

    heartbeats.report(seen::addAll);

    assertThat(seen)
        .filteredOn(each -> each.state() == Thread.State.TERMINATED)
        .hasSize(HeartbeatCollector.MAX_ENDED)
        .first()
        .extracting(Heartbeat::name)
        .isEqualTo("t10");
  }

  @Test
  void shouldWorkWithoutLoggers() throws Exception {
    Env.create(write("", ""), "river", time);
    count("n", "c").add(2);

    assertThat(Monitor.get().counters()).hasSize(1);
    assertThat(Monitor.get().threads())
        .extracting(Heartbeat::name)
        .anyMatch(n -> n.contains("POOL"));
    assertThat(Monitor.get().info().name()).isEqualTo("TEST-RIVER");
    assertThat(Monitor.get().timewindow().length()).isEqualTo(Duration.ofHours(24));
  }

  private void start(String params) throws IOException {
    String loggers =
        "<counter class='%s'/><heartbeat class='%s'/>"
            .formatted(Counters.class.getName(), Beats.class.getName());
    Env.create(
        write("<param name='monitor.frequency.write' value='1mm'/>" + params, loggers),
        "river",
        time);
  }

  private Path write(String params, String loggers) throws IOException {
    return Files.writeString(
        directory.resolve("river.xml"),
        """
        <river><env>
          <monitor><params><param name="app.name" value="TEST-RIVER"/>%s</params>%s</monitor>
          <task-manager name="TM"><params><param name="executor.pool.size" value="1"/></params></task-manager>
        </env></river>
        """
            .formatted(params, loggers));
  }

  private static AbstractCounter count(String namespace, String name) {
    return Monitoring.create(true, namespace, name, Count.class, AbstractCounter.Mode.PROD);
  }

  private static AbstractCounter average(String namespace, String name) {
    return Monitoring.create(false, namespace, name, Average.class, AbstractCounter.Mode.PROD);
  }

  private static List<String> take(BlockingQueue<List<String>> reports)
      throws InterruptedException {
    List<String> report = reports.poll(60, TimeUnit.SECONDS);
    assertThat(report).isNotNull();
    return report;
  }

  private static List<String> values(List<String> lines) {
    return lines.stream()
        .map(
            line ->
                line.replaceAll(
                    ".*DELTA.*VALUE=(\\d+).*PERIOD.*VALUE=(\\d+).*TOTAL.*VALUE=(\\d+).*",
                    "$1/$2/$3"))
        .toList();
  }

  /** Keeps what it is given. */
  public static final class Counters implements CounterLogger, AutoCloseable {
    @Override
    public void close() {
      CLOSED.incrementAndGet();
    }

    @Override
    public void log(ApplicationInfo info, List<CounterReport> counters) {
      if (FAIL.get()) {
        throw new IllegalStateException("on purpose");
      }
      COUNTERS.add(counters.stream().map(each -> info + " " + each).toList());
    }
  }

  /** Keeps what it is given. */
  public static final class Beats implements HeartbeatLogger {
    @Override
    public void log(ApplicationInfo info, List<Heartbeat> heartbeats) {
      HEARTBEATS.add(heartbeats.stream().map(each -> info + " " + each).toList());
    }
  }
}
