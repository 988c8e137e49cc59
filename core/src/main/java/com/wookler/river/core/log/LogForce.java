package com.wookler.river.core.log;

import com.wookler.river.common.GroupCommit;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.file.Mappings;

/** A log as what a group commit forces; a waiting thread forces what it can without a channel. */
record LogForce(BlockLog log, LogFailure failure) implements GroupCommit.Target {
  GroupCommit commits(WorkerPool.Serial executor) {
    return new GroupCommit(
        this, Mappings.RANGES_REACH_THE_DEVICE ? log::forceMapped : null, executor);
  }

  @Override
  public long forcedEnd() {
    return log.forcedEnd();
  }

  @Override
  public void force() {
    log.forceAppended();
  }

  @Override
  public RuntimeException notForced() {
    return failure.notForced();
  }
}
