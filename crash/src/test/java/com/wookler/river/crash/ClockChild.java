package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Retention;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uses all that depends on time, and sets its own wall clock between the rounds. Each round leaves
 * something to the next one: a message that waits, one that will expire, a block and a backup that
 * will be removed.
 */
final class ClockChild {
  static final String RIGHT = "all was in time";

  private static final Logger LOG = LoggerFactory.getLogger(ClockChild.class);
  private static final Duration TIME = Duration.ofSeconds(1);
  private static final Duration LEFT = Duration.ofSeconds(2);
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final long POLL_NANOS = TIME.toNanos() / 50;
  private static final TimeSource CLOCK = TimeSource.system();

  private final Path root;
  private final MessageQueue<String> delays;
  private final MessageQueue<String> expiring;
  private final MessageQueue<String> acks;
  private final MessageQueue<String> kept;
  private final Subscriber<String> delayed;
  private final Subscriber<String> expired;
  private final Subscriber<String> billing;
  private final Map<String, Long> published = new HashMap<>();

  private ClockChild(Path root) {
    this.root = root;
    delays = builder("delays").open();
    expiring = builder("expiring").open();
    acks = builder("acks").open();
    kept =
        builder("kept")
            .recycle(SizeBasedRecycle.ofMessages(1))
            .retention(Retention.ofAge(TIME))
            .backup(root.resolve("backup"), TIME)
            .open();
    delayed = delays.subscriber("audit");
    expired = expiring.subscriber("audit");
    billing =
        acks.subscriber(SubscriberConfig.builder("billing").ack(true).ackTimeout(TIME).build());
  }

  private MessageQueue.Builder<String> builder(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8()).directory(root.resolve("data"));
  }

  /** Arguments: directory, the file with the clock's offset, the offsets of the rounds. */
  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]);
    ClockChild child = new ClockChild(root);
    List<MessageQueue<String>> all = List.of(child.delays, child.expiring, child.acks, child.kept);
    try {
      int left = Files.exists(root.resolve("left")) ? 1 : 0;
      for (int i = 2; i < args.length; i++) {
        FakeClock.set(Path.of(args[1]), args[i]);
        child.round(args[i], left);
        left = 1;
        child.leave("left by " + args[i]);
      }
      Files.writeString(root.resolve("left"), "");
    } finally {
      all.forEach(MessageQueue::close);
    }
    LOG.warn(RIGHT);
  }

  private void round(String name, int left) throws InterruptedException, IOException {
    publishDelayed(name, TIME);
    expiring.publisher().publish(Message.of(name).expiresAfter(TIME));
    kept.publisher().publish(name);
    acks.publisher().publish(name);

    Delivery<String> first = billing.next(LIMIT);
    long from = CLOCK.nanoTime();
    Delivery<String> second = billing.next(LIMIT);
    long took = CLOCK.nanoTime() - from;
    check(first != null && second != null && second.attempt() == 2, "no second delivery");
    check(took >= TIME.toNanos() / 2, "it came again after " + Duration.ofNanos(took));
    second.ack();

    for (int i = 0; i < 1 + left; i++) {
      Delivery<String> next = delayed.next(LIMIT);
      check(next != null, "a delayed message does not come");
      arrived(next.data());
    }
    await("expiry", () -> expired.stats().lag() == 0);
    await("retention in the log", () -> kept.stats().blocks() == 1);
    await("retention of backups", () -> backups().isEmpty());
  }

  private void leave(String name) throws IOException {
    kept.publisher().publish(name);
    await("a backup", () -> !backups().isEmpty());
    kept.publisher().publish(name);
    expiring.publisher().publish(Message.of(name).expiresAfter(TIME));
    publishDelayed(name, LEFT);
    await("a delayed message", () -> delays.stats().delayed() == 1);
  }

  private void publishDelayed(String name, Duration delay) {
    published.put(name, CLOCK.nanoTime() + delay.toNanos());
    delays.publisher().publish(Message.of(name).deliverAfter(delay));
  }

  /** By the monotonic clock; of messages of an earlier run nothing is known. */
  private void arrived(String name) {
    Long due = published.remove(name);
    long early = due == null ? 0 : due - CLOCK.nanoTime();
    check(early <= 0, name + " is early by " + Duration.ofNanos(early));
  }

  private List<Path> backups() {
    Path backup = root.resolve("backup");
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(backup)) {
      try (Stream<Path> all = Files.walk(backup)) {
        all.filter(file -> file.toString().endsWith(".zst")).forEach(found::add);
      } catch (NoSuchFileException e) {
        LOG.debug("Removed meanwhile", e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (UncheckedIOException e) {
        LOG.debug("Removed meanwhile", e);
        found.add(backup);
      }
    }
    return found;
  }

  private static void await(String what, Waiting.Condition condition) throws IOException {
    long from = CLOCK.nanoTime();
    while (!condition.holds()) {
      check(CLOCK.nanoTime() - from < LIMIT.toNanos(), what + " waits for the clock");
      CLOCK.park(condition, POLL_NANOS);
    }
  }

  private static void check(boolean right, String what) {
    if (!right) {
      throw new IllegalStateException(what);
    }
  }
}
