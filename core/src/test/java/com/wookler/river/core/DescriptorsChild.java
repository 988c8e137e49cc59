package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Publishes and reads with all descriptors of its process in use, and with some again. */
final class DescriptorsChild {
  private static final int BLOCK = 20;

  private final Path directory;
  private final Deque<InputStream> hoard = new ArrayDeque<>();

  private DescriptorsChild(Path directory) {
    this.directory = directory;
  }

  public static void main(String[] arguments) throws Exception {
    loadClasses();
    new DescriptorsChild(Path.of(arguments[0])).run();
    System.out.println("all is well");
  }

  /** A class that is looked for without descriptors is not found, then or ever. */
  private static void loadClasses() throws Exception {
    for (Class<?> one : List.of(MessageQueue.class, RiverException.class)) {
      Path root = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (!Files.isDirectory(root)) {
        continue;
      }
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
          String name = root.relativize(file).toString().replace('/', '.');
          load(name.substring(0, name.length() - ".class".length()));
        }
      }
    }
  }

  private static void load(String name) throws ClassNotFoundException {
    try {
      Class.forName(name, false, DescriptorsChild.class.getClassLoader());
    } catch (NoClassDefFoundError e) {
      assertThat(name).as("needs what is optional").doesNotContain(".core.log.");
    }
  }

  /** Uses those that are left, and says how many. */
  private int useAll() {
    int before = hoard.size();
    try {
      while (true) {
        hoard.push(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      return hoard.size() - before;
    }
  }

  /** Files that were open close late, such as one that is being forced to a slow device. */
  private void useAllForGood() {
    await().during(Duration.ofSeconds(1)).until(() -> useAll() == 0);
  }

  private void giveBack() throws IOException {
    while (!hoard.isEmpty()) {
      hoard.pop().close();
    }
  }

  private static void shouldFailNow(ThrowingCallable call, String text) {
    assertThatThrownBy(call)
        .isInstanceOf(RiverException.class)
        .isNotInstanceOf(DamagedMessageException.class)
        .isNotInstanceOf(QueueFailedException.class)
        .hasMessageContaining("queue orders")
        .hasMessageContaining(text);
  }

  private static void publish(MessageQueue<String> queue, int messages) {
    for (int i = 0; i < messages; i++) {
      long next = queue.stats().nextSequence();
      assertThat(queue.publisher().publish("m" + next)).isEqualTo(next);
    }
  }

  private static void shouldTake(Subscriber<String> subscriber, long from, long end) {
    for (long sequence = from; sequence < end; sequence++) {
      Delivery<String> delivery = subscriber.next();
      assertThat(delivery).as("sequence %s", sequence).isNotNull();
      assertThat(delivery.sequence()).isEqualTo(sequence);
      assertThat(delivery.data()).isEqualTo("m" + sequence);
    }
  }

  private void run() throws Exception {
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .blockBytes(256 << 10) // so that the next block is soon made, which opens a file
            .maxMessageBytes(1 << 10)
            .recycle(SizeBasedRecycle.ofMessages(BLOCK))
            .open()) {
      Subscriber<String> subscriber = queue.subscriber("audit");
      publish(queue, 5 * BLOCK + 1);
      queue.force();
      useAllForGood();
      subscriber.seek(Position.sequence(3 * BLOCK)); // only now: housekeeping looks at the next one
      for (int i = 0; i < 3; i++) {
        shouldFailNow(subscriber::next, "cannot be read now");
        shouldFailNow(() -> subscriber.batch(BLOCK, Duration.ZERO), "cannot be read now");
        shouldFailNow(() -> queue.read(4 * BLOCK + 3), "cannot be read now");
      }
      publish(queue, BLOCK - 1); // all of them are stored, and the next block cannot be started
      useAllForGood();
      long end = queue.stats().nextSequence();
      for (int i = 0; i < 3; i++) {
        shouldFailNow(() -> queue.publisher().publish("none"), "nothing was stored");
      }
      assertThat(queue.stats().nextSequence()).isEqualTo(end);
      assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
      giveBack();
      publish(queue, 3 * BLOCK);
      shouldTake(subscriber, 3 * BLOCK, end + 3 * BLOCK);
      queue.force();
      assertThat(queue.stats().lost()).isZero();
      assertThat(directory.resolve("orders/damage.log")).doesNotExist();
    }
  }
}
