package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.QueueSnapshot;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where requests may make snapshots: {@code <base>/<name>/<queue>}. A request chooses the name,
 * which is a name as a queue's is and so one directory, never the base.
 *
 * @param base directory from the server's settings; null: requests make none
 */
public record SnapshotDirectory(@Nullable Path base) {
  /** A server that makes no snapshots. */
  public static final SnapshotDirectory NONE = new SnapshotDirectory(null);

  /**
   * Makes a snapshot of a queue. Blocks for as long as it takes to copy the queue.
   *
   * @throws RequestException the name is none, the server has no directory for snapshots, or the
   *     queue has a snapshot of this name, whole or not
   */
  public QueueSnapshot make(HostedQueue<?> queue, String name) {
    String checked = ContractFormat.name("name", name);
    if (base == null) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT,
          "this server makes no snapshots, because server.snapshot.directory is not set");
    }
    String of = queue.queue().name();
    Path target = base.resolve(checked).resolve(of);
    try {
      return queue.queue().snapshot(target);
    } catch (ConfigurationException e) { // without its text, which has a path of the server
      throw RequestException.of(
          RequestException.Reason.CONFLICT,
          Files.exists(target, LinkOption.NOFOLLOW_LINKS)
              ? "queue " + of + " has a snapshot '" + checked + "'; choose another name"
              : "server.snapshot.directory is in the directory of queue " + of);
    }
  }
}
