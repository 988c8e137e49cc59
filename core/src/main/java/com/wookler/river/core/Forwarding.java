package com.wookler.river.core;

import com.wookler.river.common.WorkerPool;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Salvage;
import java.util.function.Supplier;

/**
 * Both sides of forwarding, as each queue has them.
 *
 * @param forwards to other queues
 * @param target for other queues
 */
record Forwarding(Forwards forwards, ForwardTarget target) {

  /**
   * Looks up how far it has forwarded and taken; gives nothing before {@link Forwards#start}.
   *
   * @param workers lines on the workers, one for each queue to which it forwards
   */
  static Forwarding open(
      QueueConfig<?> config,
      DataDirectory directory,
      Lookup lookup,
      Salvage salvage,
      ExpiryQueues expiryQueues,
      Supplier<WorkerPool.Serial> workers) {
    BlockLog log = lookup.log();
    boolean goesOn = config.get(QueueOptions.ON_DAMAGE) == OnDamage.SALVAGE;
    Forwards.PassOver passOver =
        sequence -> {
          long end = log.gaps().endOf(sequence);
          return end > sequence || !goesOn ? end : salvage.passOver(sequence);
        };
    ForwardTarget target = new ForwardTarget(config.name(), directory, lookup, config.time());
    return new Forwarding(
        new Forwards(new Forward.Source(config, directory, log, expiryQueues, passOver), workers),
        target);
  }

  /** Lets go of a block that leaves the log. */
  void leave(int block) {
    target.want(); // before the block goes, which tells what came from other queues
    forwards.leave(block);
  }
}
