package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.CounterReport;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.Monitoring;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class EnvTest {
  private static final String NAME = "<param name='app.name' value='TEST-RIVER'/>";
  private static final String POOL =
      "<task-manager name='TM'><params><param name='executor.pool.size' value='2'/></params></task-manager>";

  @TempDir Path directory;

  @BeforeEach
  @AfterEach
  void reset() {
    Env.reset();
  }

  @Test
  void shouldOfferConfigurationTasksAndMonitor() throws IOException {
    Env env = Env.create(valid().toString(), "river");

    assertThat(Env.get()).isSameAs(env);
    assertThat(Env.find()).containsSame(env);
    assertThat(env.config().name()).isEqualTo("river");
    assertThat(env.config().search("river.queue")).isNotNull();
    assertThat(env.config().search("queue")).isSameAs(env.config().search("river/queue"));
    assertThat(env.monitor()).isSameAs(Monitor.get());
    assertThat(env.taskmanager()).isNotNull();
    assertThat(env.encoding()).isEqualTo(StandardCharsets.UTF_8);
  }

  @Test
  void shouldBeBuiltWithoutAFile() {
    List<CounterReport> reported = new CopyOnWriteArrayList<>();
    Env env =
        Env.builder()
            .monitor("shop", Duration.ofMillis(10))
            .monitorWindow(Duration.ofHours(1))
            .debugCounters(true)
            .counterLogger((info, lines) -> reported.addAll(lines))
            .heartbeatLogger((info, lines) -> {})
            .taskManager("shop", 3)
            .encoding(StandardCharsets.ISO_8859_1)
            .open();
    assertThat(Env.get()).isSameAs(env);
    assertThat(Monitor.get().info().name()).isEqualTo("shop");
    assertThat(env.encoding()).isEqualTo(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(env::config).hasMessageContaining("no file");
    assertThatThrownBy(Env.builder()::open).hasMessageContaining("already from a builder");
    Monitoring.create(true, "shop", "sold", Count.class, AbstractCounter.Mode.DEBUG).increment();
    await().untilAsserted(() -> assertThat(reported).isNotEmpty());
    assertThat(reported.get(0).name()).isEqualTo("sold");
    Env.reset();
    assertThat(Env.builder().open().taskmanager()).isNotNull();
    assertThatThrownBy(() -> Env.builder().taskManager(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Env.builder().monitor("a", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldFindTheEnvironmentDeepInAFile() throws IOException {
    Path file =
        write(
            "<a><b><env><params><param name='default.encoding' value='ISO-8859-1'/></params>"
                + "<monitor><params>"
                + NAME
                + "</params></monitor>"
                + POOL
                + "</env></b></a>");

    assertThat(Env.create(file, "a.b").config().path()).isEqualTo("a.b");
    assertThat(Env.get().encoding()).isEqualTo(StandardCharsets.ISO_8859_1);
    Env.reset();
    assertThat(Env.create(file.toFile(), "a/b").config().name()).isEqualTo("b");
    Env.reset();
    assertThat(Env.create(file, "b").config().name()).isEqualTo("b");
  }

  @Test
  void shouldRunTasks() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    Env.create(valid(), "river")
        .taskmanager()
        .add(
            new ManagedTask() {
              @Override
              public String name() {
                return "mine";
              }

              @Override
              public Duration interval() {
                return Duration.ofDays(1);
              }

              @Override
              public boolean step() {
                ran.countDown();
                return false;
              }
            });

    ran.await();
  }

  @Test
  void shouldLeaveNoThreadAfterManyRounds() throws IOException {
    round();
    Set<Thread> before = threads();
    for (int i = 0; i < 20; i++) {
      round();
    }

    Set<Thread> left = threads();
    left.removeAll(before);
    assertThat(left).isEmpty();
  }

  private void round() throws IOException {
    Env.create(valid(), "river");
    assertThat(MonitoredThread.running()).isNotNull();
    Env.shutdown();
    assertThat(MonitoredThread.running()).isEmpty();
    Env.reset();
  }

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }

  @Test
  void shouldRefuseASecondEnvironment() throws IOException {
    Path file = valid();
    Env.create(file, "river");

    assertThatThrownBy(() -> Env.create(file, "river"))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("Env.reset()");
    assertThat(Env.find()).isPresent();
    Env.shutdown();
    assertThatThrownBy(() -> Env.create(file, "river")).isInstanceOf(RiverException.class);
    Env.reset();
    Env.create(file, "river");
  }

  @Test
  void shouldNotBeThereBeforeCreateAndAfterShutdown() throws IOException {
    assertThat(Env.find()).isEmpty();
    assertThatThrownBy(Env::get)
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("Env.create()");
    assertThatThrownBy(Monitor::get).isInstanceOf(Monitor.MonitorException.class);
    Env.shutdown();

    Env env = Env.create(valid(), "river");
    Env.shutdown();
    Env.shutdown();

    assertThat(Env.find()).isEmpty();
    assertThatThrownBy(Env::get).isInstanceOf(RiverException.class);
    assertThatThrownBy(Monitor::get).isInstanceOf(Monitor.MonitorException.class);
    assertThat(env.config().search("queue")).isNotNull();
  }

  @Test
  void shouldLeaveNothingBehindWhenItCannotBeCreated() throws IOException {
    Set<Thread> before = threads();
    String monitor = "<monitor><params>" + NAME + "</params></monitor>";
    for (String env :
        List.of(
            "",
            "<env/>",
            "<env>" + monitor + POOL + "</env><env>" + monitor + POOL + "</env>",
            "<env>" + monitor + POOL.replace("'2'", "'0'") + "</env>",
            "<env>" + monitor + POOL.replace("executor", "executr") + "</env>",
            "<env>" + monitor + POOL.replace("TM", "") + "</env>",
            "<env><params><param name='default.encoding' value='NONE-8'/></params>"
                + monitor
                + POOL
                + "</env>",
            "<env>" + monitor.replace("app.name", "app.nme") + POOL + "</env>",
            "<env>"
                + monitor.replace("</monitor>", "<counter class='no.such'/></monitor>")
                + POOL
                + "</env>",
            "<env>"
                + monitor.replace(
                    "</monitor>", "<counter class='" + Failing.class.getName() + "'/></monitor>")
                + POOL
                + "</env>",
            "<env>"
                + monitor.replace(NAME, NAME + "<param name='monitor.frequency.write' value='0'/>")
                + POOL
                + "</env>")) {
      assertThatThrownBy(() -> Env.create(write("<river>" + env + "</river>"), "river"))
          .as(env)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("river.xml:1:");
      assertThat(Env.find()).isEmpty();
      assertThat(Monitor.find()).isEmpty();
    }
    assertThatThrownBy(() -> Env.create(valid(), "nowhere"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("'nowhere'");
    assertThatThrownBy(() -> Env.create(directory.resolve("none.xml"), "river"))
        .isInstanceOf(ConfigurationException.class);

    Set<Thread> left = threads();
    left.removeAll(before);
    assertThat(left).isEmpty();
    Env.create(valid(), "river");
  }

  @Test
  void shouldSayThatAParameterIsMissing() {
    assertThatThrownBy(
            () ->
                Env.create(
                    write("<river><env><monitor><params/></monitor>" + POOL + "</env></river>"),
                    "river"))
        .hasMessage("river.xml:1: <monitor>, parameter 'app.name': is required");
  }

  private Path valid() throws IOException {
    return write(
        "<river><env><monitor><params>"
            + NAME
            + "</params></monitor>"
            + POOL
            + "</env><queue name='orders'><params/></queue></river>");
  }

  private Path write(String xml) throws IOException {
    return Files.writeString(directory.resolve("river.xml"), xml);
  }

  /** A logger that cannot be made. */
  public static final class Failing implements CounterLogger {
    /** Throws. */
    public Failing() {
      throw new IllegalStateException("on purpose");
    }

    @Override
    public void log(ApplicationInfo info, List<CounterReport> counters) {}
  }
}
