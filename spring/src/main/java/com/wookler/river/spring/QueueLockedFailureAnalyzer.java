package com.wookler.river.spring;

import com.wookler.river.core.message.QueueLockedException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do when another process has the directory of a queue. */
final class QueueLockedFailureAnalyzer extends AbstractFailureAnalyzer<QueueLockedException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, QueueLockedException cause) {
    return new FailureAnalysis(
        "A queue of River is in use by another process: " + cause.getMessage(),
        "Stop the other instance of the application, or give this one a directory of its own, for"
            + " example --river.directory=/var/lib/app-2. Each queue belongs to one process;"
            + " others reach it through River's REST server.",
        cause);
  }
}
