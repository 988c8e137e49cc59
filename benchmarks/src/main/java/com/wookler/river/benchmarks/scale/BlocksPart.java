package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A log of many blocks. They are made by closing a block after each message, about 220 KB of disk
 * each, and kept by a subscriber that stands still; then blocks are as large as ever.
 */
final class BlocksPart implements Part {
  private static final int ROUNDS = 7;
  private static final int MOST_BEGUN = 50; // in all, so that the oldest are always small ones
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  @Override
  public String name() {
    return "blocks";
  }

  @Override
  public String about() {
    return "publish, consume, begin, follow and remove a block with 1 to 10,000 blocks in the log";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    List<ManyBlocks> trials = new ArrayList<>();
    try {
      for (int blocks : lab.steps(List.of(1, 100, 10_000), List.of(1, 12), List.of())) {
        trials.add(new ManyBlocks(lab, blocks));
      }
      String note = "100 B, one thread, batches of 64 with ack; ratio of rates to 1 block";
      List<Row> rows =
          new ArrayList<>(Comparison.run(trials, lab.warmUps(), lab.rounds(ROUNDS), note));
      for (ManyBlocks trial : trials.subList(1, trials.size())) {
        rows.add(trial.removal());
      }
      return rows;
    } finally {
      Comparison.close(trials);
    }
  }

  private static final class ManyBlocks implements Trial {
    private final int blocks;
    private final int messages;
    private final int begun;
    private final MessageQueue<byte[]> queue;
    private final Subscriber<byte[]> keeper;
    private final Subscriber<byte[]> active;
    private volatile boolean small; // set by the measuring thread, read under the append lock

    ManyBlocks(Lab lab, int blocks) throws IOException {
      this.blocks = blocks;
      this.messages = lab.count(1_000_000, 1_000);
      this.begun = lab.count(Math.max(1, MOST_BEGUN / (lab.warmUps() + lab.rounds(ROUNDS))), 2);
      Path directory = lab.fresh("blocks-" + blocks);
      this.queue = Lab.queue(directory).recycle(block -> small).open();
      this.keeper = queue.subscriber("keeper");
      begin(blocks - 1);
      this.active =
          queue.subscriber(
              SubscriberConfig.builder("active").ack(true).start(Position.latest()).build());
      queue.force();
    }

    private void begin(int number) {
      small = true;
      Rates.publish(queue, number);
      small = false;
    }

    @Override
    public String label() {
      return String.format(Locale.ROOT, "%,d %s", blocks, blocks == 1 ? "block" : "blocks");
    }

    @Override
    public List<Figure> round() throws Exception {
      double publish = Rates.publish(queue, messages);
      double consume = Rates.consume(active, messages);
      long started = System.nanoTime();
      begin(begun);
      double begin = Rates.perSecond(begun, started);
      double follow = Rates.consume(active, begun); // one message in each
      keepOldest();
      return List.of(
          new Figure("publish", Rates.UNIT, publish),
          new Figure("consume", Rates.UNIT, consume),
          new Figure("begin a block", "blocks/s", begin),
          new Figure("follow into a block", "blocks/s", follow));
    }

    /** Lets go of as many of the oldest blocks as were added, and waits until they are removed. */
    private void keepOldest() {
      int added = queue.stats().blocks() - blocks;
      if (blocks == 1) {
        keeper.purge();
      }
      for (int i = 0; i < added && blocks > 1; i++) {
        keeper.next(); // the oldest blocks hold one message each
      }
      Await.until(() -> queue.stats().blocks() <= blocks, PATIENCE, "removal of " + added);
      queue.force();
    }

    Row removal() {
      int before = queue.stats().blocks();
      long started = System.nanoTime();
      keeper.purge();
      Await.until(() -> queue.stats().blocks() == 1, PATIENCE, "removal of all blocks");
      return Lab.row(
          "remove a block, " + label(),
          "blocks/s",
          Spread.of(Rates.perSecond(before - 1L, started)),
          "all drained at once, until the last is archived and gone");
    }

    @Override
    public void close() {
      queue.delete();
    }
  }
}
