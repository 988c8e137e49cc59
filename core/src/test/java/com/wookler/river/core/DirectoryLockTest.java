package com.wookler.river.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.OwnerRecord;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who has a queue's directory, and how that is kept and noticed. */
class DirectoryLockTest {
  private static final String NAME = "orders";
  private static final Path LOCKS = Path.of("/proc/locks");

  @TempDir Path base;

  private final List<Throwable> heard = new CopyOnWriteArrayList<>();

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder(NAME, MessageConverter.utf8()).directory(base);
  }

  private Path own() {
    return base.resolve(NAME);
  }

  private MessageQueue<String> openHeard() {
    MessageQueue<String> queue =
        builder().subscriber(SubscriberConfig.builder("audit").ack(true).build()).open();
    queue.addListener(
        new QueueListener() {
          @Override
          public void failed(Throwable cause) {
            heard.add(cause);
          }
        });
    return queue;
  }

  /** Whether this process holds a lock of the file, as the system sees it. */
  private boolean isLocked() throws IOException {
    String file = ":" + Files.getAttribute(own().resolve("LOCK"), "unix:ino") + " ";
    String process = " " + ProcessHandle.current().pid() + " ";
    return Files.readAllLines(LOCKS).stream()
        .anyMatch(line -> line.contains(file) && line.contains(process));
  }

  /** What a backup by the application does that knows nothing of River. */
  private static void readAll(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.readAllBytes(file);
      }
    }
  }

  @Test
  void shouldKeepItsLockWhenAnotherClassLoaderIsRefused() throws Exception {
    assumeTrue(Files.exists(LOCKS));
    MessageQueue<String> queue = builder().open();
    try (URLClassLoader other = new URLClassLoader(classPath(), null)) {
      assertThat(isLocked()).isTrue();
      assertThatThrownBy(() -> open(other))
          .hasMessageContaining("queue orders is open already in this process");
      assertThat(isLocked()).isTrue();
      String claim = "com.wookler.river.open:" + own();
      Object claimed = System.getProperties().remove(claim); // as if they had been replaced
      assertThatThrownBy(() -> open(other)).hasMessageContaining("already in this process");
      assertThatThrownBy(() -> open(other)).hasMessageContaining("already in this process");
      System.getProperties().put(claim, claimed);
      assertThat(isLocked()).isTrue();
      queue.publisher().publish("m0");
      queue.close();
      assertThat(isLocked()).isFalse();
      open(other);
      assertThat(isLocked()).isTrue();
      assertThatThrownBy(() -> builder().open()).isInstanceOf(QueueLockedException.class);
      assertThat(isLocked()).isTrue();
    }
    System.getProperties().remove("com.wookler.river.open:" + own());
  }

  private static URL[] classPath() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  /** Takes possession of the directory, as another application in this JVM would. */
  private Object open(ClassLoader loader) throws Exception {
    Class<?> time = loader.loadClass("com.wookler.river.common.TimeSource");
    var open =
        loader
            .loadClass(DataDirectory.class.getName())
            .getDeclaredMethod("open", Path.class, String.class, boolean.class, time);
    open.setAccessible(true);
    try {
      return open.invoke(null, base, NAME, true, time.getMethod("system").invoke(null));
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
  }

  @Test
  void shouldTakeItsLockAgainWhenOtherCodeHasEndedIt() throws Exception {
    assumeTrue(Files.exists(LOCKS));
    try (MessageQueue<String> queue = builder().open()) {
      readAll(own());
      await().until(this::isLocked);
      assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    }
    assertThat(isLocked()).isFalse();
  }

  /** The owner of a directory that it has opened and not closed. */
  private OwnerRecord leaveRecord() throws IOException {
    builder().open().close();
    OwnerRecord closed = OwnerRecord.read(own());
    assertThat(closed.pid()).isZero();
    return OwnerRecord.ofThisProcess(closed.lock());
  }

  @Test
  void shouldRefuseADirectoryWhoseOwnerRunsThoughItHasLostItsLock() throws Exception {
    OwnerRecord self = leaveRecord();
    Process process = new ProcessBuilder("sleep", "600").start();
    try {
      OwnerRecord owner = of(self, self.machine(), process.pid(), self.lock());
      owner.write(own());
      assertThatThrownBy(() -> builder().open())
          .isInstanceOf(QueueLockedException.class)
          .hasMessageContaining("process " + process.pid() + " on ")
          .hasMessageContaining("lost its file lock");
      assertThat(OwnerRecord.read(own())).isEqualTo(owner);
    } finally {
      process.destroyForcibly().waitFor();
    }
    builder().open().close();
  }

  @Test
  void shouldOpenBehindAProcessThatWasKilledAndNobodyWaitedFor() throws Exception {
    OwnerRecord self = leaveRecord();
    Process parent = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; exec sleep 600").start();
    try (BufferedReader output = parent.inputReader(UTF_8)) {
      long child = Long.parseLong(output.readLine());
      OwnerRecord owner = of(self, self.machine(), child, self.lock());
      owner.write(own());
      assertThat(owner.isRunning()).isTrue();
      ProcessHandle.of(child).orElseThrow().destroyForcibly();
      await().until(() -> !owner.isRunning());
      builder().open().close();
    } finally {
      parent.destroyForcibly().waitFor();
    }
  }

  private static OwnerRecord of(OwnerRecord like, String machine, long pid, String lock) {
    return new OwnerRecord(like.host(), machine, pid, OwnerRecord.startOf(pid), lock, like.token());
  }

  /** Those that must not keep a queue from being opened for ever. */
  private enum Stale {
    OF_A_PROCESS_ID_THAT_WAS_USED_AGAIN {
      @Override
      OwnerRecord of(OwnerRecord self) {
        long parent = ProcessHandle.current().parent().orElseThrow().pid();
        return new OwnerRecord(self.host(), self.machine(), parent, 1, self.lock(), self.token());
      }
    },
    OF_THIS_PROCESS_WHICH_COULD_NOT_WRITE_AT_ITS_CLOSE {
      @Override
      OwnerRecord of(OwnerRecord self) {
        return self;
      }
    },
    OF_ANOTHER_CONTAINER_OR_MACHINE {
      @Override
      OwnerRecord of(OwnerRecord self) {
        return DirectoryLockTest.of(self, "another boot pid:[1]", 1, self.lock());
      }
    },
    OF_THE_DIRECTORY_THAT_THIS_IS_A_COPY_OF {
      @Override
      OwnerRecord of(OwnerRecord self) {
        return DirectoryLockTest.of(
            self,
            self.machine(),
            ProcessHandle.current().parent().orElseThrow().pid(),
            "(dev=1,ino=1)");
      }
    };

    abstract OwnerRecord of(OwnerRecord self);
  }

  @ParameterizedTest
  @EnumSource(Stale.class)
  void shouldOpenBehindARecordOf(Stale stale) throws Exception {
    stale.of(leaveRecord()).write(own());
    try (MessageQueue<String> queue = builder().open()) {
      assertThat(queue.publisher().publish("m0")).isZero();
    }
  }

  @Test
  void shouldOpenBehindARecordThatIsDamaged() throws Exception {
    leaveRecord();
    Files.writeString(own().resolve(OwnerRecord.FILE), "{ half");
    try (MessageQueue<String> queue = builder().open()) {
      assertThat(queue.publisher().publish("m0")).isZero();
    }
    assertThat(OwnerRecord.read(own()).pid()).isZero();
  }

  /** What can happen to a directory under a queue that runs. */
  private enum Loss {
    TAKEN_OVER("has taken") {
      @Override
      void happen(Path own) throws IOException {
        OwnerRecord.ofThisProcess(OwnerRecord.read(own).lock()).write(own);
      }
    },
    RECORD_OVERWRITTEN("was removed or changed") {
      @Override
      void happen(Path own) throws IOException {
        Files.writeString(own.resolve(OwnerRecord.FILE), "by another machine");
      }
    },
    DELETED("was deleted or moved away") {
      @Override
      void happen(Path own) throws IOException {
        DataDirectory.deleteTree(own);
      }
    },
    MOVED("was deleted or moved away") {
      @Override
      void happen(Path own) throws IOException {
        Files.move(own, own.resolveSibling("moved"));
      }
    },
    REPLACED("was ") {
      @Override
      void happen(Path own) throws IOException {
        Path moved = Files.move(own, own.resolveSibling("moved"));
        try (Stream<Path> all = Files.walk(moved)) {
          for (Path file : all.toList()) {
            Files.copy(file, own.resolve(moved.relativize(file).toString()));
          }
        }
      }
    };

    final String text;

    Loss(String text) {
      this.text = text;
    }

    abstract void happen(Path own) throws IOException;
  }

  @ParameterizedTest
  @EnumSource(Loss.class)
  void shouldFailWhenItsDirectoryIs(Loss loss) throws Exception {
    MessageQueue<String> queue = openHeard();
    queue.publisher().publish("m0");
    queue.publisher().publish("m1");
    Delivery<String> delivery = queue.subscriber("audit").next();
    long before = TimeSource.system().nanoTime();
    loss.happen(own());
    await().until(() -> queue.state() == QueueState.FAILED);
    assertThat(Duration.ofNanos(TimeSource.system().nanoTime() - before))
        .isLessThan(Duration.ofSeconds(5));
    assertThatThrownBy(() -> queue.publisher().publish("m2"))
        .isInstanceOf(QueueFailedException.class)
        .hasMessageContaining("queue orders")
        .hasMessageContaining(own().toString())
        .hasMessageContaining(loss.text)
        .hasMessageContaining("open it again");
    await().until(() -> heard.size() == 1);
    assertThat(heard.get(0)).hasMessageContaining(loss.text);
    assertThatThrownBy(delivery::ack).isInstanceOf(QueueFailedException.class);
    List<String> files = files();
    assertThatThrownBy(queue::close).isInstanceOf(QueueFailedException.class);
    assertThat(files()).as("files touched by the close").isEqualTo(files);
  }

  private List<String> files() throws IOException {
    List<String> found = new ArrayList<>();
    if (Files.exists(own())) {
      try (Stream<Path> all = Files.walk(own())) {
        for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
          found.add(file + " " + Files.getLastModifiedTime(file) + " " + Files.size(file));
        }
      }
    }
    return found;
  }

  @Test
  void shouldNoticeBeforeItWritesAnotherBlock() throws Exception {
    ManualTimeSource frozen = new ManualTimeSource(Instant.EPOCH); // housekeeping does not look
    MessageQueue<String> queue =
        builder().timeSource(frozen).recycle(block -> block.messages() >= 2).open();
    queue.publisher().publish("m0");
    Loss.TAKEN_OVER.happen(own());
    queue.publisher().publish("m1");
    assertThat(queue.state()).isEqualTo(QueueState.FAILED);
    assertThatThrownBy(() -> queue.publisher().publish("m2"))
        .isInstanceOf(QueueFailedException.class)
        .hasMessageContaining("has taken");
    assertThat(own().resolve("log/b00000002.cq4")).doesNotExist();
    assertThatThrownBy(queue::close).isInstanceOf(QueueFailedException.class);
  }

  @Test
  void shouldNotDeleteADirectoryThatIsAnothersByNow() throws Exception {
    MessageQueue<String> queue = openHeard();
    Loss.TAKEN_OVER.happen(own());
    assertThatThrownBy(queue::delete)
        .isInstanceOf(RiverException.class)
        .hasStackTraceContaining("has taken");
    assertThat(own().resolve("log")).exists();
    assertThat(OwnerRecord.read(own()).pid()).isPositive();
  }
}
