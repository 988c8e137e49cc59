package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Many queues in one JVM, each with a subscriber, an acknowledged message, and no work. */
final class IdleQueues {
  private static final String NOTE =
      "each with a subscriber with ack and one message, finished; the disk by du; defaults";

  private IdleQueues() {}

  static List<Row> measure(Context context) throws Exception {
    int count = context.count(1_000, 10);
    Path directory = context.fresh("queues");
    List<MessageQueue<byte[]>> queues = new ArrayList<>();
    String name = Context.text("%,d queues, ", count);
    Samples times = Samples.ofSteps(ScaleCommand.TABLE);
    Samples single = Samples.ofSteps(ScaleCommand.TABLE);
    try {
      for (int i = 0; i < context.count(20, 1); i++) { // classes and pools are there afterwards
        MessageQueue<byte[]> first = open(directory, "first");
        use(first);
        first.delete();
      }
      int threads = ThisJvm.threads();
      long heap = ThisJvm.heapBytes();
      long descriptors = ThisJvm.descriptors();
      openAll(queues, directory, count, name + "make one", times, single);
      for (MessageQueue<byte[]> queue : queues) {
        use(queue);
      }
      queues.get(0).force();
      single.add(name + "threads of the JVM", "threads", ThisJvm.threads());
      single.add("no queues, threads of the JVM", "threads", threads);
      single.add(name + "heap each", "KB", (ThisJvm.heapBytes() - heap) / 1e3 / count);
      single.add(name + "CPU while quiet", "ms/s", cpuMillisASecond(context));
      single.add(name + "disk each", "KB", diskBytes(directory) / 1e3 / count);
      single.add(
          name + "descriptors each",
          "descriptors",
          (double) (ThisJvm.descriptors() - descriptors) / count);
      queues.forEach(MessageQueue::close);
      queues.clear();
      openAll(queues, directory, count, name + "open one again", times, single);
    } finally {
      queues.forEach(MessageQueue::close);
    }
    List<Row> rows = new ArrayList<>(times.rows(NOTE + "; a round is a queue"));
    rows.addAll(single.rows(NOTE));
    return rows;
  }

  private static void openAll(
      List<MessageQueue<byte[]>> queues,
      Path directory,
      int count,
      String line,
      Samples times,
      Samples single) {
    double[] millis = new double[count];
    for (int i = 0; i < count; i++) {
      long started = System.nanoTime();
      queues.add(open(directory, "queue-" + i));
      millis[i] = QueueWork.millisSince(started);
      times.add(line, "ms", millis[i]);
    }
    Arrays.sort(millis);
    single.add(line + ", p99", "ms", millis[(int) (count * 0.99)]);
  }

  private static MessageQueue<byte[]> open(Path directory, String name) {
    return MessageQueue.builder(name, MessageConverter.bytes())
        .directory(directory)
        .backup(directory.resolveSibling("queues-backup"), Duration.ofHours(1))
        .subscriber(QueueWork.acked("worker").build())
        .open();
  }

  private static void use(MessageQueue<byte[]> queue) throws InterruptedException {
    queue.publisher().publish(new byte[100]);
    Subscriber<byte[]> subscriber = queue.subscriber("worker");
    QueueWork.take(subscriber, QueueWork.BATCH, 0).forEach(Delivery::ack);
    ThisJvm.check(subscriber.stats().lag() == 0, subscriber.stats());
  }

  private static double cpuMillisASecond(Context context) {
    ThisJvm.pause(context.time(Duration.ofSeconds(3), Duration.ofMillis(100)));
    long before = ThisJvm.cpuNanos();
    long started = System.nanoTime();
    ThisJvm.pause(context.time(Duration.ofSeconds(10), Duration.ofMillis(200)));
    return (ThisJvm.cpuNanos() - before) * 1e3 / (System.nanoTime() - started);
  }

  /** Returns what a directory takes on the device, by du: files have holes. */
  static long diskBytes(Path directory) throws IOException, InterruptedException {
    Process du =
        new ProcessBuilder("du", "-s", "--block-size=1", directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String text = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (du.waitFor() != 0) {
      throw new IOException("du failed for " + directory);
    }
    return Long.parseLong(text.substring(0, text.indexOf('\t')));
  }
}
