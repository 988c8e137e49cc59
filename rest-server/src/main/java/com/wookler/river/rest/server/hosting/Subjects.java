package com.wookler.river.rest.server.hosting;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who has series of his own: so many, in the order in which they were met. All others share one, so
 * that whoever makes queues does not fill the memory of who watches. Thread-safe.
 */
public final class Subjects {
  private final int most;
  private final Set<Subject> own = ConcurrentHashMap.newKeySet();

  public Subjects(int most) {
    this.most = most;
  }

  /** Under which name this one's figures are shown. */
  Subject shown(Subject subject) {
    return own.contains(subject) || admitted(subject) ? subject : subject.others();
  }

  private boolean admitted(Subject subject) {
    if (own.size() >= most) {
      return false; // without the lock: nobody waits here once all are there
    }
    synchronized (this) {
      return own.size() < most && own.add(subject);
    }
  }

  /** Makes room: who is not among these is gone. */
  void retain(Set<Subject> there) {
    own.retainAll(there);
  }
}
