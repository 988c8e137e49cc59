package com.wookler.river.kafka;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Gauge;
import com.wookler.river.common.utils.StatsGauges;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Transfer;
import com.wookler.river.core.TransferStats;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Shows a forwarder or a source among the transfers of its queue, and in the monitor's report,
 * until it is closed.
 */
final class TransferReport implements AutoCloseable {
  private final StatsGauges<TransferStats> gauges;
  private final Runnable removal;

  /** What the counters of a kind are called. */
  record Names(String namespace, String transferred, String failed) {}

  TransferReport(
      MessageQueue<?> queue, Transfer transfer, Names names, AwayState state, TimeSource time) {
    String subscriber = transfer.stats().subscriber();
    Map<String, String> labels =
        subscriber == null
            ? Map.of("queue", queue.name())
            : Map.of("queue", queue.name(), "subscriber", subscriber);
    gauges = new StatsGauges<>(names.namespace(), labels, transfer::stats, time);
    gauges.add(names.transferred(), Count.class, TransferStats::transferred);
    gauges.add(names.failed(), Count.class, TransferStats::failed);
    gauges.add("failures", Count.class, stats -> state.failures());
    gauges.add("lag", Gauge.class, TransferStats::lag);
    gauges.add("away", Gauge.class, away(time));
    removal = queue.addTransfer(transfer);
  }

  private static ToLongFunction<TransferStats> away(TimeSource time) {
    return stats -> {
      Instant since = stats.awaySince();
      return since == null ? 0 : Math.max(0, Duration.between(since, time.wallTime()).toMillis());
    };
  }

  @Override
  public void close() {
    removal.run();
    gauges.close();
  }
}
